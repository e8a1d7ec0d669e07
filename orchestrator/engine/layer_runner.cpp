#include "orchestrator/engine/layer_runner.hpp"

#include <algorithm>
#include <mutex>
#include <thread>

#include "orchestrator/cost/user_config.hpp"
#include "orchestrator/engine/evaluate.hpp"
#include "orchestrator/engine/host_runner.hpp"
#include "orchestrator/engine/lifecycle.hpp"
#include "orchestrator/engine/meter.hpp"
#include "orchestrator/engine/quota_wait.hpp"
#include "orchestrator/engine/subject.hpp"
#include "orchestrator/model/failpoint.hpp"
#include "orchestrator/model/text.hpp"

namespace vt {

namespace {

/// Checks end this long before the lease does, so that the host goes back in order.
constexpr Duration kTeardown = std::chrono::minutes(2);
/// A host left by an interrupted run must answer this soon and have this much of its lease left.
constexpr Duration kAnswerTime = std::chrono::seconds(15);
constexpr Duration kRoomOfLease = std::chrono::minutes(20);

bool is_storage(const Error& e) { return e.code == Errc::storage || e.code == Errc::disk_full; }

class LayerRunner {
 public:
  LayerRunner(Context& c, const LayerTask& task) : c_(c), task_(task), layer_(*task.layer.layer), provider_(c.provider(layer_.provider)) {}

  Result<bool> run() {
    Status tested = test_on_the_meter();
    if (!tested && is_storage(tested.error())) return emergency(tested.error());
    Status settled = tested ? Status{} : settle(tested.error());
    if (settled) settled = give_back();
    if (!settled) return emergency(settled.error());
    return finish(tested);
  }

 private:
  static bool cancelled(const Error& e) { return e.code == Errc::cancelled; }

  Status settle(const Error& why) {
    bool stopped = cancelled(why), capped = why.code == Errc::budget;
    auto cause = stopped ? Cause::operator_ : capped ? Cause::budget : Cause::infrastructure;
    return settle_all(c_, task_, stopped || capped ? Verdict::cancelled : Verdict::blocked, cause, why.what);
  }

  Status test_on_the_meter() {
    bool costs = provider_ && !provider_->existing_hosts();
    std::optional<Meter> meter;
    if (costs) meter.emplace(c_, task_.run, layer_.name);
    return test();
  }

  Status test() {
    if (nothing_left()) return {};
    if (!provider_) return fail(Errc::config, "provider " + layer_.provider + " cannot run yet in this version");
    VT_CHECK(enter(LayerState::preflight, ""));
    VT_CHECK(look_at_subject());
    VT_CHECK(preflight());
    if (c_.stop.requested()) return fail(Errc::cancelled, "interrupted");
    VT_CHECK(enter(LayerState::acquire, ""));
    VT_CHECK(get_hosts());
    start_clock();
    return test_hosts();
  }

  /// A resumed layer whose checks all have their verdicts needs no host any more.
  [[nodiscard]] bool nothing_left() const {
    auto& earlier = task_.earlier;
    return earlier.size() == task_.layer.checks.size() * host_names(layer_).size() &&
           std::none_of(earlier.begin(), earlier.end(), is_repeated_by_resume);
  }

  /// Each layer looks at the subject itself, so that a commit made in between is seen and said.
  Status look_at_subject() {
    if (!task_.plan.subject) return {};
    auto subject = read_subject(*task_.plan.subject);
    if (!subject) return c_.rehearsal ? Status{} : fail(subject.error());
    return c_.store.set_layer_subject(task_.run, layer_.name, *subject);
  }

  Status preflight() {
    if (task_.on) return {};
    VT_TRY(auto findings, look_ahead());
    for (auto& finding : findings) {
      auto text = finding.what + (finding.remedy.empty() ? "" : "; " + finding.remedy);
      if (finding.weight == Finding::Weight::stops) return fail(Errc::refused, text);
      VT_CHECK(event(event::Noted{"warn", text}));
    }
    return {};
  }

