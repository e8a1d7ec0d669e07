// Pods: the start command really runs, with a pod's rights, behind its public port.
#include <set>

#include "tests/contract/hosts/hosts.hpp"

using namespace vt;
using namespace vt::test;

namespace {

/// Answers every connection on port 22 with what the shell makes of `text`.
std::vector<std::string> greeter(const std::string& text) {
  return {"bash", "-c",
          "exec python3 -c 'import os,socket\ns=socket.socket(); s.setsockopt(socket.SOL_SOCKET,socket.SO_REUSEADDR,1)\n"
          "s.bind((\"127.0.0.1\",int(os.environ.get(\"VT_SSH_PORT\",\"22\")))); s.listen(8)\n"
          "while True:\n c,_=s.accept(); c.sendall(os.popen(" +
              std::string("os.environ[\"GREETING\"]") + ").read().encode()); c.close()' # " + text};
}

class Pods : public testing::Test {
 protected:
  void SetUp() override {
    maker_ = emulator::make_pod_maker(false, why_not_);
    if (!why_not_.empty()) GTEST_SKIP() << why_not_;
    if (find_program("python3").empty()) GTEST_SKIP() << "python3 is not installed";
  }
  HostOrder order(const std::string& id, const std::string& greeting) {
    auto order = order_in(folder_, id);
    order.command = greeter(id);
    order.environment = {{"GREETING", greeting}, {"VT_TOKEN", "it's \"quoted\" $HOME"}};
    return order;
  }
  std::unique_ptr<EmulatedHost> start(const HostOrder& order) {
    auto host = maker_->start(order);
    EXPECT_TRUE(host) << host.error().what;
    return host ? std::move(host).take() : nullptr;
  }
  /// What the greeter says once it is there.
  static std::string greeting(EmulatedHost& host) {
    std::string said;
    EXPECT_TRUE(eventually([&] { return !(said = said_at(host.public_port())).empty(); })) << host.log();
    return said;
  }

