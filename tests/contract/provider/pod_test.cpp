// What a pod is, seen through its SSH server, with every way of making one.
#include <poll.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <fstream>
#include <set>
#include <thread>

#include "tests/contract/provider/pods.hpp"

using namespace vt;
using namespace vt::test;
using namespace std::chrono_literals;

namespace {

class Pod : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    layer_ = pod_layer(GetParam());
    provider_ = home_.make();
    if (auto why = cannot(*provider_, layer_); !why.empty()) GTEST_SKIP() << why;
  }
  Host start(const Resource& r) {
    auto outcome = provider_->create(layer_, r);
    EXPECT_TRUE(std::holds_alternative<Created>(outcome)) << (outcome.index() == 1 ? std::get<Refused>(outcome).what : "ambiguous");
    auto ready = provider_->wait_ready(layer_, r, within(20));
    EXPECT_TRUE(ready) << ready.error().what;
    return ready ? ready->hosts[0] : Host{};
  }
  bool ends_within(const std::string& pod, std::chrono::milliseconds time) {
    for (auto deadline = Deadline::after(time); has_processes(pod); poll(nullptr, 0, 20))
      if (deadline.passed()) return false;
    return true;
  }

  PodHome home_;
  Layer layer_;
  std::unique_ptr<Provider> provider_;
};

TEST_P(Pod, HasTheCapabilitiesOfADockerContainer) {
  auto host = start(intent("podtests"));
  EXPECT_EQ(ask(host, "sed -n 's/^CapBnd:[[:space:]]*//p' /proc/self/status"), "00000000a80425fb");
  EXPECT_EQ(ask(host, "sed -n 's/^CapEff:[[:space:]]*//p' /proc/self/status"), geteuid() == 0 ? "00000000a80425fb" : "0000000000000000");
  EXPECT_EQ(ask(host, "modprobe dummy >/dev/null 2>&1 && echo loaded || echo refused"), "refused");
  EXPECT_EQ(ask(host, "mount -t tmpfs none /mnt 2>/dev/null && echo mounted || echo refused"), "refused");
}

TEST_P(Pod, IsReadOnlyButForItsOwnFolders) {
  auto host = start(intent("podtests"));
  std::string touch = "; do touch $path/x 2>/dev/null && echo $path; done";
  EXPECT_EQ(ask(host, "for path in / /usr /usr/local /etc /opt /sys /sys/fs/cgroup /var /var/lib/dpkg /.vt" + touch), "");
  EXPECT_EQ(ask(host, "for path in /tmp /var/tmp /run ~ /dev/shm" + touch + " | wc -l"), "5");
  EXPECT_EQ(ask(host, "( echo x >/proc/sys/kernel/hostname ) 2>&1 | grep -c 'Read-only'"), "1");
  EXPECT_EQ(ask(host, "( : >/proc/sys/vm/swappiness ) 2>/dev/null && echo written || echo refused"), "refused");
}

TEST_P(Pod, HasItsOwnProcessesNameAndDevices) {
  auto r = intent("podtests");
  auto host = start(r);
  EXPECT_EQ(ask(host, "hostname"), r.owner.name);
  EXPECT_EQ(ask(host, "cat /etc/hostname"), r.owner.name);
  EXPECT_EQ(ask(host, "cat /proc/1/comm"), "sh");
  EXPECT_EQ(ask(host, "ls -d /proc/" + std::to_string(getpid()) + " 2>/dev/null"), "");
  EXPECT_EQ(ask(host, "systemctl is-system-running >/dev/null 2>&1 && echo runs || echo no"), "no");
  EXPECT_EQ(ask(host, "tr '\\0' '\\n' </proc/1/environ | grep container"), "container=oci");
  EXPECT_EQ(ask(host, "cat /run/host/container-manager"), "oci");
  EXPECT_EQ(ask(host, "cd /dev && ls -d null zero full random urandom tty pts shm 2>&1 | wc -l; ls -d kmsg mem sda vda 2>/dev/null"), "8");
  EXPECT_EQ(ask(host, "find /dev -type b | wc -l"), "0");
}

TEST_P(Pod, HidesTheMachinesHomesKeysAndState) {
  auto host = start(intent("podtests"));
  EXPECT_EQ(ask(host, "ls -A /root ~ | grep -v -e : -e '^$'"), "");
  EXPECT_EQ(ask(host, "ls -A /etc/ssh"), "");
  EXPECT_EQ(ask(host, "grep -c . /etc/shadow"), "1");
  EXPECT_EQ(ask(host, "ls -d " + home_.path + " 2>/dev/null"), "");
  EXPECT_EQ(ask(host, "ls -A /.vt/old"), "");
  EXPECT_EQ(ask(host, "env | grep -c VAULT_TEST"), "0");
}