  /// A quota that machines of ours fill is no reason to end: they are waited for.
  Result<std::vector<Finding>> look_ahead() {
    QuotaWait quota(c_, {task_.run, layer_.name, layer_.provider, provider_->account(layer_), provider_->confirm_spacing(),
                         task_.time_budget, [this](const std::string& text) {
                           (void)event(event::Noted{"info", text});
                         }});
    while (true) {
      auto findings = provider_->preflight(layer_);
      if (!passes_by_waiting(findings)) return findings;
      VT_TRY(bool again, quota.again());
      if (!again) return findings;
    }
  }

  Status get_hosts() {
    if (task_.on) {
      VT_TRY(allocation_, adopt(c_, *task_.on));
    } else {
      VT_CHECK(reuse_leftovers());
    }
    if (allocation_.hosts.empty()) {
      HostsWanted wanted{task_.run, stricter(c_.caps, task_.plan.budget, layer_.budget), time_wanted(), {}, {}, {}};
      wanted.tell = [this](const std::string& text) { (void)event(event::Noted{"warn", text}); };
      wanted.until = task_.time_budget;
      VT_TRY(allocation_, acquire(c_, *provider_, layer_, wanted));
    }
    for (auto& host : allocation_.hosts)
      if (!host.resource.empty()) VT_CHECK(event(event::ResourceMoved{host.resource, "ready", task_.on ? "kept host" : ""}));
    return {};
  }

  /// What an interrupted run left is used again if all of the layer's hosts still answer and their leases have room; else all of it
  /// goes back first, and nothing new is created beside what does not go.
  Status reuse_leftovers() {
    VT_TRY(auto rows, c_.ledger.of_run(task_.run));
    std::erase_if(rows, [&](auto& row) { return row.layer != layer_.name || !is_open(row.state); });
    if (rows.empty()) return {};
    if (rows.size() == host_names(layer_).size() && adopt_all(rows)) return {};
    allocation_ = {};
    for (auto& row : rows) {
      Status released = release(c_, *provider_, row.owner.name);
      if (!released) return fail(Errc::transport, "what the interrupted run left must go first: " + released.error().what);
      VT_CHECK(event(event::ResourceMoved{row.owner.name, "gone", "left by the interrupted run"}));
    }
    return {};
  }

  /// Without a time budget three times what the plan expects, within an hour and six: the whole lease is reserved.
  [[nodiscard]] Duration time_wanted() const {
    if (layer_.budget.time) return *layer_.budget.time;
    return std::clamp<Duration>(task_.layer.high * 3, std::chrono::hours(1), std::chrono::hours(6));
  }

  bool adopt_all(const std::vector<Resource>& rows) {
    for (auto& row : rows) {
      bool room = row.lease_until - c_.clock.wall() > kRoomOfLease.count();
      if (!room || row.state != ResourceState::ready || !provider_->wait_ready(layer_, row, Deadline::after(kAnswerTime))) return false;
      auto adopted = adopt(c_, row);
      if (!adopted) return false;
      for (auto& host : adopted->hosts) allocation_.hosts.push_back(std::move(host));
      allocation_.resource = row.owner.name;
    }
    return true;
  }

  void start_clock() {
    deadline_ = task_.time_budget;
    if (layer_.budget.time) end_by(*layer_.budget.time);
    for (auto& host : allocation_.hosts)
      if (auto row = row_of(host)) end_by(Duration{std::max<std::int64_t>(0, row->lease_until - c_.clock.wall())} - kTeardown);
  }

  void end_by(Duration left) { deadline_ = deadline_ ? deadline_->earlier(left) : Deadline::after(left); }

  std::optional<Resource> row_of(const Host& host) {
    if (host.resource.empty()) return {};
    auto row = c_.ledger.find(host.resource);
    return row ? *row : std::nullopt;
  }

