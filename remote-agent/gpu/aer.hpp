#pragma once
#include <cstdint>
#include <optional>
#include <string>

namespace vt::gpu {

/// PCI Express errors that the kernel has counted since it started (Advanced Error Reporting, aer_dev_* in
/// Documentation/ABI/testing/sysfs-bus-pci-devices-aer) on a GPU and every port between it and the processor. Empty where the firmware or a
/// hypervisor keeps them to itself.
struct AerCounts {
  std::optional<std::uint64_t> correctable, nonfatal, fatal;
};
/// `sys`: "/sys"; `address`: as NVML or the kernel writes it.
AerCounts read_aer(const std::string& sys, const std::string& address);

}  // namespace vt::gpu