TEST_P(Pod, HasNoneOfTheCallersEnvironment) {
  setenv("VT_CONTRACT_SECRET", "hunter2", 1);
  auto host = start(intent("podtests"));
  unsetenv("VT_CONTRACT_SECRET");
  EXPECT_EQ(ask(host, "cat /proc/[0-9]*/environ 2>/dev/null | tr '\\0' '\\n' | grep -c hunter2"), "0");
}

TEST_P(Pod, KeepsItsFilesToItself) {
  auto r = intent("podtests");
  auto host = start(r);
  std::string folder = home_.path + "/pods/" + r.owner.name;
  struct stat st {};
  ASSERT_EQ(stat(folder.c_str(), &st), 0);
  EXPECT_EQ(st.st_mode & 0777U, 0700U);
  for (auto file : {"owner.json", "id_ed25519", "log"}) {
    ASSERT_EQ(stat((folder + "/" + file).c_str(), &st), 0) << file;
    EXPECT_EQ(st.st_mode & 0777U, 0600U) << file;
  }
  EXPECT_EQ(host.access.address, "127.0.0.1");
  EXPECT_TRUE(host.access.host_key.starts_with("SHA256:"));
}

TEST_P(Pod, AnotherHostKeyIsRefused) {
  auto r = intent("podtests");
  auto host = start(r), other = start(intent("podtests"));
  host.access.host_key = other.access.host_key;
  auto connected = connect(host, within(10));
  ASSERT_FALSE(connected);
  EXPECT_EQ(connected.error().code, Errc::host_key);
}

TEST_P(Pod, EndsByItselfWhenTheLeaseIsOver) {
  auto r = intent("podtests", 2500ms);
  auto host = start(r);
  ASSERT_TRUE(has_processes(r.owner.name));
  EXPECT_TRUE(ends_within(r.owner.name, 6s));
  EXPECT_FALSE(connect(host, within(2)));
  EXPECT_TRUE(lists(*provider_, r)) << "its folder and key are still there";
  ASSERT_TRUE(provider_->destroy(r));
  EXPECT_FALSE(lists(*provider_, r));
}

TEST_P(Pod, ALeaseThatIsOverStartsNothing) {
  auto r = intent("podtests", -5s);
  ASSERT_TRUE(std::holds_alternative<Created>(provider_->create(layer_, r)));
  EXPECT_TRUE(ends_within(r.owner.name, 5s));
  EXPECT_FALSE(provider_->wait_ready(layer_, r, within(5)));
}

TEST_P(Pod, TenAtOnce) {
  std::vector<Resource> all(10);
  std::vector<Result<Allocation>> ready(10, fail(Errc::internal, "not tried"));
  std::vector<std::thread> threads;
  for (auto& r : all) r = intent("podtests");
  for (std::size_t i = 0; i < all.size(); ++i)
    threads.emplace_back([&, i] {
      if (std::holds_alternative<Created>(provider_->create(layer_, all[i]))) ready[i] = provider_->wait_ready(layer_, all[i], within(60));
    });
  for (auto& thread : threads) thread.join();
  std::set<int> ports;
  for (std::size_t i = 0; i < all.size(); ++i) {
    ASSERT_TRUE(ready[i]) << ready[i].error().what;
    ports.insert(ready[i]->hosts[0].access.port);
    EXPECT_EQ(ask(ready[i]->hosts[0], "hostname"), all[i].owner.name);
  }
  EXPECT_EQ(ports.size(), all.size());
  for (auto& r : all) EXPECT_TRUE(provider_->destroy(r));
  auto left = provider_->list_owned("podtests");
  ASSERT_TRUE(left);
  EXPECT_TRUE(left->resources.empty());
}

TEST_P(Pod, AServerThatDiesAtOnceIsReportedWithItsLog) {
  setenv("VAULT_TEST_SSHD", "/bin/false", 1);
  auto r = intent("podtests");
  auto outcome = provider_->create(layer_, r);
  unsetenv("VAULT_TEST_SSHD");
  ASSERT_TRUE(std::holds_alternative<Created>(outcome));
  auto ready = provider_->wait_ready(layer_, r, within(20));
  ASSERT_FALSE(ready);
  EXPECT_EQ(ready.error().code, Errc::transport);
  EXPECT_NE(ready.error().what.find("the SSH server ended"), std::string::npos) << ready.error().what;
}

TEST_P(Pod, AnSshServerFromAnywhereCanBeUsed) {
  std::string original = find_program("sshd");
  std::filesystem::create_directories(home_.path + "/server/lib");
  std::filesystem::copy_file(original, home_.path + "/server/sshd");
  setenv("VAULT_TEST_SSHD", (home_.path + "/server/sshd").c_str(), 1);
  setenv("VAULT_TEST_SSHD_LIB", (home_.path + "/server/lib").c_str(), 1);
  auto host = start(intent("podtests"));
  unsetenv("VAULT_TEST_SSHD");
  unsetenv("VAULT_TEST_SSHD_LIB");
  EXPECT_EQ(ask(host, "echo here"), "here");
}

