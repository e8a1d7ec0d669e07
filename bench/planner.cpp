// Planning and judging: pure, and done before anything is spent.
#include <benchmark/benchmark.h>

#include <string>

#include "orchestrator/planner/run_plan.hpp"

namespace vt {
namespace {

constexpr const char* kNeeds = "gpu>=2, docker.daemon|podman, !virt.container";

Capabilities known() {
  Capabilities out;
  out.set({"gpu", Value(4), "lspci", FactOrigin::probed, FactScope::host});
  out.set({"docker.daemon", Value(false), "no socket", FactOrigin::probed, FactScope::login});
  out.set({"podman", Value(true), "/usr/bin/podman", FactOrigin::probed, FactScope::host});
  out.set({"virt.container", Value(""), "none", FactOrigin::probed, FactScope::host});
  return out;
}

Catalogue catalogue(int checks) {
  Catalogue out;
  Suite suite{"all", "All of them", {}, {}};
  auto needs = Requirement::parse(kNeeds);
  for (int i = 0; i < checks; ++i) {
    Check check;
    check.id = "bench.check" + std::to_string(i);
    if (needs) check.needs = *needs;
    if (i % 10 != 0) check.after = {out.checks.back().id};
    suite.checks.push_back(check.id);
    out.checks.push_back(std::move(check));
  }
  out.suites.push_back(std::move(suite));
  return out;
}

/// Every layer waits for the one ten before it: ten stages of ten.
Plan plan(int layers) {
  Plan out;
  for (int i = 0; i < layers; ++i) {
    Layer layer;
    layer.name = "layer" + std::to_string(i);
    layer.suites = {"all"};
    if (i >= 10) layer.after = {{"layer" + std::to_string(i - 10), {}}};
    out.layers.push_back(std::move(layer));
  }
  return out;
}

void run_plan(benchmark::State& state) {
  auto layers = static_cast<int>(state.range(0)), checks = static_cast<int>(state.range(1));
  auto what = plan(layers);
  auto with = catalogue(checks);
  std::map<std::string, Offer> offers;
  for (auto& layer : what.layers) offers[layer.name].capabilities = known();
  for (auto _ : state) {
    auto planned = make_run_plan(what, with, offers, {});
    if (!planned || planned->layers.size() != what.layers.size()) return state.SkipWithError("not planned");
    benchmark::DoNotOptimize(planned);
  }
  state.SetItemsProcessed(state.iterations() * layers * checks);
}
BENCHMARK(run_plan)->Name("planner/make_run_plan")->Args({2, 100})->Args({100, 100})->Unit(benchmark::kMillisecond);

void requirement(benchmark::State& state) {
  auto needs = Requirement::parse(kNeeds);
  if (!needs) return state.SkipWithError("not a requirement");
  auto facts = known();
  for (auto _ : state) {
    auto answer = needs->evaluate(facts);
    if (answer.state != Requirement::State::met) return state.SkipWithError("not met");
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(requirement)->Name("judge/requirement");

void expectation(benchmark::State& state, const Value& measured, ValueType type, const Expectation& expected) {
  for (auto _ : state) {
    auto holding = judge(measured, type, expected);
    if (holding.state != Holding::State::held) return state.SkipWithError(holding.why.c_str());
  }
  state.SetItemsProcessed(state.iterations());
}
using enum Expectation::Op;
BENCHMARK_CAPTURE(expectation, version, Value("6.14.0-27-generic"), ValueType::version, Expectation{at_least, {"6.13"}, {}})
    ->Name("judge/version");
BENCHMARK_CAPTURE(expectation, matches, Value("sm_120"), ValueType::text, Expectation{matches, {"^sm_12"}, {}})->Name("judge/regex");
BENCHMARK_CAPTURE(expectation, list, Value(Value::List(8, Value(70))), ValueType::integer, Expectation{below, {"85"}, {}})
    ->Name("judge/8_gpus");

}  // namespace
}  // namespace vt
