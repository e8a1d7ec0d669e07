#include "orchestrator/model/event.hpp"

#include <array>

namespace vt {

namespace {
constexpr std::array<std::string_view, 13> kStates{"waiting", "preflight", "acquire", "connect", "deploy", "probe",    "execute",
                                                   "collect", "release",   "done",    "blocked", "failed", "cancelled"};
}

std::string_view name(LayerState s) { return kStates.at(static_cast<std::size_t>(s)); }

std::optional<LayerState> layer_state_from(std::string_view text) {
  for (std::size_t i = 0; i < kStates.size(); ++i)
    if (kStates[i] == text) return static_cast<LayerState>(i);
  return std::nullopt;
}

}  // namespace vt
