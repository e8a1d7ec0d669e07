#pragma once
#include <string>
#include <vector>

#include "orchestrator/model/plan.hpp"
#include "orchestrator/model/result.hpp"

namespace vt::runpod {

/// What a layer asks RunPod for.
struct Wish {
  std::vector<std::string> gpus;          ///< ids as the catalogue has them, in the order to try
  std::vector<std::string> clouds;        ///< "SECURE", "COMMUNITY", in the order to try
  std::vector<std::string> data_centers;  ///< in the order to try; empty: any
  std::string image;
  int gpu_count = 1;               ///< GPUs of one pod
  int disk_gb = 0;                 ///< container disk
  std::string min_cuda;            ///< "12.8"; empty: any
  bool accept_weak_lease = false;  ///< use the pod even if it cannot prove that it can end itself
};

/// Reads the layer's options. Errc::config names the first that cannot be.
Result<Wish> wish_of(const Layer&);

}  // namespace vt::runpod
