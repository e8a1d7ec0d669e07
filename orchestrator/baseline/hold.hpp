#pragma once
#include <string>

#include "orchestrator/baseline/baseline.hpp"
#include "orchestrator/model/value.hpp"

namespace vt {

/// A measured value held against a baseline.
struct Held {
  enum class State { held, low, missed, implausible, no_baseline, unreadable } state = State::held;
  std::string rule;  ///< "at-least 126 TFLOP/s: 60 % of 209.5 (theory, mh, 2026-11-20, rtx-5090.yaml)"
  std::string why;   ///< empty if held
};

/// A number, or one per GPU, of which the worst counts. `device` is the observation's: its GPUs are those that took part.
Held hold(const Value& measured, const std::string& key, const std::string& device, const Baselines&);

}  // namespace vt
