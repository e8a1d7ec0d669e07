#include <gtest/gtest.h>

#include <array>

#include "tests/support/fake_gpus.hpp"
#include "tests/unit/agent/agent_client.hpp"

using nlohmann::json;
using vt::test::Agent;
using vt::test::FakeGpus;
using vt::test::Folder;

namespace {

/// A host of a group, with its own agent and one GPU.
struct Host {
  FakeGpus gpus{1};
  Folder folder;
  std::unique_ptr<Agent> agent;
  json result;

  void start(const std::string& name, const json& args, int rank) {
    agent = std::make_unique<Agent>(folder, vt::test::AgentOptions{gpus.environment(), 0});
    auto job = vt::test::check("check", name, args);
    job["group"] = "g", job["rank"] = rank, job["world"] = 2, job["deadline_ms"] = 20'000;
    agent->send(job);
  }
  /// Takes one frame, and carries what is published to the other host, as vault-test does.
  void step(Host& other) {
    auto frame = agent->next(10);
    if (frame.is_null()) return;
    if (frame["t"] == "publish")
      other.agent->send({{"t", "deliver"}, {"group", frame["group"]}, {"key", frame["key"]}, {"data", frame["data"]}});
    if (frame["t"] == "result") result = frame;
  }
};

void run_together(std::array<Host, 2>& hosts, const json& args) {
  for (int rank : {0, 1}) hosts.at(static_cast<std::size_t>(rank)).start("nccl.collective", args, rank);
  for (auto end = vt::test::now_ms() + 25'000; vt::test::now_ms() < end && (hosts[0].result.is_null() || hosts[1].result.is_null());)
    hosts[0].step(hosts[1]), hosts[1].step(hosts[0]);
}

}  // namespace

TEST(NcclHosts, GpusOfTwoHostsAreOneWorld) {
  std::array<Host, 2> hosts;
  run_together(hosts, {{"operation", "all_gather"}, {"mib", {0.05}}, {"warmup", 0}, {"iterations", 1}});
  for (auto& host : hosts) {
    ASSERT_FALSE(host.result.is_null());
    auto& values = host.result["values"];
    EXPECT_EQ(values["ranks"], json({2})) << host.result;
    EXPECT_EQ(values["wrong"], json({0}));
    EXPECT_EQ(values["health"], json({"ok"}));
  }
}

TEST(NcclHosts, AHangIsTheOtherHosts) {
  std::array<Host, 2> hosts;
  hosts[1].gpus.fault({{"kind", "nccl-hang"}, {"gpu", 1}, {"where", "all_reduce"}});
  run_together(hosts, {{"operation", "all_reduce"}, {"mib", {0.05}}, {"patience", 0.5}});
  ASSERT_FALSE(hosts[0].result.is_null() || hosts[1].result.is_null());
  EXPECT_EQ(hosts[0].result["values"]["health"], json({"ok"})) << hosts[0].result;
  EXPECT_NE(hosts[0].result["error"], "");  // it waited in vain, or saw the other one abort first
  EXPECT_EQ(hosts[1].result["values"]["health"], json({"hung in all_reduce 51.2 KiB: calling"}));
}
