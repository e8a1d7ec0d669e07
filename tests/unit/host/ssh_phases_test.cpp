// Which phase a connection failed in, and that nothing of the login is sent to a server with the wrong key.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <thread>

#include "orchestrator/host/transport.hpp"
#include "tests/support/sshd.hpp"
#include "tests/support/tcp_proxy.hpp"
#include "tests/unit/host/sockets.hpp"

namespace vt {
namespace {

using namespace std::chrono_literals;
using test::Listener;
using test::Sshd;
using test::TempDir;

Deadline in(Duration d) { return Deadline::after(d); }

Error error_of(const HostSpec& access, Duration time = 10s) {
  auto transport = connect(Host{"h", 0, access}, in(time));
  return transport ? Error{Errc::internal, "connected"} : transport.error();
}

class SshPhases : public testing::Test {
 protected:
  void start(const test::SshdOptions& options = {}) {
    auto sshd = Sshd::start(options);
    if (!sshd) GTEST_SKIP() << sshd.error().what;
    sshd_ = std::move(sshd).take();
    access_ = sshd_->access();
  }
  void SetUp() override { start(); }
  /// Attempts to log in that the server has seen.
  [[nodiscard]] bool server_saw_a_login() const {
    auto log = sshd_->log();
    return log.find("Failed ") != std::string::npos || log.find("Accepted ") != std::string::npos ||
           log.find("Postponed") != std::string::npos || log.find("userauth") != std::string::npos;
  }
  std::unique_ptr<Sshd> sshd_;
  HostSpec access_;
  TempDir folder_;
};

#define EXPECT_PHASE(error, errc, start)                    \
  do {                                                      \
    auto seen = (error);                                    \
    EXPECT_EQ(seen.code, errc) << seen.what;                \
    EXPECT_TRUE(seen.what.starts_with(start)) << seen.what; \
  } while (false)

TEST_F(SshPhases, Name) {
  access_.address = "no-such-host.invalid";
  auto error = error_of(access_);
  EXPECT_TRUE(error.what.starts_with("name: ")) << error.what;
  access_.address = "-oProxyCommand=x";
  EXPECT_PHASE(error_of(access_), Errc::config, "name: '-oProxyCommand=x' is not");
  access_.address = "127.0.0.1", access_.user = "a;b";
  EXPECT_PHASE(error_of(access_), Errc::config, "name: 'a;b' is not a user name");
}

TEST_F(SshPhases, BannerThenSilenceEndsAtTheDeadline) {
  Listener listener;
  std::thread server([&] {
    auto client = listener.accept_one();
    test::send_text(client, "SSH-2.0-OpenSSH_9.9\r\n");
    char byte;
    while (recv(client.get(), &byte, 1, 0) > 0) {}
  });
  access_.port = listener.port();
  auto begin = std::chrono::steady_clock::now();
  EXPECT_PHASE(error_of(access_, 300ms), Errc::timeout, "host key: key exchange with 127.0.0.1 did not finish in time");
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 1300ms);
  server.join();
}

TEST_F(SshPhases, AWrongHostKeyIsRefusedBeforeAnyLogin) {
  access_.host_key = "SHA256:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";
  EXPECT_PHASE(error_of(access_), Errc::host_key,
               "host key: expected SHA256:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA, got " + sshd_->host_key());
  EXPECT_FALSE(server_saw_a_login()) << sshd_->log();
}

TEST_F(SshPhases, WithoutAPinnedKeyNothingIsEvenConnected) {
  test::TcpProxy counter(sshd_->port());
  access_ = sshd_->access(counter.port());
  access_.host_key.clear();
  EXPECT_PHASE(error_of(access_), Errc::host_key, "host key: none pinned; ");
  EXPECT_EQ(counter.connections(), 0);
}

TEST_F(SshPhases, KnownHostsFile) {
  access_.host_key.clear();
  access_.known_hosts = folder_ / "known_hosts";
  EXPECT_PHASE(error_of(access_), Errc::host_key, "host key: cannot read");
  test::write_file(access_.known_hosts, "");
  EXPECT_PHASE(error_of(access_), Errc::host_key, "host key: none for this host in");
  EXPECT_EQ(test::read_file(access_.known_hosts), "");  // never learned
  auto name = "[127.0.0.1]:" + std::to_string(sshd_->port()) + " ";
  test::write_file(access_.known_hosts, name + test::read_file(sshd_->client_key() + ".pub"));
  EXPECT_PHASE(error_of(access_), Errc::host_key, "host key: expected the one in");
  EXPECT_FALSE(server_saw_a_login()) << sshd_->log();
  test::write_file(access_.known_hosts, name + sshd_->host_key_line());
  EXPECT_TRUE(connect(Host{"h", 0, access_}, in(10s)));
}

TEST_F(SshPhases, AWrongUserKeyIsAnAuthError) {
  ASSERT_EQ(test::shell("ssh-keygen -q -t ed25519 -N '' -f " + (folder_ / "other")), 0);
  access_.identity = folder_ / "other";
  EXPECT_PHASE(error_of(access_), Errc::auth, "auth: the server refused the key ");
  EXPECT_TRUE(server_saw_a_login());  // the log shows attempts, so its silence above means something
}

TEST_F(SshPhases, AKeyFileOthersCanReadIsRefused) {
  ASSERT_EQ(chmod(access_.identity.c_str(), 0640), 0);
  EXPECT_PHASE(error_of(access_), Errc::auth, "auth: the key file ");
  EXPECT_FALSE(server_saw_a_login());
}

TEST_F(SshPhases, AKeyThatIsMissingEncryptedOrNoKeySaysSo) {
  access_.identity = folder_ / "none";
  EXPECT_NE(error_of(access_).what.find("No such file"), std::string::npos);
  ASSERT_EQ(test::shell("ssh-keygen -q -t ed25519 -N secret -f " + (folder_ / "locked")), 0);
  access_.identity = folder_ / "locked";
  EXPECT_NE(error_of(access_).what.find("is encrypted"), std::string::npos) << error_of(access_).what;
  test::write_file(folder_ / "text", "hello");
  access_.identity = folder_ / "text";
  EXPECT_NE(error_of(access_).what.find("is not a private key"), std::string::npos) << error_of(access_).what;
  access_.identity.clear();
  EXPECT_PHASE(error_of(access_), Errc::auth, "auth: no key for ");
}

TEST_F(SshPhases, SshAgentOnlyWhereThePlanSaysSo) {
  auto socket = folder_ / "agent";
  ASSERT_EQ(test::shell("ssh-agent -a " + socket + " >" + (folder_ / "vars")), 0);
  setenv("SSH_AUTH_SOCK", socket.c_str(), 1);
  EXPECT_EQ(test::shell("ssh-add -q " + sshd_->client_key() + " 2>/dev/null"), 0);
  access_.identity.clear();
  EXPECT_PHASE(error_of(access_), Errc::auth, "auth: no key for ");
  access_.agent = true;
  EXPECT_TRUE(connect(Host{"h", 0, access_}, in(10s)));
  EXPECT_EQ(test::shell("ssh-add -q -D 2>/dev/null"), 0);
  EXPECT_PHASE(error_of(access_), Errc::auth, "auth: ");
  test::shell(". " + (folder_ / "vars") + " >/dev/null; kill $SSH_AGENT_PID");
  EXPECT_PHASE(error_of(access_), Errc::auth, "auth: no ssh-agent answers");
  unsetenv("SSH_AUTH_SOCK");
  EXPECT_PHASE(error_of(access_), Errc::auth, "auth: the plan asks for ssh-agent but");
}

TEST_F(SshPhases, AFrozenSshAgentEndsAtTheDeadline) {
  Listener unused;
  auto socket = folder_ / "agent";
  ASSERT_EQ(test::shell("ssh-agent -a " + socket + " >" + (folder_ / "vars")), 0);
  setenv("SSH_AUTH_SOCK", socket.c_str(), 1);
  test::shell(". " + (folder_ / "vars") + " >/dev/null; kill -STOP $SSH_AGENT_PID");
  access_.identity.clear(), access_.agent = true;
  auto begin = std::chrono::steady_clock::now();
  auto error = error_of(access_, 500ms);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 1500ms);
  EXPECT_PHASE(error, Errc::timeout, "auth: ");
  test::shell(". " + (folder_ / "vars") + " >/dev/null; kill -CONT $SSH_AGENT_PID; kill $SSH_AGENT_PID");
  unsetenv("SSH_AUTH_SOCK");
}

