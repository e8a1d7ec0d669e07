// When a pod counts as ready: against a scripted API and a real SSH server.
#include <gtest/gtest.h>

#include <filesystem>

#include "orchestrator/host/transport.hpp"
#include "tests/support/sshd.hpp"
#include "tests/unit/runpod/fake_api.hpp"

namespace vt {
namespace {

using namespace std::chrono_literals;
using test::http_reply;
using test::json;
using test::lost;
using test::pod_json;
using test::problem;
using test::Scene;
using test::write_file;

constexpr auto kPod = "GET pods/pod1";

class RunPodReady : public testing::Test, protected Scene {
 protected:
  RunPodReady() {
    context.clock = &real_;
    keep_key("SHA256:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA");
  }
  void keep_key(const std::string& fingerprint, const std::string& identity = "/nonexistent") {
    std::filesystem::create_directories(folder / "keys");
    auto path = folder / ("keys/" + resource.owner.name);
    write_file(path, test::read_file(identity));
    write_file(path + ".host", fingerprint + "\nmark\n");
  }
  Result<Allocation> wait(std::deque<HttpResult> replies, Duration patience = 150ms) {
    made_ = provider();
    api->script[kPod] = std::move(replies);
    return made_->wait_ready(layer, resource, Deadline::after(patience));
  }
  static json at(const std::string& host, int port) {
    auto pod = pod_json("pod1");
    pod["ssh"]["direct"] = {{"host", host}, {"port", port}, {"username", "root"}};
    return pod;
  }
  SystemClock real_;
  std::unique_ptr<Provider> made_;
};

TEST_F(RunPodReady, APodThatEndedIsLost) {
  for (auto status : {"EXITED", "ERROR", "TERMINATED"}) {
    auto ready = wait({http_reply(200, pod_json("pod1", "STARTING")), http_reply(200, pod_json("pod1", status))}, 5s);
    ASSERT_FALSE(ready);
    EXPECT_EQ(ready.error().code, Errc::lost);
    EXPECT_EQ(ready.error().what, std::string("RunPod shows the pod as ") + status);
  }
}

TEST_F(RunPodReady, APodThatVanishesIsLostButOneThatIsNotThereYetIsNot) {
  auto vanished = wait({problem(404, "x"), http_reply(200, pod_json("pod1")), problem(404, "x")}, 5s);
  ASSERT_FALSE(vanished);
  EXPECT_EQ(vanished.error().code, Errc::lost);
  EXPECT_EQ(vanished.error().what, "RunPod does not know the pod any more");
  EXPECT_EQ(api->times(kPod), 3);
  auto never = wait({problem(404, "pod not found")});
  ASSERT_FALSE(never);
  EXPECT_EQ(never.error().code, Errc::timeout);
  EXPECT_EQ(never.error().what, "the pod did not become ready in time: HTTP status 404: pod not found");
  EXPECT_GT(api->times(kPod), 3);
}

TEST_F(RunPodReady, WithoutAPublicPortItIsGivenUpAtTheDeadline) {
  auto ready = wait({http_reply(200, pod_json("pod1", "PROVISIONING")), http_reply(200, pod_json("pod1"))});
  ASSERT_FALSE(ready);
  EXPECT_EQ(ready.error().code, Errc::timeout);
  EXPECT_EQ(ready.error().what, "the pod did not become ready in time: RunPod gave it no public port for SSH (it is RUNNING)");
}

TEST_F(RunPodReady, AHostOfTheWrongKindIsGivenUpAtOnce) {
  layer.options["min-cuda"] = {"12.8"};
  auto old = pod_json("pod1", "STARTING"), none = pod_json("pod1"), blind = at("127.0.0.1", 1);
  old["cudaVersion"] = "12.6", none["gpu"]["count"] = 0, blind["runtime"]["gpus"] = json::array();
  for (auto& [pod, what] :
       std::vector<std::pair<json, std::string>>{{old, "wrong driver: the pod's host offers CUDA 12.6, the plan needs 12.8"},
                                                 {none, "no GPU: RunPod made the pod without one"},
                                                 {blind, "no GPU: the pod's host shows none"}}) {
    auto ready = wait({http_reply(200, pod)}, 5s);
    ASSERT_FALSE(ready);
    EXPECT_EQ(ready.error().code, Errc::timeout);
    EXPECT_EQ(ready.error().what, what);
    EXPECT_EQ(api->times(kPod), 1);
  }
  auto newer = pod_json("pod1");
  newer["cudaVersion"] = "12.11";
  EXPECT_NE(wait({http_reply(200, newer)}).error().what.find("no public port"), std::string::npos) << "numbers, not decimals";
  newer["cudaVersion"] = nullptr;
  EXPECT_NE(wait({http_reply(200, newer)}).error().what.find("no public port"), std::string::npos) << "unknown is no reason";
}

TEST_F(RunPodReady, APodThatCostsMoreThanItsPriceIsGivenBack) {
  resource.hourly = Money{400'000};
  auto pod = pod_json("pod1", "STARTING");
  pod["cost"] = 0.481;
  auto ready = wait({http_reply(200, pod)}, 5s);
  ASSERT_FALSE(ready);
  EXPECT_EQ(ready.error().code, Errc::timeout);
  EXPECT_EQ(ready.error().what, "RunPod bills $0.49 an hour, $0.40 was the price");
  EXPECT_EQ(api->times(kPod), 1);
  pod["cost"] = 0.48;
  EXPECT_NE(wait({http_reply(200, pod)}).error().what.find("no public port"), std::string::npos) << "a fifth above is let pass";
}

TEST_F(RunPodReady, LostRepliesAreAskedAgainButARefusalIsNot) {
  auto ready =
      wait({lost(true), problem(502, "x"), problem(429, "x"), http_reply(200, "{"), http_reply(200, pod_json("pod1", "ERROR"))}, 5s);
  EXPECT_EQ(ready.error().code, Errc::lost);
  EXPECT_EQ(api->times(kPod), 5);
  EXPECT_EQ(wait({problem(401, "who")}, 5s).error().code, Errc::auth);
  EXPECT_EQ(api->times(kPod), 1);
}

TEST_F(RunPodReady, ARehearsalEntersNoForeignHost) {
  auto ready = wait({http_reply(200, at("192.0.2.7", 22))}, 5s);
  ASSERT_FALSE(ready);
  EXPECT_EQ(ready.error().code, Errc::refused);
}

TEST_F(RunPodReady, WithoutItsKeysAPodCannotBeEntered) {
  resource.owner.name = "vt-aaaaaaaa-cccccccccccccccc";
  auto ready = wait({http_reply(200, pod_json("pod1"))});
  ASSERT_FALSE(ready);
  EXPECT_EQ(ready.error().code, Errc::not_found);
}

class RunPodLogin : public RunPodReady {
 protected:
  void SetUp() override {
    auto started = test::Sshd::start({{"SetEnv VT_DIR=" + folder.path()}});
    if (!started) GTEST_SKIP() << started.error().what;
    sshd_ = std::move(started).take();
    if (sshd_->access().user != "root") GTEST_SKIP() << "pods are entered as root";
    keep_key(sshd_->host_key(), sshd_->client_key());
  }
  std::unique_ptr<test::Sshd> sshd_;
};

TEST_F(RunPodLogin, ALoginWithAProofIsReady) {
  write_file(folder / "lease-proof", "proved 2026-11-20T08:30:00Z\n");
  auto ready = wait({http_reply(200, pod_json("pod1", "STARTING")), http_reply(200, at("127.0.0.1", sshd_->port()))}, 20s);
  ASSERT_TRUE(ready) << ready.error().what;
  ASSERT_EQ(ready->hosts.size(), 1U);
  auto& host = ready->hosts[0];
  EXPECT_EQ(host.resource, resource.owner.name);
  EXPECT_EQ(host.access.host_key, sshd_->host_key());
  EXPECT_EQ(host.access.identity, folder / ("keys/" + resource.owner.name));
  EXPECT_TRUE(connect(host, Deadline::after(10s)));
  EXPECT_TRUE(std::filesystem::exists(folder / "contact")) << "the watchdog is told that somebody came";
}

TEST_F(RunPodLogin, ThePortIsReadAgainAtEveryLook) {
  write_file(folder / "lease-proof", "proved now\n");
  auto ready = wait({http_reply(200, at("127.0.0.1", 1)), http_reply(200, at("127.0.0.1", sshd_->port()))}, 20s);
  EXPECT_TRUE(ready) << ready.error().what;
}

TEST_F(RunPodLogin, AnotherHostKeyIsNeverEntered) {
  keep_key("SHA256:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", sshd_->client_key());
  auto ready = wait({http_reply(200, at("127.0.0.1", sshd_->port()))}, 1500ms);
  ASSERT_FALSE(ready);
  EXPECT_EQ(ready.error().code, Errc::timeout);
  EXPECT_NE(ready.error().what.find("host key"), std::string::npos) << ready.error().what;
  EXPECT_EQ(sshd_->log().find("Accepted"), std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(folder / "contact"));
}

TEST_F(RunPodLogin, APodThatCannotEndItselfIsGivenBackUnlessThePlanTakesIt) {
  write_file(folder / "lease-proof", "failed: its key gets HTTP status 403\n");
  auto ready = wait({http_reply(200, at("127.0.0.1", sshd_->port()))}, 20s);
  ASSERT_FALSE(ready);
  EXPECT_EQ(ready.error().code, Errc::timeout) << "another machine may do";
  EXPECT_NE(ready.error().what.find("(its watchdog says: failed: its key gets HTTP status 403)"), std::string::npos) << ready.error().what;
  layer.options["accept-weak-lease"] = {"true"};
  EXPECT_TRUE(wait({http_reply(200, at("127.0.0.1", sshd_->port()))}, 20s));
}

}  // namespace
}  // namespace vt
