#pragma once
#include <compare>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace vt {

/// A version compared number by number, so that 6.8 < 6.13. Only the leading dotted numbers count:
/// "6.8.0-45-generic" is 6.8.0, "570.133.20" is 570.133.20; missing parts count as zero.
class Version {
 public:
  /// The first run of dotted numbers in `text` ("Docker version 24.0.5, build x" -> 24.0.5); nullopt if there is none.
  static std::optional<Version> parse(std::string_view text);
  [[nodiscard]] const std::vector<unsigned long>& parts() const { return parts_; }
  [[nodiscard]] std::string text() const;
  /// "12.8" covers 12.8 and 12.8.x: every part given here is equal there.
  [[nodiscard]] bool is_prefix_of(const Version&) const;
  friend std::strong_ordering operator<=>(const Version&, const Version&);
  friend bool operator==(const Version& a, const Version& b) { return std::is_eq(a <=> b); }

 private:
  std::vector<unsigned long> parts_;
};

}  // namespace vt