TEST_P(Pod, ATakenNameIsAnUnclearAnswerAndTouchesNothing) {
  auto r = intent("podtests");
  auto host = start(r);
  EXPECT_TRUE(std::holds_alternative<Ambiguous>(provider_->create(layer_, r)));
  EXPECT_EQ(ask(host, "echo here"), "here");
}

INSTANTIATE_TEST_SUITE_P(By, Pod, testing::Values("runc", "bwrap", "unshare"), [](auto& one) { return std::string(one.param); });

TEST(PodCleanup, AFolderWithoutOwnerIsListedAndDestroyed) {
  PodHome home;
  auto provider = home.make();
  auto r = intent("podtests");
  std::filesystem::create_directories(home.path + "/pods/" + r.owner.name + "/root");
  EXPECT_TRUE(lists(*provider, r));
  ASSERT_TRUE(provider->destroy(r));
  EXPECT_FALSE(lists(*provider, r));
}

TEST(PodCleanup, AProcessWithoutFolderIsListedAndDestroyed) {
  PodHome home;
  auto provider = home.make();
  auto r = intent("podtests");
  ASSERT_TRUE(launch_detached({"/bin/sh", "-c", "sleep 60; :", pod_mark(r.owner.name)}, home.path + "/log"));
  EXPECT_TRUE(lists(*provider, r));
  ASSERT_TRUE(provider->destroy(r));
  EXPECT_FALSE(lists(*provider, r));
  EXPECT_FALSE(has_processes(r.owner.name));
}

TEST(PodCleanup, LinksAreRemovedNotFollowed) {
  PodHome home;
  auto r = intent("podtests");
  std::string outside = home.path + "/outside", folder = home.path + "/pods/" + r.owner.name;
  std::filesystem::create_directories(outside);
  std::filesystem::create_directories(folder);
  std::ofstream(outside + "/precious") << "x";
  std::filesystem::create_directory_symlink(outside, folder + "/link");
  ASSERT_TRUE(home.make()->destroy(r));
  EXPECT_TRUE(std::filesystem::exists(outside + "/precious"));
  EXPECT_FALSE(std::filesystem::exists(folder));
}

TEST(PodCleanup, WhatIsMountedBelowIsUnmountedNotRemoved) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root to mount";
  PodHome home;
  auto r = intent("podtests");
  std::string outside = home.path + "/outside", folder = home.path + "/pods/" + r.owner.name;
  std::filesystem::create_directories(outside);
  std::filesystem::create_directories(folder + "/root/usr");
  std::ofstream(outside + "/precious") << "x";
  pid_t child = fork();
  if (child == 0) {
    bool mounted = unshare(CLONE_NEWNS) == 0 && mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
                   mount(outside.c_str(), (folder + "/root/usr").c_str(), nullptr, MS_BIND, nullptr) == 0;
    _exit(!mounted ? 2 : home.make()->destroy(r) ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  if (WEXITSTATUS(status) == 2) GTEST_SKIP() << "mount namespaces are refused here";
  EXPECT_EQ(WEXITSTATUS(status), 0);
  EXPECT_TRUE(std::filesystem::exists(outside + "/precious"));
  EXPECT_FALSE(std::filesystem::exists(folder));
}

TEST(PodCleanup, NamesThatAreNoNamesAreRefused) {
  PodHome home;
  auto provider = home.make();
  for (auto name : {"", "..", "vt-../../etc", "vt-a/b", "/etc", "other"}) {
    EXPECT_FALSE(provider->destroy(PodHome::named(name))) << name;
    EXPECT_TRUE(std::holds_alternative<Refused>(provider->create(pod_layer(), PodHome::named(name)))) << name;
  }
}

TEST(PodPreflight, AMissingServerIsNamedWithItsRemedy) {
  PodHome home;
  setenv("VAULT_TEST_SSHD", "/nonexistent/sshd", 1);
  auto findings = home.make()->preflight(pod_layer());
  unsetenv("VAULT_TEST_SSHD");
  ASSERT_FALSE(findings.empty());
  EXPECT_EQ(findings[0].kind, Finding::Kind::missing_tool);
  EXPECT_EQ(findings[0].weight, Finding::Weight::stops);
  EXPECT_NE(findings[0].what.find("/nonexistent/sshd"), std::string::npos);
  EXPECT_NE(findings[0].remedy.find("openssh-server"), std::string::npos);
}

TEST(PodPreflight, AnUnknownBackendIsNamed) {
  PodHome home;
  auto findings = home.make()->preflight(pod_layer("docker"));
  ASSERT_FALSE(findings.empty());
  EXPECT_NE(findings.back().what.find("\"docker\" is unknown; expected runc, bwrap or unshare"), std::string::npos) << findings.back().what;
}

}  // namespace
