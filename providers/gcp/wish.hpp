#pragma once
#include <string>
#include <vector>

#include "orchestrator/model/plan.hpp"
#include "orchestrator/model/result.hpp"
#include "providers/gcp/machine.hpp"

namespace vt::gcp {

/// What a layer asks of Compute Engine, checked and with every default filled in.
struct Wish {
  Machine machine;
  std::vector<std::string> zones, markets;  ///< in the plan's order; markets are "spot" and "on-demand"
  std::string image;                        ///< "projects/P/global/images/family/F" or "projects/P/global/images/N"
  int disk_gb = 0;
  std::string disk_type;
  std::string network, subnetwork;  ///< one of them
  std::vector<Accelerator> accelerators;
  bool public_address = true;
  int count = 1;  ///< machines side by side
  std::string user;

  /// GPUs that the machine has, of its own or attached.
  [[nodiscard]] int gpus() const { return accelerators.empty() ? machine.gpus : accelerators.front().count; }
  [[nodiscard]] std::string gpu_metric() const { return accelerators.empty() ? machine.gpu_metric : metric_of(accelerators.front()); }
};

/// Reads the layer's options. Errc::config names the first that cannot be. The project is not looked at: it often comes from an
/// environment variable that only a run needs.
Result<Wish> wish_of(const Layer&);
/// The layer's project. Errc::config if it is none, or a variable that was not set.
Result<std::string> project_of(const Layer&);

}  // namespace vt::gcp
