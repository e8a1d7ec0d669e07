// Instances: a real systemd, which really reboots, and a guest agent that does what Google's does.
#include "tests/contract/hosts/hosts.hpp"

using namespace vt;
using namespace vt::test;

namespace {

class Machines : public testing::Test {
 protected:
  void SetUp() override {
    maker_ = emulator::make_machine_maker(false, why_not_);
    if (!why_not_.empty()) GTEST_SKIP() << why_not_;
    auto made = new_ssh_key("tester");
    ASSERT_TRUE(made);
    key_ = std::move(made).take();
    write_file(folder_ / "id", key_.private_text);
  }
  std::unique_ptr<EmulatedHost> start(const std::string& id) {
    auto order = order_in(folder_, id, HostOrder::Kind::machine);
    order.api_port = metadata_.port();
    auto host = maker_->start(order);
    EXPECT_TRUE(host) << host.error().what;
    marks_.push_back(mark_of(order));
    return host ? std::move(host).take() : nullptr;
  }
  /// What the metadata server is told and tells.
  std::string answer(const std::string& request) {
    if (request.starts_with("PUT /computeMetadata/v1/instance/guest-attributes/hostkeys/ssh-ed25519\n")) {
      std::lock_guard lock(mutex_);
      published_ = request.substr(request.find('\n') + 1);
      return "";
    }
    if (request.starts_with("GET /computeMetadata/v1/instance/attributes/ssh-keys")) return "tester:" + key_.public_line;
    if (request.starts_with("GET /computeMetadata/v1/instance/attributes/startup-script")) return "#!/bin/sh\necho started up\n";
    return "404";
  }
  std::string published() {
    std::lock_guard lock(mutex_);
    return published_;
  }
  std::string ssh(const EmulatedHost& host, const std::string& command) const {
    std::string out = folder_ / "out";
    shell("ssh -q -F none -o BatchMode=yes -o ConnectTimeout=3 -o StrictHostKeyChecking=no -o UserKnownHostsFile=" + (folder_ / "known") +
          " -i " + (folder_ / "id") + " -p " + std::to_string(host.public_port()) + " tester@127.0.0.1 '" + command + "' >" + out +
          " 2>/dev/null </dev/null");
    std::string said = read_file(out);
    return said.ends_with('\n') ? said.substr(0, said.size() - 1) : said;
  }
  [[nodiscard]] bool answers(const EmulatedHost& host) const {
    return eventually([&] { return ssh(host, "echo yes") == "yes"; }, 30);
  }

  TempDir folder_;
  SshKey key_;
  std::string why_not_, published_;
  std::vector<std::string> marks_;  ///< of all that were started
  std::mutex mutex_;
  Web metadata_{[this](const std::string& request) { return answer(request); }};
  std::unique_ptr<HostMaker> maker_;
};

TEST_F(Machines, BootSystemdAndPublishTheirHostKey) {
  auto host = start("inst1");
  ASSERT_TRUE(host);
  ASSERT_TRUE(answers(*host)) << host->log();
  EXPECT_EQ(ssh(*host, "cat /proc/1/comm"), "systemd");
  EXPECT_EQ(ssh(*host, "systemctl is-system-running --wait"), "running") << ssh(*host, "systemctl --failed");
  EXPECT_EQ(ssh(*host, "hostname; id -un"), "inst1\ntester");
  EXPECT_NE(read_file(folder_ / "known").find(published()), std::string::npos) << "the key that was met is the one that was published";
  EXPECT_FALSE(published().empty());
  EXPECT_TRUE(metadata_.saw("X-Emulated-Instance: inst1\r\n"));
  EXPECT_TRUE(metadata_.saw("Metadata-Flavor: Google\r\n"));
  EXPECT_TRUE(eventually([&] { return host->log().find("startup-script: started up") != std::string::npos; })) << host->log();
}

TEST_F(Machines, ReallyReboot) {
  auto host = start("inst2");
  ASSERT_TRUE(host);
  ASSERT_TRUE(answers(*host)) << host->log();
  auto boot = ssh(*host, "cat /proc/sys/kernel/random/boot_id"), key = published();
  ssh(*host, "echo kept >~/file");
  EXPECT_TRUE(host->restart());
  EXPECT_TRUE(answers(*host)) << host->log();
  auto second = ssh(*host, "cat /proc/sys/kernel/random/boot_id");
  EXPECT_NE(second, boot);
  EXPECT_EQ(ssh(*host, "cat ~/file"), "kept");
  EXPECT_EQ(published(), key) << "the host key is made once";
}

TEST_F(Machines, RebootFromWithin) {
  auto host = start("inst3");
  ASSERT_TRUE(host);
  ASSERT_TRUE(answers(*host)) << host->log();
  auto boot = ssh(*host, "cat /proc/sys/kernel/random/boot_id");
  // The user has no rights where there is no sudo: its process 1 is asked from outside, as a button would.
  for (auto& process : scan_processes().marked)
    if (process.pod == marks_[0] && read_file("/proc/" + std::to_string(process.pid) + "/comm") == "systemd\n") kill(process.pid, SIGINT);
  EXPECT_TRUE(eventually([&] { return !boot.empty() && ssh(*host, "cat /proc/sys/kernel/random/boot_id") != boot; }, 30));
  ASSERT_TRUE(answers(*host)) << host->log();
  EXPECT_NE(ssh(*host, "cat /proc/sys/kernel/random/boot_id"), boot);
  EXPECT_TRUE(host->alive());
}

TEST_F(Machines, StandSideBySide) {
  std::vector<std::unique_ptr<EmulatedHost>> hosts;
  for (auto id : {"left", "middle", "right"}) hosts.push_back(start(id));
  for (auto& host : hosts) ASSERT_TRUE(host && answers(*host));
  hosts[1].reset();
  EXPECT_EQ(ssh(*hosts[0], "hostname"), "left");
  EXPECT_EQ(ssh(*hosts[2], "hostname; systemctl is-system-running"), "right\nrunning");
  hosts.clear();
  EXPECT_EQ(traces(marks_), "");
  EXPECT_FALSE(has_mounts(folder_));
}

}  // namespace