TEST_F(SshPhases, ARefusedCommandIsAnExecError) {
  start({{"MaxSessions 0"}});
  auto transport = connect(Host{"h", 0, access_}, in(10s));
  ASSERT_TRUE(transport) << transport.error().what;
  auto stream = (*transport)->open("true", in(5s));
  ASSERT_FALSE(stream);
  EXPECT_PHASE(stream.error(), Errc::refused, "exec: the server refuses to run commands");
}

TEST_F(SshPhases, SafeAlgorithmsAndNoConfigurationOfTheUser) {
  start({{"LogLevel DEBUG2"}});
  test::shell("mkdir -p " + (folder_ / ".ssh"));
  test::write_file(folder_ / ".ssh/config", "Host *\n  User nobody\n  Port 1\n  ProxyCommand touch " + (folder_ / "touched") + "\n");
  std::string home = std::getenv("HOME");
  setenv("HOME", folder_.path().c_str(), 1);
  auto transport = connect(Host{"h", 0, access_}, in(10s));
  setenv("HOME", home.c_str(), 1);
  ASSERT_TRUE(transport) << transport.error().what;
  EXPECT_EQ(test::read_file(folder_ / "touched"), "");
  auto log = sshd_->log();
  EXPECT_NE(log.find("kex: algorithm: curve25519-sha256"), std::string::npos) << log;
  EXPECT_NE(log.find("client->server cipher: chacha20-poly1305@openssh.com"), std::string::npos);
  EXPECT_EQ(log.find("aes128-gcm@openssh.com", log.find("peer client KEXINIT")), std::string::npos);  // not offered by us
}

