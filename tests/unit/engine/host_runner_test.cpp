// Checks on hosts that are fake agents on this machine: what the engine makes of processors that stand in, of hosts that do a check
// together, of metrics and of a self-test that missed.
#include "orchestrator/engine/host_runner.hpp"

#include <gtest/gtest.h>

#include <thread>

#include "orchestrator/engine/evaluate.hpp"
#include "orchestrator/host/local_transport.hpp"
#include "tests/unit/host/home.hpp"

namespace vt {
namespace {

constexpr auto kPassed = R"({"value": 1})";

Check agent_check(const std::string& id, const std::string& needs = "", const std::string& values = kPassed) {
  Check check;
  check.id = id;
  check.needs = Requirement::parse(needs).value();
  check.how = AgentRun{"any", {{"returns", values}}};
  check.values = {{"value",
                   ValueType::integer,
                   "",
                   {Reader::From::result, Reader::By::whole, "value", false},
                   Expectation{Expectation::Op::equals, {"1"}, {}},
                   ""}};
  return check;
}

class Hosts : public ::testing::Test {
 protected:
  Hosts()
      : store_(Store::open(folder_ / "state", clock_).value().release()),
        ledger_(Ledger::open(folder_ / "state", clock_).value().release()) {
    layer_.name = "layer", layer_.provider = "fake";
    plan_.layer = &layer_;
    context_.emplace(Context{*store_, *ledger_, clock_, stop_, test::fake_agent(folder_), {}, {}, {}, connect, {}, {}});
    context_->connect = [this](const Host& host, Deadline) -> Result<std::unique_ptr<Transport>> {
      if (host.name == lost_) return fail(Errc::refused, "connection refused");
      return make_local_transport();
    };
  }
  void plan(const Check& check) { plan_.checks.push_back({std::make_shared<Check>(check), PlannedCheck::Forecast::run, {}, {}}); }
  void run(const std::vector<std::string>& hosts) {
    RunRow row;
    row.id = "run";
    LayerRow layer;
    layer.run = "run", layer.name = "layer";
    std::vector<PlannedRow> planned;
    for (auto& p : plan_.checks) planned.push_back({"run", "layer", p.check->id, "", "gate", static_cast<int>(planned.size())});
    ASSERT_TRUE(store_->add_run(row, {layer}, planned));
    GroupBoard board(hosts);
    std::vector<std::jthread> threads;
    for (auto& name : hosts)
      threads.emplace_back([&, name] {
        Host host;
        host.name = name;
        HostTask task{"run", plan_, host, {}, board, false, {}, {}, [](auto, auto&) {}, {}};
        if (auto earlier = earlier_.find(name); earlier != earlier_.end()) task.earlier = earlier->second;
        task.together = together_;
        task.fate = [this] { return fate_; };
        (void)run_host(*context_, task);
        board.leave(name);
      });
  }
  [[nodiscard]] Judgement judged(const std::string& check, const std::string& host = "a") const {
    auto judgements = store_->judgements("run").value();
    for (auto& j : judgements)
      if (j.key.check == check && j.key.host == host) return j;
    ADD_FAILURE() << check << " on " << host << " has no verdict";
    return {};
  }

