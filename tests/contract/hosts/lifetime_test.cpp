// Nothing outlives the emulator, however it ends; and hosts of an ordinary user.
#include <sys/wait.h>

#include "tests/contract/hosts/hosts.hpp"

using namespace vt;
using namespace vt::test;

namespace {

constexpr unsigned kUser = 31337;  // no machine has it
/// Nobody else sleeps as long.
std::string long_sleep() { return "sleep 9" + std::to_string(getpid()); }
/// A family whose members go different ways.
std::string sleeper() {
  return "setsid sh -c '" + long_sleep() + "' & sh -c '" + long_sleep() + " & " + long_sleep() + "' & " + long_sleep();
}
bool sleepers() { return shell("pgrep -xf '" + long_sleep() + "' >/dev/null") == 0; }

/// A process of its own that starts a host, says so by a file, and stays.
class Emulated {
 public:
  Emulated(const std::function<std::unique_ptr<HostMaker>(std::string&)>& make, const HostOrder& order, unsigned user = 0) : pid_(fork()) {
    if (pid_ != 0) return;
    if (user != 0 && (setgid(user) != 0 || setuid(user) != 0)) _exit(3);
    std::string why_not;
    auto maker = make(why_not);
    auto host = maker->start(order);
    if (!host) _exit(4);
    write_file(order.folder + "/up", std::to_string((*host)->public_port()));
    while (true) pause();
  }
  Emulated(const Emulated&) = delete;
  Emulated& operator=(const Emulated&) = delete;
  ~Emulated() { end(); }
  void end() {
    if (pid_ <= 0) return;
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
    pid_ = 0;
  }

 private:
  pid_t pid_;
};

class Lifetime : public testing::Test {
 protected:
  void SetUp() override {
    if (geteuid() != 0) GTEST_SKIP() << "needs root";
    if (find_program("pgrep").empty()) GTEST_SKIP() << "pgrep is not installed";
  }
  static bool up(const HostOrder& order) {
    return eventually([&] { return !read_file(order.folder + "/up").empty(); }, 30);
  }
  TempDir folder_;
};

TEST_F(Lifetime, APodEndsWithAKilledEmulator) {
  std::string why_not;
  emulator::make_pod_maker(false, why_not);
  if (!why_not.empty()) GTEST_SKIP() << why_not;
  auto order = order_in(folder_, "orphan");
  order.command = {"sh", "-c", sleeper()};
  Emulated emulated([](std::string& why) { return emulator::make_pod_maker(false, why); }, order);
  ASSERT_TRUE(up(order));
  ASSERT_TRUE(eventually(sleepers));
  auto mark = mark_of(order);
  emulated.end();
  EXPECT_TRUE(eventually([&] { return !sleepers() && traces({mark}).empty(); }, 5)) << traces({mark});
}

TEST_F(Lifetime, AMachineEndsWithAKilledEmulator) {
  std::string why_not;
  emulator::make_machine_maker(false, why_not);
  if (!why_not.empty()) GTEST_SKIP() << why_not;
  auto order = order_in(folder_, "orphan", HostOrder::Kind::machine);
  Emulated emulated([](std::string& why) { return emulator::make_machine_maker(false, why); }, order);
  ASSERT_TRUE(up(order));
  ASSERT_TRUE(eventually([&] { return read_file(order.folder + "/log").find("Multi-User") != std::string::npos; }, 20));
  auto mark = mark_of(order);
  emulated.end();
  EXPECT_TRUE(eventually([&] { return traces({mark}).empty(); }, 5)) << traces({mark});
}

TEST_F(Lifetime, AProcessHostEndsWithAKilledEmulatorWhereverItsChildrenWent) {
  auto order = order_in(folder_, "orphan");
  order.command = {"sh", "-c", sleeper()};
  Emulated emulated([](std::string& why) { return emulator::make_pod_maker(true, why); }, order);
  ASSERT_TRUE(up(order));
  ASSERT_TRUE(eventually(sleepers));
  auto mark = mark_of(order);
  emulated.end();
  EXPECT_TRUE(eventually([&] { return !sleepers() && traces({mark}).empty(); }, 5)) << traces({mark});
}

TEST_F(Lifetime, WhatIsLeftWhenEvenTheSupervisorWasKilledIsCleared) {
  std::string why_not;
  auto maker = emulator::make_pod_maker(false, why_not);
  if (!why_not.empty()) GTEST_SKIP() << why_not;
  auto order = order_in(folder_, "orphan");
  order.command = {"sh", "-c", long_sleep()};
  Emulated emulated([](std::string& why) { return emulator::make_pod_maker(false, why); }, order);
  ASSERT_TRUE(up(order));
  ASSERT_TRUE(eventually(sleepers));
  ASSERT_EQ(shell("pkill -KILL -f '^/bin/sh " + order.folder + "/supervise'"), 0);
  auto mark = mark_of(order);
  emulated.end();
  EXPECT_TRUE(sleepers());
  EXPECT_TRUE(maker->clear(folder_.path()));
  EXPECT_FALSE(sleepers());
  EXPECT_EQ(traces({mark}), "");
  EXPECT_FALSE(std::filesystem::exists(order.folder));
}

TEST_F(Lifetime, NoZombieAndNoDescriptorIsLeft) {
  auto descriptors = [] { return std::distance(std::filesystem::directory_iterator("/proc/self/fd"), {}); };
  std::string why_not;
  auto maker = emulator::make_pod_maker(false, why_not);
  auto before = descriptors();
  for (int i = 0; i < 3; ++i) {
    auto order = order_in(folder_, "pod" + std::to_string(i));
    order.command = {"sh", "-c", sleeper()};
    auto host = maker->start(order);
    ASSERT_TRUE(host) << host.error().what;
  }
  EXPECT_EQ(descriptors(), before);
  EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1) << "no child is left to wait for";
}

