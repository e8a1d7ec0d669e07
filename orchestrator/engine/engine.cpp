#include "orchestrator/engine/engine.hpp"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "orchestrator/engine/layer_runner.hpp"

namespace vt {

namespace {

/// Which layers have ended, and whether they opened their gates.
class GateBoard {
 public:
  explicit GateBoard(std::vector<std::string> in_this_run) : in_this_run_(std::move(in_this_run)) {}

  [[nodiscard]] bool knows(const std::string& layer) const {
    return std::find(in_this_run_.begin(), in_this_run_.end(), layer) != in_this_run_.end();
  }
  void ended(const std::string& layer, bool opens) {
    std::lock_guard lock(mutex_);
    ended_[layer] = opens;
    changed_.notify_all();
  }
  /// Layers bound their own time, so this ends.
  bool wait_for(const std::string& layer) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return ended_.contains(layer); });
    return ended_[layer];
  }

 private:
  std::vector<std::string> in_this_run_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::string, bool> ended_;
};

class Engine {
 public:
  Engine(Context& c, const RunRequest& request) : c_(c), request_(request), board_(layer_names(request)) {}

  Status run() {
    VT_TRY(earlier_, c_.store.judgements(request_.run));
    if (request_.plan.budget.time) time_budget_ = Deadline::after(*request_.plan.budget.time);
    std::vector<Status> outcomes(request_.run_plan.layers.size());
    {
      std::vector<std::jthread> threads;
      for (std::size_t i = 0; i < outcomes.size(); ++i)
        threads.emplace_back([&, i] { outcomes[i] = run_one(request_.run_plan.layers[i]); });
    }
    for (auto& outcome : outcomes) VT_CHECK(outcome);
    return {};
  }

 private:
  static std::vector<std::string> layer_names(const RunRequest& request) {
    std::vector<std::string> names;
    for (auto& l : request.run_plan.layers) names.push_back(l.layer->name);
    return names;
  }

  Status run_one(const LayerPlan& layer) {
    auto opened = gate_and_run(layer);
    board_.ended(layer.layer->name, opened && (*opened || c_.rehearsal));  // a rehearsal goes through every layer
    if (!opened) c_.stop.raise();                                          // nothing can be recorded: the others end, too
    return opened ? Status{} : Status(fail(opened.error()));
  }

  Result<bool> gate_and_run(const LayerPlan& layer) {
    LayerTask task{request_.run, request_.plan, layer, {}, request_.on, request_.keep, time_budget_};
    for (auto& j : earlier_)
      if (j.key.layer == layer.layer->name) task.earlier.push_back(j);
    for (auto& gate : layer.layer->after) {
      VT_TRY(std::string closed, why_closed(*layer.layer, gate));
      if (closed.empty()) continue;
      VT_CHECK(settle_all(c_, task, Verdict::blocked, Cause::dependency, closed));
      VT_CHECK(c_.store.move_layer(request_.run, layer.layer->name, LayerState::blocked, closed));
      VT_CHECK(c_.store.add_event(request_.run, layer.layer->name, event::LayerMoved{LayerState::blocked, closed}));
      return false;
    }
    return run_layer(c_, task);
  }

  /// Empty if the gate is open: passed in this run, or in an earlier one of the same subject where the plan allows it.
  Result<std::string> why_closed(const Layer& layer, const Gate& gate) {
    bool here = board_.knows(gate.layer);
    if (here && board_.wait_for(gate.layer)) return std::string();
    if (gate.passed_within && !request_.subject_digest.empty()) {
      VT_TRY(auto at,
             c_.store.passed(request_.plan.name, gate.layer, request_.subject_digest, c_.clock.wall() - gate.passed_within->count()));
      if (at) {
        VT_CHECK(c_.store.add_event(request_.run, layer.name,
                                    event::Noted{"info", "gate " + gate.layer + " is open: it passed at " + utc_text(*at)}));
        return std::string();
      }
    }
    if (!here && gate.passed_within && request_.subject_digest.empty())
      return "gate " + gate.layer + " is closed: only an earlier pass of the same clean subject opens it, and this run has none";
    if (here || gate.passed_within)
      return "gate " + gate.layer + " is closed: it has not passed" +
             (gate.passed_within ? " within " + short_text(*gate.passed_within) : " in this run");
    VT_CHECK(c_.store.add_event(request_.run, layer.name,
                                event::Noted{"warn", "gate " + gate.layer + " not checked: the layer was not selected"}));
    return std::string();
  }

  Context& c_;
  const RunRequest& request_;
  GateBoard board_;
  std::vector<Judgement> earlier_;
  std::optional<Deadline> time_budget_;
};

}  // namespace

Status run_all(Context& c, const RunRequest& request) { return Engine(c, request).run(); }

}  // namespace vt
