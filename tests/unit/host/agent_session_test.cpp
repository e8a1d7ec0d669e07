#include "orchestrator/host/agent_session.hpp"

#include <gtest/gtest.h>

#include <thread>

#include "orchestrator/host/broker.hpp"
#include "orchestrator/host/local_transport.hpp"
#include "tests/support/sshd.hpp"
#include "tests/support/tcp_proxy.hpp"
#include "tests/unit/host/home.hpp"

namespace vt {
namespace {

using namespace std::chrono_literals;
using test::Sshd;

Deadline soon(Duration d = 20s) { return Deadline::after(d); }

protocol::Job job_of(int steps, int every_ms, bool detach, const std::string& id = "run/layer/check#1") {
  protocol::Job job;
  job.id = id, job.kind = "agent", job.name = "steps", job.detach = detach;
  job.args = "{\"steps\":" + std::to_string(steps) + ",\"every_ms\":" + std::to_string(every_ms) + "}";
  return job;
}

/// Counts the progress frames and that they come in order.
struct Heard {
  std::vector<int> steps;
  std::function<void()> at_third = [] {};
  JobListener listener;
  Heard() {
    listener.progress = [this](auto& text, double) {
      steps.push_back(std::stoi(text));
      if (steps.size() == 3) at_third();
    };
  }
  void expect_all(int count) const {
    ASSERT_EQ(steps.size(), static_cast<std::size_t>(count));
    for (int i = 0; i < count; ++i) EXPECT_EQ(steps[static_cast<std::size_t>(i)], i);
  }
};

class Session : public testing::Test {
 protected:
  Session() : agent_(test::fake_agent(folder_)) {}
  std::unique_ptr<AgentSession> start(int heartbeat_ms = protocol::kHeartbeatMs) {
    auto session = try_start(heartbeat_ms);
    EXPECT_TRUE(session) << session.error().what;
    return session ? std::move(session).take() : nullptr;
  }
  Result<std::unique_ptr<AgentSession>> try_start(int heartbeat_ms = protocol::kHeartbeatMs) {
    auto connector = [this](Deadline) -> Result<std::unique_ptr<Transport>> {
      ++connections_;
      return make_local_transport();
    };
    return AgentSession::start(connector, agent_, "run", soon(), heartbeat_ms);
  }
  void behave(const std::string& words) { test::write_file(home_ / "behaviour", words); }

  test::Home home_;
  test::TempDir folder_;
  AgentBinaries agent_;
  int connections_ = 0;
};

TEST_F(Session, GreetsProbesAndClaims) {
  auto session = start();
  EXPECT_EQ(session->hello().build, "fake");
  EXPECT_EQ(session->hello().protocol, 1);
  EXPECT_EQ(session->hello().dir, home_.path());
  EXPECT_GT(session->uploaded_bytes(), 0U);
  auto facts = session->probe(soon());
  ASSERT_TRUE(facts) << facts.error().what;
  EXPECT_EQ(*facts->find("host.root"), (Fact{"host.root", Value(true), "uid 0", FactOrigin::probed, FactScope::login}));
  EXPECT_EQ(*facts->find("gpu"), (Fact{"gpu", Value(2), "lspci", FactOrigin::probed, FactScope::host}));
  EXPECT_EQ(facts->find("caps.effective")->value->text(), "a, b");
  EXPECT_FALSE(facts->find("dmesg.read")->value);
  auto claim = session->claim("run/layer", true, soon());
  ASSERT_TRUE(claim);
  EXPECT_TRUE(claim->ok);
  EXPECT_EQ(start()->uploaded_bytes(), 0U);
}

TEST_F(Session, AClaimHeldByAnotherNamesTheHolder) {
  test::write_file(home_ / "holder", "other/layer");
  auto claim = start()->claim("run/layer", true, soon());
  ASSERT_TRUE(claim);
  EXPECT_FALSE(claim->ok);
  EXPECT_EQ(claim->holder, "other/layer");
}

TEST_F(Session, RunsAJobToItsResult) {
  Heard heard;
  auto result = start()->run(job_of(5, 1, false), heard.listener);
  ASSERT_TRUE(result) << result.error().what;
  EXPECT_EQ(result->values, "{\"done\":1}");
  EXPECT_EQ(result->exit_code, 0);
  heard.expect_all(5);
}

TEST_F(Session, RepeatedFramesAreHeardOnce) {
  behave("twice");
  Heard heard;
  ASSERT_TRUE(start()->run(job_of(5, 1, false), heard.listener));
  heard.expect_all(5);
}

TEST_F(Session, AMissingFrameIsAnErrorOfAnAttachedJob) {
  behave("gap");
  auto result = start()->run(job_of(5, 1, false), {});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().what, "agent: frame 3 of run/layer/check#1 is missing");
}

TEST_F(Session, AMissingFrameIsFetchedAgainForADetachedJob) {
  behave("gap");
  Heard heard;
  auto session = start();
  std::thread mend([this] {
    std::this_thread::sleep_for(50ms);
    behave("");
  });
  auto result = session->run(job_of(5, 1, true), heard.listener);
  mend.join();
  ASSERT_TRUE(result) << result.error().what;
  heard.expect_all(5);
}

TEST_F(Session, AnAgentOfAnotherVersionIsRefused) {
  behave("protocol2");
  auto session = try_start();
  ASSERT_FALSE(session);
  EXPECT_EQ(session.error().code, Errc::refused);
  EXPECT_EQ(session.error().what, "agent speaks protocol 2, this needs 1");
}

TEST_F(Session, ASilentAgentIsLostAfterThreeHeartbeats) {
  behave("mute");
  auto session = start(60);
  auto begin = std::chrono::steady_clock::now();
  auto result = session->run(job_of(1, 1, false), {});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, Errc::transport);
  EXPECT_EQ(result.error().what, "agent: nothing heard for 180 ms (3 heartbeats); it is frozen or cut off");
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 1s);
}

