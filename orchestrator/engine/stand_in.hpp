#pragma once
#include <optional>

#include "orchestrator/engine/obstacles.hpp"

namespace vt {

/// The check with args.device = "cpu", if it says that the host's processor can stand in for GPUs and nothing but a GPU (or its
/// driver or libraries) is missing here; nullopt otherwise. What it then measures proves nothing about a GPU.
std::optional<Check> stand_in(const Check&, const ObservationKey&, const Circumstances&);

}  // namespace vt
