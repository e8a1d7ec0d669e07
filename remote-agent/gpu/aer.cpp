#include "remote-agent/gpu/aer.hpp"

#include <cstdlib>

#include "remote-agent/base/os.hpp"
#include "remote-agent/gpu/pci_path.hpp"

namespace vt::gpu {

namespace {

/// The file has a line for every kind of error and one for all of them: "TOTAL_ERR_FATAL 0".
void add(const std::string& file, const std::string& total, std::optional<std::uint64_t>& to) {
  auto text = agent::read_file(file);
  auto at = text.find(total + " ");
  if (at != std::string::npos) to = to.value_or(0) + std::strtoull(text.c_str() + at + total.size(), nullptr, 10);
}

}  // namespace

AerCounts read_aer(const std::string& sys, const std::string& address) {
  AerCounts out;
  for (auto& device : pci_path(sys, address)) {
    add(device / "aer_dev_correctable", "TOTAL_ERR_COR", out.correctable);
    add(device / "aer_dev_nonfatal", "TOTAL_ERR_NONFATAL", out.nonfatal);
    add(device / "aer_dev_fatal", "TOTAL_ERR_FATAL", out.fatal);
  }
  return out;
}

}  // namespace vt::gpu
