// Instances as virtual machines under QEMU: a kernel of their own, a disk that outlives reboots, and nothing of this machine inside.
#include <unistd.h>

#include "orchestrator/model/text.hpp"
#include "providers/container/pod.hpp"
#include "providers/container/process.hpp"
#include "providers/emulator/hosts/files.hpp"
#include "providers/emulator/hosts/hosted.hpp"
#include "providers/emulator/hosts/makers.hpp"
#include "providers/emulator/hosts/vm_image.hpp"

namespace vt::emulator {

namespace {

using Words = std::vector<std::string>;

/// The mark is the machine's name, by which its process is found. The processor is emulated, so that it works where virtualisation is not
/// allowed; an old model, because QEMU's emulation of newer vector units has been faulty. 10.0.2.2 inside is 127.0.0.1 of the network that
/// QEMU is in, and that is one with nothing in it but the emulator's port.
Words machine(const VmImage& image, const HostOrder& order, const std::string& mark) {
  std::string told =
      "console=ttyS0 quiet root=/dev/vda rw rootfstype=ext4 mitigations=off panic=-1 systemd.show_status=0 systemd.hostname=" + order.id +
      " vt.EMULATED_INSTANCE=" + order.id + " vt.GCE_METADATA_HOST=10.0.2.2:" + std::to_string(order.api_port);
  return {find_program("qemu-system-x86_64"),
          "-name",
          mark,
          "-M",
          "q35",
          "-accel",
          "tcg,thread=multi",
          "-cpu",
          "Nehalem",
          "-smp",
          "2",
          "-m",
          "1024",
          "-display",
          "none",
          "-monitor",
          "none",
          "-serial",
          "stdio",
          "-kernel",
          image.kernel(),
          "-initrd",
          image.initrd(),
          "-append",
          told,
          "-drive",
          "if=none,id=disk,file=" + order.folder + "/disk.qcow2,format=qcow2,cache=unsafe",
          "-device",
          "virtio-blk-pci,drive=disk",
          "-netdev",
          "user,id=net,hostfwd=tcp:127.0.0.1:22-:22",
          "-device",
          "virtio-net-pci,netdev=net,romfile=",
          "-device",
          "virtio-rng-pci"};
}

class Vms final : public HostMaker {
 public:
  explicit Vms(VmImage image) : image_(std::move(image)) {}
  [[nodiscard]] std::string text() const override { return "QEMU machines with an emulated processor and a Debian of their own"; }
  [[nodiscard]] std::string login() const override { return ""; }
  Status clear(const std::string& folder) override { return clear_hosts(folder); }

  Result<std::unique_ptr<EmulatedHost>> start(const HostOrder& order) override {
    VT_TRY(std::string mark, new_mark(order.folder));
    Words overlay{find_program("qemu-img"),    "create", "-q", "-f", "qcow2", "-b", image_.disk(), "-F", "qcow2",
                  order.folder + "/disk.qcow2"};
    VT_TRY(Finished made, run_program(overlay, Deadline::after(std::chrono::seconds(30))));
    if (made.exit_code != 0) return fail(Errc::storage, printable(made.output));
    Prepared prepared{order, mark, {}, 22, false, machine(image_, order, mark), ""};
    VT_TRY(prepared.network, Network::make());
    return start_host(std::move(prepared));
  }

 private:
  VmImage image_;
};

Status can_run() {
#if !defined(__x86_64__)
  return fail(Errc::refused, "only on x86-64");
#endif
  if (geteuid() != 0) return fail(Errc::auth, "needs root");
  Words missing;
  for (auto& [program, package] : {std::pair{"qemu-system-x86_64", "qemu-system-x86"},
                                   {"qemu-img", "qemu-utils"},
                                   {"mmdebstrap", "mmdebstrap"},
                                   {"mke2fs", "e2fsprogs"}})
    if (find_program(program).empty()) missing.emplace_back(package);
  if (!missing.empty()) return fail(Errc::not_found, "apt install " + join(missing, " "));
  return {};
}

}  // namespace

std::string why_no_vms() {
  auto can = can_run();
  return can ? "" : can.error().what;
}

Result<std::unique_ptr<HostMaker>> make_vm_maker(const std::string& cache) {
  VT_CHECK(can_run());
  VT_TRY(auto image, vm_image(cache));
  return std::make_unique<Vms>(std::move(image));
}

}  // namespace vt::emulator