  TempDir folder_;
  std::string why_not_;
  std::unique_ptr<HostMaker> maker_;
};

TEST_F(Pods, RunTheStartCommandInItsEnvironment) {
  auto host = start(order("env", "echo \"$VT_TOKEN|$(hostname)|$(id -u)|$HOME\""));
  ASSERT_TRUE(host);
  EXPECT_EQ(greeting(*host), "it's \"quoted\" $HOME|env|0|/root\n");
  EXPECT_TRUE(host->alive());
}

TEST_F(Pods, HaveDockersCapabilitiesAndTheirOwnNamespaces) {
  auto host = start(order("caps",
                          "sed -n 's/^Cap\\(Eff\\|Bnd\\):[[:space:]]*//p' /proc/self/status; tail -n +3 /proc/net/dev | wc -l; "
                          "tr '\\0' ' ' </proc/1/cmdline | cut -d' ' -f1,2"));
  ASSERT_TRUE(host);
  EXPECT_EQ(greeting(*host), "00000000a80425fb\n00000000a80425fb\n1\n/bin/sh /.vt/start\n");
}

TEST_F(Pods, MayWriteWhatAPodWritesAndNothingOfTheMachine) {
  auto host = start(order("write",
                          "for path in / /root/.ssh /run/sshd /etc /etc/ssh /var/lib/x /tmp /workspace; do mkdir -p $path; "
                          "touch $path/x || echo $path; done; touch /usr/x 2>&1 | grep -c Read-only"));
  ASSERT_TRUE(host);
  EXPECT_EQ(greeting(*host), "1\n");
  EXPECT_FALSE(std::filesystem::exists("/etc/x"));
  EXPECT_FALSE(std::filesystem::exists("/workspace"));
}

TEST_F(Pods, ShowNothingOfTheMachinesUsersAndSecrets) {
  auto host = start(order("secrets", "cut -d: -f2 /etc/shadow | sort -u; ls /etc/ssl/private /home 2>/dev/null; ls -A /root"));
  ASSERT_TRUE(host);
  EXPECT_EQ(greeting(*host), "*\n/home:\n");
}

TEST_F(Pods, ReachTheEmulatorAtItsOwnAddressAndNothingElse) {
  Web api([](const std::string& request) { return "echo of " + request; });
  auto wanted = order("api", "exec 5<>/dev/tcp/127.0.0.1/$API; printf 'GET /v2/pods HTTP/1.0\\r\\n\\r\\n' >&5; tail -n 1 <&5");
  wanted.command[2] = "export GREETING='bash -c '\"'$(printf %s \"$GREETING\" | sed \"s/'/'\\\\\\\\''/g\")'\"; " + wanted.command[2];
  wanted.environment["API"] = std::to_string(api.port());
  wanted.api_port = api.port();
  Web other([](const std::string&) { return std::string("never"); });
  auto host = start(wanted);
  ASSERT_TRUE(host);
  EXPECT_EQ(greeting(*host), "echo of GET /v2/pods\n");
  EXPECT_TRUE(api.saw("GET /v2/pods"));
}

TEST_F(Pods, RunAnewAfterARestart) {
  auto host = start(order("again", "echo x >>/root/tmpfs; echo x >>/kept; wc -l </root/tmpfs; wc -l </kept; cut -d' ' -f22 /proc/1/stat"));
  ASSERT_TRUE(host);
  auto first = greeting(*host);
  int port = host->public_port();
  ASSERT_TRUE(host->restart());
  auto second = greeting(*host);
  EXPECT_EQ(host->public_port(), port);
  EXPECT_TRUE(first.starts_with("1\n1\n")) << first;
  EXPECT_TRUE(second.starts_with("1\n2\n")) << second << ": the disk stays, what was in memory does not";
  EXPECT_NE(first, second) << "process 1 is another one";
}

TEST_F(Pods, MoveToAnotherPort) {
  auto host = start(order("port", "echo here"));
  ASSERT_TRUE(host);
  int before = host->public_port();
  EXPECT_EQ(greeting(*host), "here\n");
  auto after = host->move_port();
  ASSERT_TRUE(after);
  EXPECT_NE(*after, before);
  EXPECT_EQ(greeting(*host), "here\n");
  EXPECT_FALSE(connect_tcp("127.0.0.1", before, within(2)));
}

TEST_F(Pods, EndWithTheirStartCommandAndTellWhatItSaid) {
  auto wanted = order("short", "");
  wanted.command = {"sh", "-c", "echo went wrong; echo badly >&2; sleep 100 & exit 3"};
  auto host = start(wanted);
  ASSERT_TRUE(host);
  EXPECT_TRUE(eventually([&] { return !host->alive(); }));
  EXPECT_NE(host->log().find("went wrong\nbadly\n"), std::string::npos) << host->log();
}

TEST_F(Pods, KeepTheirLogSmall) {
  auto wanted = order("chatty", "");
  wanted.command = {"sh", "-c", "yes 0123456789abcdef | head -c 3000000; echo the end; sleep 100"};
  auto host = start(wanted);
  ASSERT_TRUE(host);
  EXPECT_TRUE(eventually([&] { return host->log().ends_with("the end\n"); }));
  EXPECT_TRUE(eventually([&] { return std::filesystem::file_size(wanted.folder + "/log") < 300'000; }));
  EXPECT_TRUE(host->log().ends_with("the end\n"));
  EXPECT_LE(host->log().size(), 64U * 1024);
}

TEST_F(Pods, TenAreThereInSeconds) {
  std::vector<std::unique_ptr<EmulatedHost>> hosts;
  std::set<int> ports;
  auto deadline = within(20);
  for (int i = 0; i < 10; ++i) hosts.push_back(start(order("pod" + std::to_string(i), "hostname")));
  for (int i = 0; i < 10; ++i) {
    ASSERT_TRUE(hosts[static_cast<std::size_t>(i)]);
    EXPECT_EQ(greeting(*hosts[static_cast<std::size_t>(i)]), "pod" + std::to_string(i) + "\n");
    ports.insert(hosts[static_cast<std::size_t>(i)]->public_port());
  }
  EXPECT_EQ(ports.size(), 10U);
  EXPECT_FALSE(deadline.passed());
}

TEST_F(Pods, LeaveNothing) {
  auto wanted = order("leave", "echo x");
  auto host = start(wanted);
  ASSERT_TRUE(host);
  greeting(*host);
  auto mark = mark_of(wanted);
  EXPECT_NE(traces({mark}), "") << "it would be seen";
  EXPECT_TRUE(host->stop());
  EXPECT_FALSE(host->alive());
  EXPECT_TRUE(host->stop()) << "a second call is fine";
  host.reset();
  EXPECT_EQ(traces({mark}), "");
  EXPECT_FALSE(has_mounts(folder_));
  EXPECT_FALSE(std::filesystem::exists(wanted.folder + "/root"));
}

TEST_F(Pods, RefuseANameThatNoShellTakes) {
  auto wanted = order("names", "");
  wanted.environment["A B"] = "x";
  auto host = maker_->start(wanted);
  ASSERT_FALSE(host);
  EXPECT_EQ(host.error().code, Errc::config);
}

}  // namespace