TEST_F(SshPhases, JumpHost) {
  auto second = Sshd::start();
  ASSERT_TRUE(second);
  auto through = (*second)->access();
  // One identity serves both hosts: the second server takes the first one's client key too.
  through.identity = access_.identity;
  test::shell("cat " + access_.identity + ".pub >>" + (*second)->client_key() + ".pub");
  through.jump = access_.user + "@127.0.0.1:" + std::to_string(sshd_->port());
  EXPECT_PHASE(error_of(through), Errc::host_key, "host key: none pinned; ");
  through.jump_key = sshd_->host_key();
  {
    auto transport = connect(Host{"h", 0, through}, in(10s));
    ASSERT_TRUE(transport) << transport.error().what;
    auto result = exec(**transport, "echo $HOME; head -c 3000000 /dev/zero | wc -c; cat | wc -c", std::string(2'000'000, 'x'), in(20s));
    ASSERT_TRUE(result) << result.error().what;
    EXPECT_EQ(result->out, (*second)->home() + "\n3000000\n2000000\n");
    auto begin = std::chrono::steady_clock::now();
    transport->reset();
    EXPECT_LT(std::chrono::steady_clock::now() - begin, 1s);
  }
  through.host_key = sshd_->host_key();  // the jump host's: the target must still show its own
  EXPECT_PHASE(error_of(through), Errc::host_key, "host key: expected " + sshd_->host_key() + ", got " + (*second)->host_key());
  Listener closed;
  closed.close();
  through.port = closed.port();
  EXPECT_PHASE(error_of(through), Errc::transport, "TCP: the jump host ");
}

}  // namespace
}  // namespace vt
