#pragma once
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace vt::gpu {

/// "0000:41:00.0"
bool is_pci_address(std::string_view name);
/// A device's folder below `sys` ("/sys") and those of the ports above it, the nearest first; none where the system does not show it. The
/// address as the kernel or as NVML writes it ("00000000:41:00.0").
std::vector<std::filesystem::path> pci_path(const std::string& sys, const std::string& address);

}  // namespace vt::gpu
