// Instances under QEMU: a kernel of their own that really boots, twice.
#include "providers/emulator/hosts/vm_image.hpp"
#include "tests/contract/hosts/hosts.hpp"

using namespace vt;
using namespace vt::test;

namespace {

constexpr int kBoot = 240;  // seconds, with an emulated processor on a busy machine

class Vms : public testing::Test {
 protected:
  void SetUp() override {
    if (!std::getenv("VT_LONG")) GTEST_SKIP() << "an image is built and booted twice: set VT_LONG";
    if (auto why = emulator::why_no_vms(); !why.empty()) GTEST_SKIP() << why;
    auto maker = emulator::make_vm_maker(VT_BIN_DIR "/vm");
    ASSERT_TRUE(maker) << maker.error().what;
    maker_ = std::move(maker).take();
    auto made = new_ssh_key("tester");
    ASSERT_TRUE(made);
    key_ = std::move(made).take();
    write_file(folder_ / "id", key_.private_text);
  }
  std::string answer(const std::string& request) {
    if (request.starts_with("PUT /computeMetadata/v1/instance/guest-attributes/hostkeys/ssh-ed25519\n")) {
      std::lock_guard lock(mutex_);
      published_ = request.substr(request.find('\n') + 1);
      return "";
    }
    return request.starts_with("GET /computeMetadata/v1/instance/attributes/ssh-keys") ? "tester:" + key_.public_line : "404";
  }
  std::string ssh(const EmulatedHost& host, const std::string& command) const {
    std::string out = folder_ / "out";
    shell("timeout 20 ssh -q -F none -o BatchMode=yes -o ConnectTimeout=5 -o StrictHostKeyChecking=no -o UserKnownHostsFile=" +
          (folder_ / "known") + " -i " + (folder_ / "id") + " -p " + std::to_string(host.public_port()) + " tester@127.0.0.1 '" + command +
          "' >" + out + " 2>/dev/null </dev/null");
    std::string said = read_file(out);
    return said.ends_with('\n') ? said.substr(0, said.size() - 1) : said;
  }
  std::string published() {
    std::lock_guard lock(mutex_);
    return published_;
  }

  TempDir folder_;
  SshKey key_;
  std::string published_;
  std::mutex mutex_;
  Web metadata_{[this](const std::string& request) { return answer(request); }};
  std::unique_ptr<HostMaker> maker_;
};

TEST_F(Vms, BootAndRebootAKernelOfTheirOwn) {
  auto order = order_in(folder_, "vm1", HostOrder::Kind::machine);
  order.api_port = metadata_.port();
  auto host = maker_->start(order);
  ASSERT_TRUE(host) << host.error().what;
  auto mark = mark_of(order);
  ASSERT_TRUE(eventually([&] { return ssh(**host, "echo yes") == "yes"; }, kBoot)) << (*host)->log();
  EXPECT_EQ(ssh(**host, "cat /proc/1/comm; hostname; id -un"), "systemd\nvm1\ntester");
  EXPECT_NE(ssh(**host, "uname -r"), "");
  EXPECT_NE(read_file(folder_ / "known").find(published()), std::string::npos) << "the key that was met is the one that was published";
  EXPECT_FALSE(published().empty());
  auto boot = ssh(**host, "cat /proc/sys/kernel/random/boot_id"), key = published();
  ssh(**host, "echo kept >~/file; sync; sudo systemctl reboot");
  ASSERT_TRUE(eventually(
      [&] {
        auto now = ssh(**host, "cat /proc/sys/kernel/random/boot_id");
        return !now.empty() && now != boot;
      },
      kBoot))
      << (*host)->log();
  EXPECT_EQ(ssh(**host, "cat ~/file"), "kept");
  EXPECT_EQ(published(), key) << "the host key is made once";
  EXPECT_TRUE((*host)->alive());
  host->reset();
  EXPECT_EQ(traces({mark}), "");
}

}  // namespace
