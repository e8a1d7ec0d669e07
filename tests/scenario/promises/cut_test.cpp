// P18 and P7: a host that is taken away or cannot be reached any more is the infrastructure's doing: no verdict on what was tested, no
// second host, no leak. P20: only the host that was made is talked to.
#include <httplib.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <thread>

#include "promise.hpp"

using namespace vt::test;
using namespace std::chrono_literals;
using nlohmann::json;

namespace {

struct Cut {
  const char* name;
  const char* provider;
  const char* how;
  const char* said;
  const char* check = "p.long";
  friend std::ostream& operator<<(std::ostream& out, const Cut& c) { return out << c.name; }
};

class CutOff : public Promise, public testing::WithParamInterface<Cut> {
 protected:
  CutOff() : Promise("P18") {}
};

TEST_P(CutOff, IsNoVerdictOnWhatWasTested) {
  begin({"auto", "", 0});
  start({"run", plan_of({layer(GetParam().provider, 1, GetParam().check)})});
  ASSERT_TRUE(program->saw("-layer: execute")) << program->err();
  std::this_thread::sleep_for(300ms);
  ASSERT_EQ(clouds.end_all(GetParam().how), 1);
  auto ended = program->wait(40);
  EXPECT_EQ(ended.exit_code, 3) << ended.out << ended.err;
  auto report = json::parse(beside()->run({"report", "--format", "json"}).out, nullptr, false);
  ASSERT_TRUE(report.is_object());
  ASSERT_EQ(report["results"].size(), 1U);
  auto& result = report["results"][0];
  EXPECT_EQ(result["verdict"], "error") << result;
  EXPECT_EQ(result["cause"], "infrastructure") << result;
  EXPECT_TRUE(has(result.value("reason", ""), GetParam().said)) << result;
  count("judged_falsely", result["verdict"] == "pass" || result["verdict"] == "fail");
  expect_kept(1);
}

std::vector<Cut> cuts() {
  return {{"PreemptedGcp", "gcp", "preempt", "preempted"},
          {"VanishedGcp", "gcp", "vanish", "gone"},
          {"ExpiredGcp", "gcp", "expire", ""},
          {"PreemptedRunPod", "runpod", "preempt", "RunPod"},
          {"VanishedRunPod", "runpod", "vanish", "RunPod"},
          {"PreemptedDetachedGcp", "gcp", "preempt", "preempted", "p.detached"},
          {"VanishedDetachedRunPod", "runpod", "vanish", "RunPod", "p.detached"}};
}
INSTANTIATE_TEST_SUITE_P(When, CutOff, testing::ValuesIn(cuts()), [](auto& test) { return test.param.name; });

class Asleep : public Promise, public testing::WithParamInterface<std::string> {
 protected:
  Asleep() : Promise("P7") {}
};

/// A laptop that sleeps longer than the lease: the cloud ends the host meanwhile.
TEST_P(Asleep, CreatesNothingAfterItWakes) {
  begin({"auto", "", 0});
  auto pid = start({"run", plan_of({layer(GetParam(), 1, "p.long")})});
  ASSERT_TRUE(program->saw("-layer: execute")) << program->err();
  kill(pid, SIGSTOP);
  ASSERT_EQ(clouds.end_all("expire"), 1);
  ASSERT_TRUE(alive(0)) << clouds.things().dump(1);
  auto before = books().creates;
  kill(pid, SIGCONT);
  auto ended = program->wait(40);
  EXPECT_EQ(ended.exit_code, 3) << ended.out << ended.err;
  EXPECT_EQ(books().creates, before);
  count("creates_after_waking", books().creates - before);
  expect_kept(1);
}
INSTANTIATE_TEST_SUITE_P(At, Asleep, testing::Values("gcp", "runpod"), [](auto& test) { return test.param; });

#ifdef VT_FAILPOINTS

class OtherHost : public Promise {
 protected:
  OtherHost() : Promise("P20") {}

  /// As if another machine stood where ours was made: what it published is not the key that answers.
  void publish_other_key() {
    std::string id;
    for (auto& thing : clouds.things())
      if (thing["kind"] == "instance" && thing["foreign"] == false) id = thing["id"];
    httplib::Client client(clouds.address());
    httplib::Headers headers{{"Metadata-Flavor", "Google"}, {"X-Emulated-Instance", id}};
    auto reply = client.Put("/computeMetadata/v1/instance/guest-attributes/hostkeys/ssh-ed25519", headers, kOtherKey, "text/plain");
    ASSERT_TRUE(reply && reply->status == 200) << (reply ? reply->body : "no answer");
    host_ = id;
  }
  std::string host_log() {
    httplib::Client client(clouds.address());
    auto reply = client.Get("/emulator/log?id=" + host_);
    return reply ? reply->body : "";
  }

  static constexpr const char* kOtherKey = "AAAAC3NzaC1lZDI1NTE5AAAAIAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE";
  std::string host_;
};

TEST_F(OtherHost, GetsNoByteOfAuthentication) {
  begin({"process", "", 0});  // their log is that of the SSH server
  program->environment["VAULT_TEST_FAILPOINT"] = "gcp.host_key=sleep:4000";
  start({"run", plan_of({layer("gcp", 1)})});
  ASSERT_TRUE(alive(1));
  std::this_thread::sleep_for(3s);  // its own agent has published by then
  publish_other_key();
  std::string log;
  auto until = std::chrono::steady_clock::now() + 20s;
  for (; books().alive > 0 && std::chrono::steady_clock::now() < until; std::this_thread::sleep_for(20ms))
    if (auto now = host_log(); !now.empty()) log = now;
  auto ended = program->wait(30);
  EXPECT_EQ(ended.exit_code, 3) << ended.out << ended.err;
  auto said = ended.out + ended.err;
  auto first = said.find("SHA256:");
  EXPECT_TRUE(first != std::string::npos && said.find("SHA256:", first + 1) != std::string::npos) << "not both fingerprints: " << said;
  for (auto sign : {"Accepted", "Failed", "Postponed", "authenticating", "user"})
    EXPECT_FALSE(has(log, sign)) << "authentication had begun: " << log;
  count("authentications", has(log, "ccepted"));
  expect_kept(1);
}

#endif

}  // namespace
