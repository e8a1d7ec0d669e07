#include "orchestrator/model/verdict.hpp"

#include <array>

namespace vt {

namespace {
template <class Enum>
struct Names;
template <>
struct Names<Verdict> {
  static constexpr std::array<std::string_view, 8> all{"pass", "warn", "fail", "skip", "blocked", "error", "cancelled", "info"};
};
template <>
struct Names<Cause> {
  static constexpr std::array<std::string_view, 10> all{"none",           "capability", "dependency", "check",    "host",
                                                        "infrastructure", "self-test",  "budget",     "operator", "rehearsal"};
};
template <>
struct Names<Severity> {
  static constexpr std::array<std::string_view, 3> all{"gate", "warn", "info"};
};
template <>
struct Names<Level> {
  static constexpr std::array<std::string_view, 3> all{"quick", "standard", "full"};
};
template <>
struct Names<EvidenceOrigin> {
  static constexpr std::array<std::string_view, 3> all{"real", "rehearsal", "imported"};
};
}  // namespace

std::string_view name(Verdict v) { return Names<Verdict>::all.at(static_cast<std::size_t>(v)); }
std::string_view name(Cause v) { return Names<Cause>::all.at(static_cast<std::size_t>(v)); }
std::string_view name(Severity v) { return Names<Severity>::all.at(static_cast<std::size_t>(v)); }
std::string_view name(Level v) { return Names<Level>::all.at(static_cast<std::size_t>(v)); }
std::string_view name(EvidenceOrigin v) { return Names<EvidenceOrigin>::all.at(static_cast<std::size_t>(v)); }

template <class Enum>
std::optional<Enum> from_name(std::string_view text) {
  for (std::size_t i = 0; i < Names<Enum>::all.size(); ++i)
    if (Names<Enum>::all[i] == text) return static_cast<Enum>(i);
  return std::nullopt;
}
template std::optional<Verdict> from_name(std::string_view);
template std::optional<Cause> from_name(std::string_view);
template std::optional<Severity> from_name(std::string_view);
template std::optional<Level> from_name(std::string_view);
template std::optional<EvidenceOrigin> from_name(std::string_view);

}  // namespace vt
