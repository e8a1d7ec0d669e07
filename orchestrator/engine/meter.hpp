#pragma once
#include <string>
#include <thread>

#include "orchestrator/engine/context.hpp"

namespace vt {

/// What a layer has cost so far: closed rows by their recorded cost, open ones by the clock.
Result<Money> spent_by(Context&, const std::string& run, const std::string& layer);

/// The running meter of a layer: tells what it has cost whenever that has changed by a cent, until it goes.
class Meter {
 public:
  Meter(Context&, std::string run, std::string layer);

 private:
  std::jthread thread_;
};

}  // namespace vt
