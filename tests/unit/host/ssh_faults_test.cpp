// Connections that freeze or break: an error within the deadline, and never something that looks like success.
#include <gtest/gtest.h>
#include <signal.h>

#include "orchestrator/host/transport.hpp"
#include "tests/support/sshd.hpp"
#include "tests/support/tcp_proxy.hpp"

namespace vt {
namespace {

using namespace std::chrono_literals;
using test::Sshd;
using test::TcpProxy;

Deadline in(Duration d) { return Deadline::after(d); }

class SshFaults : public testing::Test {
 protected:
  void SetUp() override {
    auto sshd = Sshd::start();
    if (!sshd) GTEST_SKIP() << sshd.error().what;
    sshd_ = std::move(sshd).take();
    proxy_ = std::make_unique<TcpProxy>(sshd_->port());
  }
  std::unique_ptr<Transport> transport() {
    auto connected = connect(Host{"h", 0, sshd_->access(proxy_->port())}, in(10s));
    EXPECT_TRUE(connected) << connected.error().what;
    return connected ? std::move(connected).take() : nullptr;
  }
  void signal_sessions(int number) {
    for (auto pid : sshd_->sessions()) kill(pid, number);
  }

  std::unique_ptr<Sshd> sshd_;
  std::unique_ptr<TcpProxy> proxy_;
};

TEST_F(SshFaults, AFrozenHostIsATimeoutAndNotAnEnd) {
  auto ssh = transport();
  auto stream = ssh->open("echo ready; cat", in(10s));
  ASSERT_TRUE(stream);
  ASSERT_EQ((*stream)->read(in(10s))->bytes, "ready\n");
  signal_sessions(SIGSTOP);
  auto begin = std::chrono::steady_clock::now();
  auto chunk = (*stream)->read(in(300ms));
  ASSERT_TRUE(chunk) << chunk.error().what;
  EXPECT_FALSE(chunk->end);
  EXPECT_TRUE(chunk->bytes.empty());
  auto status = (*stream)->exit_status(in(100ms));
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, Errc::timeout);
  auto written = (*stream)->write(std::string(30'000'000, 'x'), in(300ms));
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().code, Errc::timeout);
  auto opened = ssh->open("true", in(300ms));
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code, Errc::timeout);
  stream->reset(), ssh.reset();
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 3s);  // four deadlines, and closing is bounded
  signal_sessions(SIGCONT);
}

TEST_F(SshFaults, ExecOnAFrozenHostIsATimeout) {
  auto ssh = transport();
  signal_sessions(SIGSTOP);
  auto begin = std::chrono::steady_clock::now();
  auto result = exec(*ssh, "true", "", in(500ms));
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, Errc::timeout);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 1500ms);
  auto again = exec(*ssh, "true", "", in(500ms));  // the connection was given up
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().code, Errc::transport) << again.error().what;
}

TEST_F(SshFaults, AFrozenNetworkIsATimeout) {
  auto ssh = transport();
  proxy_->freeze(true);
  auto result = exec(*ssh, "true", "", in(300ms));
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, Errc::timeout);
}

TEST_F(SshFaults, ACutConnectionIsATransportErrorAtOnce) {
  auto ssh = transport();
  auto stream = ssh->open("echo ready; sleep 60", in(10s));
  ASSERT_EQ((*stream)->read(in(10s))->bytes, "ready\n");
  proxy_->cut();
  auto begin = std::chrono::steady_clock::now();
  auto chunk = (*stream)->read(in(10s));
  ASSERT_FALSE(chunk);
  EXPECT_EQ(chunk.error().code, Errc::transport);
  EXPECT_FALSE((*stream)->exit_status(in(1s)));
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 1s);
}

/// One whole life: connect, run, read the result. What a cut anywhere in it must never yield is success.
Result<ExecResult> whole_life(const HostSpec& access) {
  VT_TRY(auto ssh, connect(Host{"h", 0, access}, in(3s)));
  return exec(*ssh, "head -c 20000 /dev/zero", std::string(5000, 'i'), in(3s));
}

TEST_F(SshFaults, CutAfterAnyNumberOfBytesIsNeverASuccess) {
  auto access = sshd_->access(proxy_->port());
  auto whole = whole_life(access);
  ASSERT_TRUE(whole) << whole.error().what;
  auto total = proxy_->to_client();
  ASSERT_GT(total, 20'000);
  // Every byte of the greeting's length field would take minutes; these hit all phases and the packets' edges.
  std::vector<std::int64_t> cuts{0, 1, 20, 40, 41, 100};
  for (std::int64_t n = 200; n < total; n += total / 40) cuts.push_back(n);
  for (auto cut : cuts) {
    proxy_->cut_after(cut);
    auto begin = std::chrono::steady_clock::now();
    auto result = whole_life(access);
    EXPECT_LT(std::chrono::steady_clock::now() - begin, 4s) << "cut after " << cut;
    if (!result) continue;
    // Only what follows the exit status may be missing.
    EXPECT_EQ(result->out.size(), 20'000U) << "cut after " << cut;
    EXPECT_GT(cut, total - 200) << "cut after " << cut;
  }
}

}  // namespace
}  // namespace vt