  Status test_hosts() {
    std::vector<std::string> names;
    for (auto& host : allocation_.hosts) names.push_back(host.name);
    GroupBoard group(names);
    std::vector<Status> outcomes(allocation_.hosts.size());
    {
      std::vector<std::jthread> threads;
      for (std::size_t i = 0; i < allocation_.hosts.size(); ++i)
        threads.emplace_back([&, i] { outcomes[i] = test_host(allocation_.hosts[i], group); });
    }
    VT_CHECK(enter(LayerState::collect, ""));
    for (auto& outcome : outcomes)
      if (!outcome) return outcome;
    return {};
  }

  Status test_host(const Host& host, GroupBoard& group) {
    bool claim = provider_->existing_hosts() && !host.access.address.empty();
    HostTask task{task_.run, task_.layer, host, provider_->predict(layer_), group, claim, deadline_, {}, {}, {}};
    for (auto& j : task_.earlier)
      if (j.key.host == host.name) task.earlier[j.key.check] = j;
    task.together = repeated_together();
    task.advance = [this](LayerState state, const std::string& detail) { (void)enter(state, detail); };
    task.fate = [this, &host] { return fate_of(host); };
    auto outcome = run_host(c_, task);
    group.leave(host.name);
    return outcome;
  }

  /// What several hosts do with each other no host can make up for alone: if one lacks its verdict, all of them begin again.
  [[nodiscard]] std::map<std::string, int> repeated_together() const {
    std::map<std::string, int> out;
    for (auto& planned : task_.layer.checks) {
      if (planned.check->scope != Scope::group) continue;
      std::map<std::string, const Judgement*> earlier;
      for (auto& j : task_.earlier)
        if (j.key.check == planned.check->id) earlier[j.key.host] = &j;
      bool final = std::none_of(earlier.begin(), earlier.end(), [](auto& e) { return is_repeated_by_resume(*e.second); });
      if (earlier.empty() || (final && earlier.size() == allocation_.hosts.size())) continue;
      for (auto& [host, j] : earlier) out[planned.check->id] = std::max(out[planned.check->id], j->key.attempt + 1);
    }
    return out;
  }

  std::string fate_of(const Host& host) {
    auto row = row_of(host);
    auto provider = c_.provider(layer_.provider);
    if (!row || !provider) return {};
    auto fate = provider->fate(*row);
    return fate ? *fate : std::string();
  }

  /// Several hosts move side by side; the layer shows the furthest step.
  Status enter(LayerState state, const std::string& detail) {
    VT_FAILPOINT("layer.step");
    std::lock_guard lock(mutex_);
    if (state < state_) return {};
    state_ = state;
    VT_CHECK(c_.store.move_layer(task_.run, layer_.name, state, detail));
    return event(event::LayerMoved{state, detail});
  }

  /// All of them side by side: each is confirmed by looking twice, with a pause.
  Status give_back() {
    VT_TRY(auto rows, c_.ledger.of_run(task_.run));
    VT_TRY(bool keeping, wants_to_keep());
    std::erase_if(rows, [&](auto& row) { return row.layer != layer_.name || !is_open(row.state); });
    std::vector<Status> outcomes(rows.size());
    {
      std::vector<std::jthread> threads;
      for (std::size_t i = 0; i < rows.size(); ++i)
        threads.emplace_back(
            [&, i] { outcomes[i] = keeping && rows[i].state == ResourceState::ready ? keep(rows[i]) : give_back_one(rows[i].owner.name); });
    }
    for (auto& outcome : outcomes) VT_CHECK(outcome);
    return {};
  }

  Result<bool> wants_to_keep() {
    if (task_.keep != Keep::on_failure) return task_.keep == Keep::always;
    VT_TRY(auto judgements, c_.store.judgements(task_.run));
    return std::any_of(judgements.begin(), judgements.end(),
                       [&](auto& j) { return j.key.layer == layer_.name && (j.verdict == Verdict::fail || j.verdict == Verdict::error); });
  }

  Status keep(const Resource& row) {
    VT_CHECK(c_.ledger.update(row.owner.name, "kept for the user", [](Resource& r) { r.keep = true; }));
    return event(event::ResourceMoved{row.owner.name, "kept",
                                      "until " + utc_text(row.lease_until) + " at " + row.hourly.text() + "/h; vault-test shell " +
                                          task_.run + " " + layer_.name + "; vault-test release " + row.owner.name +
                                          (c_.rehearsal ? " --rehearse --emulator ADDRESS" : "")});
  }