TEST_F(Lifetime, AnOrdinaryUserGetsPlainProcesses) {
  std::filesystem::permissions(folder_.path(), std::filesystem::perms(0755));
  auto order = order_in(folder_, "ordinary");
  ASSERT_EQ(chown(order.folder.c_str(), kUser, kUser), 0);
  order.command = {"bash", "-c", "echo \"as $(id -u) in $HOME with $VT_TOKEN on port $VT_SSH_PORT\"; sleep 100"};
  order.environment["VT_TOKEN"] = "a token";
  Emulated emulated([](std::string& why) { return emulator::make_pod_maker(false, why); }, order, kUser);
  ASSERT_TRUE(up(order));
  std::string wanted = "as 31337 in " + order.folder + "/root with a token on port ";
  EXPECT_TRUE(eventually([&] { return read_file(order.folder + "/log").find(wanted) != std::string::npos; }))
      << read_file(order.folder + "/log");
}

TEST_F(Lifetime, AMachineOfPlainProcessesPublishesItsKeyAndLetsItsUserIn) {
  auto key = new_ssh_key("tester");
  ASSERT_TRUE(key);
  write_file(folder_ / "id", key->private_text);
  Web metadata([&](const std::string& request) {
    return request.starts_with("GET /computeMetadata/v1/instance/attributes/ssh-keys") ? "root:" + key->public_line : std::string("404");
  });
  std::string why_not;
  auto maker = emulator::make_machine_maker(true, why_not);
  auto order = order_in(folder_, "plain", HostOrder::Kind::machine);
  order.api_port = metadata.port();
  auto host = maker->start(order);
  if (!host && host.error().code == Errc::not_found) GTEST_SKIP() << host.error().what;
  ASSERT_TRUE(host) << host.error().what;
  std::string login =
      "ssh -q -F none -o BatchMode=yes -o ConnectTimeout=3 -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null -i " +
      (folder_ / "id") + " -p " + std::to_string((*host)->public_port()) + " " + maker->login() + "@127.0.0.1 true </dev/null";
  EXPECT_TRUE(eventually([&] { return shell(login) == 0; }, 20)) << (*host)->log();
  EXPECT_TRUE(eventually([&] { return metadata.saw("PUT /computeMetadata/v1/instance/guest-attributes/hostkeys/ssh-ed25519"); }));
}

}  // namespace