TEST_F(Session, HeartbeatsKeepAQuietJobAlive) {
  auto result = start(60)->run(job_of(1, 600, false), {});
  EXPECT_TRUE(result) << result.error().what;
}

TEST_F(Session, AnOverlongLineIsAnErrorAndNotAttachedAgain) {
  behave("longline");
  auto result = start()->run(job_of(1, 1, true), {});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().what, "agent: it sent a line of more than 1048576 bytes");
  EXPECT_EQ(connections_, 1);
}

TEST_F(Session, WhatIsNotAFrameIsAnError) {
  behave("garbage");
  auto result = start()->run(job_of(1, 1, false), {});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().what, "agent: it sent something that is not a frame: \"hello?\"");
}

TEST_F(Session, AnAgentThatDiesIsQuotedAndTheNextJobGetsANewOne) {
  behave("die");
  auto session = start();
  auto result = session->run(job_of(1, 1, false), {});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, Errc::transport);
  EXPECT_EQ(result.error().what, "agent: ended unexpectedly (exit 3): out of cheese");
  behave("");
  EXPECT_TRUE(session->run(job_of(1, 1, false), {}));
  EXPECT_EQ(connections_, 2);
}

TEST_F(Session, ReattachingGivesUpAfterItsTime) {
  behave("die");
  auto session = start();
  auto begin = std::chrono::steady_clock::now();
  auto result = session->run(job_of(1, 1, true), {}, false, 500ms);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, Errc::transport);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 5s);
  EXPECT_GE(connections_, 2);
}

TEST_F(Session, AHostThatIsKnownToBeGoneIsNotSoughtAnyLonger) {
  behave("die");
  auto session = start();
  int asked = 0;
  session->ask_when_lost([&] { return ++asked, "preempted at 12:03:11Z"; });
  auto begin = std::chrono::steady_clock::now();
  auto result = session->run(job_of(1, 1, true), {});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, Errc::lost);
  EXPECT_EQ(result.error().what, "preempted at 12:03:11Z");
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 5s) << "not the two minutes of reattaching";
  EXPECT_EQ(asked, 1);
  EXPECT_EQ(connections_, 1);
}

TEST_F(Session, WhetherAHostIsGoneIsNotAskedAtEveryAttempt) {
  behave("die");
  auto session = start();
  int asked = 0;
  session->ask_when_lost([&] { return ++asked, ""; });
  auto result = session->run(job_of(1, 1, true), {}, false, 800ms);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, Errc::transport);
  EXPECT_GE(connections_, 3);
  EXPECT_EQ(asked, 1);
}

TEST_F(Session, AttachesToAJobOfAnEarlierSessionOrSaysThereIsNone) {
  auto none = start()->run(job_of(1, 1, true), {}, true);
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, Errc::not_found);
  ASSERT_TRUE(start()->run(job_of(4, 1, true), {}));
  Heard heard;
  auto session = start();
  auto result = session->run(job_of(4, 1, true), heard.listener, true);
  ASSERT_TRUE(result) << result.error().what;
  heard.expect_all(4);
  ASSERT_TRUE(session->forget("run/layer/check#1"));
  auto gone = session->run(job_of(4, 1, true), {}, true);
  ASSERT_FALSE(gone);
  EXPECT_EQ(gone.error().code, Errc::not_found);
}

