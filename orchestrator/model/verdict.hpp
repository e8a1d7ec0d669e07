#pragma once
#include <optional>
#include <string_view>

namespace vt {

/// The outcome of one check on one host. See ARCHITECTURE.md, "Verdicts".
enum class Verdict { pass, warn, fail, skip, blocked, error, cancelled, info };
/// Why a verdict is not a pass. `none` only with pass.
enum class Cause { none, capability, dependency, check, host, infrastructure, self_test, budget, operator_, rehearsal };
/// What a missed expectation amounts to: gate -> fail, warn -> warn, info -> info.
enum class Severity { gate, warn, info };
enum class Level { quick, standard, full };
/// Where a figure comes from; only `real` counts as evidence.
enum class EvidenceOrigin { real, rehearsal, imported };

/// pass, warn and fail: the check ran and was held against something. info has nothing to hold against and proves nothing.
constexpr bool proves(Verdict v) { return v == Verdict::pass || v == Verdict::warn || v == Verdict::fail; }
constexpr bool counts_against(Verdict v) {
  return v == Verdict::fail || v == Verdict::blocked || v == Verdict::error || v == Verdict::cancelled;
}

std::string_view name(Verdict);
std::string_view name(Cause);
std::string_view name(Severity);
std::string_view name(Level);
std::string_view name(EvidenceOrigin);

/// The enumerator with that name (as printed by name()), or nullopt.
template <class Enum>
std::optional<Enum> from_name(std::string_view);

}  // namespace vt
