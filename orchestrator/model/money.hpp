#pragma once
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace vt {

/// US dollars in integer micro-dollars: sums are exact, no doubles.
struct Money {
  std::int64_t micro = 0;
  auto operator<=>(const Money&) const = default;
  Money& operator+=(Money o) { return micro += o.micro, *this; }
  friend Money operator+(Money a, Money b) { return {a.micro + b.micro}; }
  friend Money operator-(Money a, Money b) { return {a.micro - b.micro}; }
  /// "$0.22": cents, rounded up so that a cost is never shown as less than it is.
  [[nodiscard]] std::string text() const;
  /// "9", "0.45", "$1.5" -> Money; nullopt on anything else, on negatives and on more than six decimals.
  static std::optional<Money> parse(std::string_view);
};

/// Price of `seconds` at `hourly`, rounded up to a micro-dollar.
Money price_for(Money hourly, std::int64_t seconds);

}  // namespace vt