TEST_F(Session, CancelWakesARunningJobAndTellsTheAgent) {
  auto session = start();
  Heard heard;
  std::thread canceller;
  heard.at_third = [&] { canceller = std::thread([&] { session->cancel(); }); };
  auto begin = std::chrono::steady_clock::now();
  auto result = session->run(job_of(1000, 10, false), heard.listener);
  canceller.join();
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, Errc::cancelled);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 2s);
  EXPECT_EQ(test::read_file(home_ / "cancelled"), "run/layer/check#1\n");
  auto next = session->run(job_of(1, 1, false), {});
  ASSERT_FALSE(next);
  EXPECT_EQ(next.error().code, Errc::cancelled);
}

TEST_F(Session, TwoRanksExchangeValuesThroughTheBroker) {
  auto broker = std::make_shared<Broker>();
  auto first = start(), second = start();
  first->join_groups(broker), second->join_groups(broker);
  auto rank = [&](AgentSession& session, int number) {
    auto job = job_of(0, 0, false, "run/layer/group#" + std::to_string(number));
    job.group = "g", job.rank = number, job.world = 2;
    return session.run(job, {});
  };
  Result<protocol::JobResult> zero = fail(Errc::internal, "not run");
  std::thread other([&] { zero = rank(*first, 0); });
  auto one = rank(*second, 1);
  other.join();
  ASSERT_TRUE(zero && one);
  EXPECT_EQ(zero->values, "{\"got\":\"of rank1\"}");
  EXPECT_EQ(one->values, "{\"got\":\"of rank0\"}");
}

/// Over a real SSH server and a network that breaks.
class SessionOverSsh : public Session {
 protected:
  void SetUp() override {
    auto sshd = Sshd::start();
    if (!sshd) GTEST_SKIP() << sshd.error().what;
    sshd_ = std::move(sshd).take();
    proxy_ = std::make_unique<test::TcpProxy>(sshd_->port());
  }
  std::unique_ptr<AgentSession> start_ssh(int heartbeat_ms) {
    auto connector = [this](Deadline d) { return connect(Host{"h", 0, sshd_->access(proxy_->port())}, d); };
    auto session = AgentSession::start(connector, agent_, "run", soon(), heartbeat_ms);
    EXPECT_TRUE(session) << session.error().what;
    return session ? std::move(session).take() : nullptr;
  }
  [[nodiscard]] std::string effects() const { return test::read_file(sshd_->home() + "/effects"); }
  std::unique_ptr<Sshd> sshd_;
  std::unique_ptr<test::TcpProxy> proxy_;
};

TEST_F(SessionOverSsh, ADetachedJobIsAttachedAgainWithoutLoss) {
  auto session = start_ssh(1000);
  ASSERT_TRUE(session->claim("run/layer", true, soon()));
  Heard heard;
  heard.at_third = [this] { proxy_->cut(); };
  auto result = session->run(job_of(60, 20, true), heard.listener);
  ASSERT_TRUE(result) << result.error().what;
  heard.expect_all(60);
  EXPECT_EQ(effects(), "run/layer/check#1\n");  // it ran once
  EXPECT_GE(proxy_->connections(), 2);
  EXPECT_EQ(test::read_file(sshd_->home() + "/claims"), "\"run/layer\"\n\"run/layer\"\n");  // taken again with the new agent
}

TEST_F(SessionOverSsh, AFrozenNetworkIsNoticedByTheMissingHeartbeats) {
  auto session = start_ssh(100);
  Heard heard;
  std::thread thaw;
  heard.at_third = [&] {
    proxy_->freeze(true);
    thaw = std::thread([&] {
      std::this_thread::sleep_for(600ms);
      proxy_->freeze(false);
    });
  };
  auto result = session->run(job_of(60, 20, true), heard.listener);
  thaw.join();
  ASSERT_TRUE(result) << result.error().what;
  heard.expect_all(60);
  EXPECT_EQ(effects(), "run/layer/check#1\n");
}

TEST_F(SessionOverSsh, AnAttachedJobIsAnErrorWhenTheConnectionIsCut) {
  auto session = start_ssh(1000);
  Heard heard;
  heard.at_third = [this] { proxy_->cut(); };
  auto result = session->run(job_of(1000, 10, false), heard.listener);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, Errc::transport);
}

TEST_F(SessionOverSsh, CancelInterruptsTheAttemptsToReattach) {
  auto session = start_ssh(1000);
  Heard heard;
  std::thread canceller;
  heard.at_third = [&] {
    proxy_->refuse(true), proxy_->cut();
    canceller = std::thread([&] {
      std::this_thread::sleep_for(300ms);
      session->cancel();
    });
  };
  auto begin = std::chrono::steady_clock::now();
  auto result = session->run(job_of(1000, 10, true), heard.listener);
  canceller.join();
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, Errc::cancelled) << result.error().what;
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 5s);
}

}  // namespace
}  // namespace vt
