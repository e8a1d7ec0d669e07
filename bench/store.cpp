// Commits: each one is on disk when it returns, so these figures are mostly the disk's.
#include <benchmark/benchmark.h>
#include <stdlib.h>

#include <filesystem>
#include <memory>
#include <string>

#include "orchestrator/store/ledger.hpp"
#include "orchestrator/store/store.hpp"

namespace vt {
namespace {

/// A state folder of its own below /tmp, removed at the end.
class StateDir {
 public:
  StateDir() {
    if (!mkdtemp(path_.data())) path_.clear();
  }
  StateDir(const StateDir&) = delete;
  StateDir& operator=(const StateDir&) = delete;
  ~StateDir() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  [[nodiscard]] std::string state() const { return path_ + "/state"; }

 private:
  std::string path_ = "/tmp/vt-bench-XXXXXX";
};

const SystemClock kClock;

Observation observation(int number) {
  Observation out;
  out.key = {.run = "r1", .layer = "rack", .host = "cube", .check = "os.check" + std::to_string(number), .subject = ""};
  out.exit_code = 0, out.values["value"] = "6.14.0";
  out.out.head = std::string(2000, 'x'), out.out.bytes = 2000, out.out.lines = 1;
  return out;
}

/// One result as the engine commits it: observation, judgement and the event that tells of it, in one transaction.
void add_result(benchmark::State& state) {
  StateDir dir;
  auto store = Store::open(dir.state(), kClock);
  if (!store) return state.SkipWithError(store.error().what.c_str());
  RunRow run;
  run.id = "r1", run.plan = "bench", run.level = "quick";
  LayerRow layer;
  layer.name = "rack", layer.provider = "bare-metal";
  if (auto added = (*store)->add_run(run, {layer}, {}); !added) return state.SkipWithError(added.error().what.c_str());
  int number = 0;
  for (auto _ : state) {
    auto seen = observation(number++);
    Judgement judged;
    judged.key = seen.key, judged.verdict = Verdict::pass, judged.at = kClock.wall();
    EventBody told = event::CheckJudged{"cube", seen.key.check, Verdict::pass, Cause::none, "", number, 100};
    if (auto added = (*store)->add_result(&seen, judged, &told); !added) return state.SkipWithError(added.error().what.c_str());
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(add_result)->Name("store/add_result")->UseRealTime()->Unit(benchmark::kMillisecond);

/// The least a host costs the ledger: the intent before the create call, and one change of state.
void plan_and_update(benchmark::State& state) {
  StateDir dir;
  auto ledger = Ledger::open(dir.state(), kClock);
  if (!ledger) return state.SkipWithError(ledger.error().what.c_str());
  for (auto _ : state) {
    auto owner = (*ledger)->new_ownership("container", "here", Duration{3'600'000});
    if (!owner) return state.SkipWithError(owner.error().what.c_str());
    Resource pod;
    pod.owner = *owner, pod.provider = "container", pod.account = "here", pod.kind = "pod";
    if (auto planned = (*ledger)->plan(pod); !planned) return state.SkipWithError(planned.error().what.c_str());
    auto moved = (*ledger)->update(owner->name, "create call goes out", [](Resource& r) { r.state = ResourceState::creating; });
    if (!moved) return state.SkipWithError(moved.error().what.c_str());
  }
  state.SetItemsProcessed(state.iterations() * 2);
}
BENCHMARK(plan_and_update)->Name("ledger/plan+update")->UseRealTime()->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace vt
