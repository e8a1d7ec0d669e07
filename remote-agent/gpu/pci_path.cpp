#include "remote-agent/gpu/pci_path.hpp"

#include <algorithm>
#include <cctype>

namespace vt::gpu {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kForm = "xxxx:xx:xx.x";

/// NVML writes eight digits of the domain, capital letters among them.
std::string as_kernel_writes(std::string address) {
  if (address.size() > kForm.size()) address.erase(0, address.size() - kForm.size());
  std::transform(address.begin(), address.end(), address.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return address;
}

}  // namespace

bool is_pci_address(std::string_view name) {
  auto fits = [](char f, char c) { return f == 'x' ? std::isxdigit(static_cast<unsigned char>(c)) != 0 : f == c; };
  return name.size() == kForm.size() && std::equal(kForm.begin(), kForm.end(), name.begin(), fits);
}

std::vector<fs::path> pci_path(const std::string& sys, const std::string& address) {
  std::vector<fs::path> out;
  auto name = as_kernel_writes(address);
  if (!is_pci_address(name)) return out;
  std::error_code missing;
  auto at = fs::canonical(sys + "/bus/pci/devices/" + name, missing);
  for (; !missing && is_pci_address(at.filename().native()); at = at.parent_path()) out.push_back(at);
  return out;
}

}  // namespace vt::gpu
