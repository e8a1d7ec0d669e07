#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "orchestrator/model/result.hpp"

namespace vt::checks {

/// What between the GPUs of a host keeps them from reaching each other over PCIe, or makes it unsafe, from `sys` ("/sys"):
///   gpus        how many were looked at
///   conditions  texts: "IOMMU translates for 0000:41:00.0 (group type DMA-FQ)", "ACS redirects requests at bridge 0000:40:01.1"
///   unread      bridges whose ACS could not be read: the part of their configuration space needs root
Result<nlohmann::json> pcie_path(const std::string& sys);

}  // namespace vt::checks