  /// A failed release leaves the row open, which the run's exit code and every later command show.
  Status give_back_one(const std::string& name) {
    VT_CHECK(enter(LayerState::release, name));
    auto own = c_.provider(layer_.provider);
    Status released = own ? release(c_, *own, name) : fail(Errc::config, "no provider " + layer_.provider);
    if (released) {
      VT_CHECK(event(event::ResourceMoved{name, "gone", ""}));
      return tell_cost();
    }
    return event(event::ResourceMoved{name, "open", released.error().what});
  }

  Status tell_cost() {
    VT_TRY(Money total, spent_by(c_, task_.run, layer_.name));
    return event(event::Spent{total});
  }

  /// Nothing can be recorded any more: the host is still given back, and the ledger (a file of its own) still written.
  Result<bool> emergency(const Error& why) {
    auto rows = c_.ledger.of_run(task_.run);
    if (rows && provider_)
      for (auto& row : *rows)
        if (row.layer == layer_.name && is_open(row.state)) (void)release(c_, *provider_, row.owner.name);
    return fail(why);
  }

  Result<bool> finish(const Status& tested) {
    VT_TRY(auto judgements, c_.store.judgements(task_.run));
    bool against = false, proven = false;
    for (auto& j : judgements)
      if (j.key.layer == layer_.name) against |= counts_against(j.verdict), proven |= proves(j.verdict);
    auto state = tested ? LayerState::done : cancelled(tested.error()) ? LayerState::cancelled : LayerState::failed;
    auto detail = tested ? std::string() : tested.error().what;
    VT_CHECK(enter(state, detail));
    return tested && proven && !against;
  }

  Status event(const EventBody& body) { return c_.store.add_event(task_.run, layer_.name, body); }

  Context& c_;
  const LayerTask& task_;
  const Layer& layer_;
  std::unique_ptr<Provider> provider_;
  Allocation allocation_;
  std::optional<Deadline> deadline_;
  std::mutex mutex_;
  LayerState state_ = LayerState::waiting;
};

}  // namespace

namespace {

/// A verdict from before an interruption that says nothing about the host: what stops the layer now replaces it.
bool superseded(const Judgement& j, const LayerTask& task) {
  bool earlier = std::any_of(task.earlier.begin(), task.earlier.end(), [&](auto& e) {
    return e.key.host == j.key.host && e.key.check == j.key.check && e.key.attempt == j.key.attempt;
  });
  return earlier && is_repeated_by_resume(j);
}

}  // namespace

Status settle_all(Context& c, const LayerTask& task, Verdict verdict, Cause cause, const std::string& reason) {
  auto& layer = *task.layer.layer;
  VT_TRY(auto judgements, c.store.judgements(task.run));
  for (auto& host : host_names(layer))
    for (auto& planned : task.layer.checks) {
      ObservationKey key;
      key.run = task.run, key.layer = layer.name, key.host = host, key.check = planned.check->id;
      auto mine = [&](const Judgement& j) { return j.key.layer == key.layer && j.key.host == key.host && j.key.check == key.check; };
      auto before = std::find_if(judgements.begin(), judgements.end(), mine);
      if (before != judgements.end() && !superseded(*before, task)) continue;
      if (before != judgements.end()) key.attempt = before->key.attempt + 1;
      auto j = verdict_only(key, verdict, cause, reason);
      j.at = c.clock.wall();
      if (c.rehearsal) j.origin = EvidenceOrigin::rehearsal;
      EventBody told = event::CheckJudged{host, key.check, verdict, cause, reason, 0, static_cast<int>(task.layer.checks.size())};
      VT_CHECK(c.store.add_result(nullptr, j, &told));
    }
  return {};
}

Result<bool> run_layer(Context& c, const LayerTask& task) { return LayerRunner(c, task).run(); }

}  // namespace vt
