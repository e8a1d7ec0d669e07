#pragma once
#include <utility>

#include "remote-agent/checks/check.hpp"

namespace vt::checks {

/// What a check that computes on `device` returns, or why it could not measure.
inline Outcome outcome(const gpu::Device& device, Result<nlohmann::json> measured) {
  if (!measured) return {nlohmann::json::object(), device.info().uuid, measured.error().what};
  return {std::move(measured).take(), device.info().uuid, ""};
}

}  // namespace vt::checks
