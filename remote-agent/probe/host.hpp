#pragma once
#include <algorithm>
#include <chrono>
#include <string>
#include <string_view>

#include "remote-agent/probe/answer.hpp"
#include "remote-agent/probe/files.hpp"
#include "remote-agent/probe/probe.hpp"
#include "remote-agent/probe/system.hpp"

namespace vt::probe {

/// What a probe may look at.
struct Host {
  Files files;
  System system;
  Options options;
  std::chrono::steady_clock::time_point until;  ///< when all probes together should be done

  /// How long one slow question may take: two that hang still leave the whole below a second.
  [[nodiscard]] std::chrono::milliseconds limit() const {
    auto left = std::chrono::duration_cast<std::chrono::milliseconds>(until - std::chrono::steady_clock::now());
    return std::clamp(left, std::chrono::milliseconds{0}, std::chrono::milliseconds{400});
  }
};

struct Probe {
  std::string_view id;
  bool login;  ///< holds for this login only
  Answer (*run)(const Host&);
};

}  // namespace vt::probe
