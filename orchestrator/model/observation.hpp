#pragma once
#include <optional>
#include <string>
#include <vector>

#include "orchestrator/model/clock.hpp"
#include "orchestrator/model/value.hpp"
#include "orchestrator/model/verdict.hpp"

namespace vt {

/// Where an observation belongs. All parts together are unique.
struct ObservationKey {
  std::string run, layer, host;
  int attempt = 1;
  std::string phase = "test";  ///< "test"; later "build", "after-reboot", …
  std::string check;
  std::string subject;  ///< what of the host: "" (all of it), a GPU serial, a pair, a rank group
  int sample = 0;
};

/// Output kept within bounds: the first and last 64 KiB, and how much there was.
struct Output {
  std::string head, tail;  ///< tail is empty while everything fits in head
  std::uint64_t bytes = 0, lines = 0;
  [[nodiscard]] bool cut() const { return bytes > head.size() + tail.size(); }
};

/// What was measured, raw. Never a verdict: it can be judged again under other rules.
struct Observation {
  ObservationKey key;
  EvidenceOrigin origin = EvidenceOrigin::real;
  std::string device;  ///< on what it was measured: "cpu", a GPU's name and UUID
  std::string agent;   ///< build id of the agent
  EpochMs started = 0;
  Duration took{0};
  std::optional<int> exit_code;  ///< empty if it never ended by itself
  int signal = 0;
  bool timed_out = false;
  Values values;  ///< as read by the check's readers, and what an agent check returned
  Output out, err;
  std::string problem;  ///< why there is no result: "agent lost", "timed out after 10s"; empty if it ran
};

/// One value under one rule.
struct ValueJudgement {
  std::string value;     ///< its name
  std::string measured;  ///< as text, with unit
  std::string rule;      ///< "at-least 6.13"; empty if only recorded
  std::string verdict;   ///< held, missed, unreadable, recorded, not applicable; against a baseline also low, implausible, no baseline
  std::string why;
};

/// The verdict on one check on one host under one set of rules.
struct Judgement {
  ObservationKey key;
  Verdict verdict = Verdict::error;
  Cause cause = Cause::none;
  std::string reason;                ///< one line; empty for a plain pass
  std::string capability, evidence;  ///< for skip, and error by an unknown capability
  std::vector<ValueJudgement> values;
  EvidenceOrigin origin = EvidenceOrigin::real;
  EpochMs at = 0;
};

}  // namespace vt
