#pragma once
#include <string>

#include "orchestrator/model/result.hpp"

namespace vt::emulator {

/// What a virtual machine boots: a Debian with systemd, an SSH server and our guest agent, and its kernel beside it.
struct VmImage {
  std::string folder;
  [[nodiscard]] std::string disk() const { return folder + "/disk.qcow2"; }
  [[nodiscard]] std::string kernel() const { return folder + "/vmlinuz"; }
  [[nodiscard]] std::string initrd() const { return folder + "/initrd.img"; }
};

/// The image below `cache`, built if it is not there yet: about a minute and 500 MB from the Debian archive, once.
Result<VmImage> vm_image(const std::string& cache);
/// It is there already.
bool has_vm_image(const std::string& cache);

}  // namespace vt::emulator
