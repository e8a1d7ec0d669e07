#include "tests/scenario/catalogue/trial.hpp"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "orchestrator/engine/evaluate.hpp"
#include "orchestrator/engine/jobs.hpp"
#include "orchestrator/engine/obstacles.hpp"
#include "tests/scenario/catalogue/agent_pipe.hpp"
#include "tests/scenario/catalogue/view.hpp"

namespace vt::test {

namespace {

constexpr const char* kRun = "catalogue";
constexpr const char* kLayer = "case";

Capabilities given(const Case& c) {
  Capabilities out;
  for (auto& [id, value] : c.facts) out.set({id, value, "given by " + c.about, FactOrigin::probed, FactScope::host});
  return out;
}

std::string agent_path() {
#if defined(__x86_64__)
  return VT_BIN_DIR "/vault-test-agent-x86_64";
#else
  return VT_BIN_DIR "/vault-test-agent-aarch64";
#endif
}

Check with_args(Check check, const Values& args) {
  if (auto* run = std::get_if<AgentRun>(&check.how))
    for (auto& [name, value] : args) run->args[name] = value;
  return check;
}

protocol::JobResult answer(const nlohmann::json& values) {
  protocol::JobResult out;
  out.exit_code = 0, out.values = values.dump();
  return out;
}

/// A check of a fact reads the case's, or what the agent probes in the case's view.
Result<Observation> observe_in(AgentPipe& agent, const Check& check, const ObservationKey& key, Capabilities facts) {
  if (!std::holds_alternative<ProbeRun>(check.how)) {
    VT_TRY(auto result, agent.run(make_job(check, key, {})));
    return observe(check, key, result);
  }
  if (!facts.find(std::get<ProbeRun>(check.how).fact)) { VT_TRY(facts, agent.probe()); }
  return observe_fact(check, key, facts);
}

}  // namespace

Result<TrialStore> TrialStore::open() {
  TrialStore out;
  out.folder_ = "/tmp/vt-catalogue-XXXXXX";
  if (!mkdtemp(out.folder_.data())) return fail(Errc::internal, "cannot make a folder below /tmp");
  out.clock_ = std::make_unique<SystemClock>();
  VT_TRY(out.store_, Store::open(out.folder_, *out.clock_));
  RunRow run;
  run.id = kRun;
  LayerRow layer;
  layer.run = kRun, layer.name = kLayer;
  VT_CHECK(out.store_->add_run(run, {layer}, {}));
  return out;
}

TrialStore::TrialStore(TrialStore&& other) noexcept
    : folder_(std::exchange(other.folder_, "")), clock_(std::move(other.clock_)), store_(std::move(other.store_)) {}

TrialStore::~TrialStore() {
  store_.reset();
  std::error_code ignored;
  if (!folder_.empty()) std::filesystem::remove_all(folder_, ignored);
}

Result<Judgement> TrialStore::keep(const Observation* seen, const Judgement& judgement) {
  VT_CHECK(store_->add_result(seen, judgement));
  VT_TRY(auto all, store_->judgements(kRun));
  for (auto& stored : all)
    if (stored.key.host == judgement.key.host && stored.key.check == judgement.key.check) return stored;
  return fail(Errc::not_found, "the judgement is not in the store");
}

Result<Tried> try_check(const Check& check, const Case& c, int number, TrialStore& store) {
  ObservationKey key;
  key.run = kRun, key.layer = kLayer, key.host = "host-" + std::to_string(number), key.check = check.id;
  Layer layer;
  auto facts = given(c);
  Tried out;
  if (auto found = obstacle(check, key, {layer, {}, facts, {}})) {
    VT_TRY(out.stored, store.keep(nullptr, *found));
    return out;
  }
  if (!c.answer.is_null()) {
    out.seen = observe(check, key, answer(c.answer));
    VT_TRY(out.stored, store.keep(&*out.seen, evaluate(check, {}, *out.seen)));
    return out;
  }
  VT_TRY(auto view, View::prepare(c));
  VT_TRY(auto agent, AgentPipe::start(view, agent_path()));
  VT_TRY(out.seen, observe_in(agent, with_args(check, c.args), key, facts));
  VT_TRY(out.stored, store.keep(&*out.seen, evaluate(check, {}, *out.seen)));
  return out;
}

}  // namespace vt::test