  test::Home home_;
  test::TempDir folder_;
  SystemClock clock_;
  StopFlag stop_;
  std::unique_ptr<Store> store_;
  std::unique_ptr<Ledger> ledger_;
  Layer layer_;
  LayerPlan plan_;
  std::optional<Context> context_;
  std::string lost_, fate_;
  std::map<std::string, std::map<std::string, Judgement>> earlier_;  ///< by host and check: from before an interruption
  std::map<std::string, int> together_;
};

TEST_F(Hosts, TheProcessorStandsInWhereItMay) {
  auto gemm = agent_check("gemm.bf16", "gpu>=4, lib.cublaslt");
  gemm.cpu = true;
  auto other = gemm;
  other.id = "needs.docker", other.needs = Requirement::parse("gpu>=4, docker.daemon").value();
  auto never = gemm;
  never.id = "gpu.only", never.cpu = false;
  for (auto& check : {gemm, other, never}) plan(check);
  context_->cpu = true;
  run({"a"});
  auto j = judged("gemm.bf16");
  EXPECT_EQ(j.verdict, Verdict::pass) << j.reason;
  EXPECT_EQ(j.origin, EvidenceOrigin::rehearsal) << "no evidence for a GPU, though the run is real";
  EXPECT_EQ(j.reason, "cpu: the processor stood in for the GPU");
  EXPECT_EQ(store_->observations("run", "layer", "gemm.bf16").value().at(0).device, "cpu");
  EXPECT_EQ(judged("gpu.only").verdict, Verdict::skip);
  EXPECT_NE(judged("needs.docker").verdict, Verdict::pass) << "more than a GPU is missing";
}

TEST_F(Hosts, WithoutBeingAskedNothingStandsIn) {
  auto gemm = agent_check("gemm.bf16", "gpu>=4");
  gemm.cpu = true;
  plan(gemm);
  run({"a"});
  EXPECT_EQ(judged("gemm.bf16").verdict, Verdict::skip);
}

TEST_F(Hosts, MetricsAreKeptAsSeries) {
  auto burn = agent_check("burn.power");
  std::get<AgentRun>(burn.how).args["metrics"] = Value::List{400, 500, 450};
  plan(burn);
  run({"a"});
  auto series = store_->series("run").value();
  ASSERT_EQ(series.size(), 1U);
  EXPECT_EQ(series[0].check + " " + series[0].host + " " + series[0].name + " " + series[0].unit + " " + series[0].device,
            "burn.power a power W GPU-1");
  EXPECT_EQ(series[0].count, 3U);
  EXPECT_EQ(series[0].mean, 450);
  EXPECT_EQ(series[0].points.size(), 3U);
}

TEST_F(Hosts, AfterAMissedSelfTestNoCheckerIsBelieved) {
  plan(agent_check(std::string(kSelfTest), "", R"({"value": 0})"));
  plan(agent_check("gemm.bf16"));
  auto program = agent_check("os.kernel");
  program.how = ProbeRun{"gpu"};
  program.values[0].expect = Expectation{Expectation::Op::equals, {"2"}, {}};
  plan(program);
  run({"a"});
  EXPECT_EQ(judged("env.selftest").verdict, Verdict::error);
  EXPECT_EQ(judged("env.selftest").cause, Cause::self_test);
  EXPECT_EQ(judged("env.selftest").reason, "a checker overlooked a fault that was put in: measured 0, required 1");
  EXPECT_EQ(judged("gemm.bf16").verdict, Verdict::blocked);
  EXPECT_EQ(judged("gemm.bf16").cause, Cause::self_test);
  EXPECT_EQ(judged("os.kernel").verdict, Verdict::pass) << "only what the agent's checkers say is in doubt";
}

/// Passes on a host that hears of the other one.
Check of_two_hosts() {
  auto together = agent_check("nccl.multinode");
  together.scope = Scope::group;
  together.values = {{"got",
                      ValueType::text,
                      "",
                      {Reader::From::result, Reader::By::whole, "got", false},
                      Expectation{Expectation::Op::matches, {"^of rank[01]$"}, {}},
                      ""}};
  return together;
}

TEST_F(Hosts, ATakenHostIsTheInfrastructuresDoingAndKnownAtOnce) {
  auto burn = agent_check("soak.burn");
  burn.detached = true;
  plan(burn);
  plan(agent_check("gpu.count"));
  test::write_file(home_ / "behaviour", "die");
  fate_ = "preempted by Compute Engine at 12:03:11Z";
  auto began = std::chrono::steady_clock::now();
  run({"a"});
  EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(10)) << "not two minutes";
  EXPECT_EQ(judged("soak.burn").verdict, Verdict::error);
  EXPECT_EQ(judged("soak.burn").cause, Cause::infrastructure);
  EXPECT_EQ(judged("soak.burn").reason, fate_);
  EXPECT_EQ(judged("gpu.count").verdict, Verdict::blocked);
  EXPECT_EQ(judged("gpu.count").reason, fate_);
}

TEST_F(Hosts, HostsDoAGroupCheckTogether) {
  plan(of_two_hosts());
  run({"a", "b"});
  for (auto host : {"a", "b"}) EXPECT_EQ(judged("nccl.multinode", host).verdict, Verdict::pass) << judged("nccl.multinode", host).reason;
  EXPECT_EQ(judged("nccl.multinode", "a").values.at(0).measured, "of rank1");
  EXPECT_EQ(judged("nccl.multinode", "b").values.at(0).measured, "of rank0");
}

TEST_F(Hosts, AGroupCheckThatOneHostLacksIsRepeatedByAll) {
  plan(of_two_hosts());
  auto& before = earlier_["a"]["nccl.multinode"];
  before.key.attempt = 3, before.verdict = Verdict::pass;
  together_["nccl.multinode"] = 4;
  run({"a", "b"});
  for (auto host : {"a", "b"}) {
    EXPECT_EQ(judged("nccl.multinode", host).verdict, Verdict::pass) << judged("nccl.multinode", host).reason;
    EXPECT_EQ(judged("nccl.multinode", host).key.attempt, 4) << "they meet under the attempt's number";
  }
}

TEST_F(Hosts, AGroupOfOneIsNone) {
  auto together = agent_check("nccl.multinode");
  together.scope = Scope::group;
  plan(together);
  run({"a"});
  EXPECT_EQ(judged("nccl.multinode").verdict, Verdict::skip);
  EXPECT_EQ(judged("nccl.multinode").capability, "hosts>=2");
}

TEST_F(Hosts, ALostHostLeavesTheGroup) {
  auto together = agent_check("nccl.multinode");
  together.scope = Scope::group;
  plan(together);
  lost_ = "b";
  run({"a", "b"});
  EXPECT_EQ(judged("nccl.multinode", "a").verdict, Verdict::blocked);
  EXPECT_EQ(judged("nccl.multinode", "a").reason, "no other host of the layer takes part");
  EXPECT_EQ(judged("nccl.multinode", "b").reason, "connection refused");
}

}  // namespace
}  // namespace vt
