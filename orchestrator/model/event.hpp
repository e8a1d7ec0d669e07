#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "orchestrator/model/clock.hpp"
#include "orchestrator/model/money.hpp"
#include "orchestrator/model/verdict.hpp"

namespace vt {

/// Where a layer is in its pipeline. The state lives in the store, so that `resume` can go on.
enum class LayerState { waiting, preflight, acquire, connect, deploy, probe, execute, collect, release, done, blocked, failed, cancelled };

namespace event {
struct RunStarted {
  std::string plan, subject;
};
struct RunResumed {
  std::string by;
};
struct LayerMoved {
  LayerState state = LayerState::waiting;
  std::string detail;
};
/// connected: what it is
struct HostReady {
  std::string host, detail;
};
struct CapabilityDiffers {
  std::string host, capability, predicted, probed, evidence;
};
struct CheckStarted {
  std::string host, check;
  int number = 0, of = 0;
};
/// fraction < 0: unknown
struct CheckProgress {
  std::string host, check, text;
  double fraction = -1;
};
struct CheckJudged {
  std::string host, check;
  Verdict verdict = Verdict::error;
  Cause cause = Cause::none;
  std::string reason;
  int number = 0, of = 0;
};
struct ResourceMoved {
  std::string name, state, detail;
};
struct Spent {
  Money total;
};
/// level: info, warn, error
struct Noted {
  std::string level, text;
};
struct RunEnded {
  int exit_code = 0;
  std::string sentence;
};
}  // namespace event

using EventBody =
    std::variant<event::RunStarted, event::RunResumed, event::LayerMoved, event::HostReady, event::CapabilityDiffers, event::CheckStarted,
                 event::CheckProgress, event::CheckJudged, event::ResourceMoved, event::Spent, event::Noted, event::RunEnded>;

/// Stored first, then shown: terminal, pipe and --json all read the stored ones.
struct Event {
  int version = 1;
  std::int64_t sequence = 0;  ///< per run, from 1, without gaps
  EpochMs at = 0;
  std::string run, layer;  ///< layer empty: about the run as a whole
  EventBody body;
};

std::string_view name(LayerState);
std::optional<LayerState> layer_state_from(std::string_view);

}  // namespace vt
