#pragma once
#include <nlohmann/json.hpp>
#include <string>

namespace vt::agent {

/// A GPU's telemetry (gpu::GpuReport) in words, each figure with its mean and, where it moved, its range: "402 W (300 to 575); 61 C; SM
/// 2407 MHz; memory 14001 MHz; PCIe gen 5 x16 of gen 5 x16; sw power cap 1.2 s". "not sampled" if there is none.
std::string conditions_of(const nlohmann::json& telemetry);

}  // namespace vt::agent
