#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "orchestrator/model/money.hpp"
#include "orchestrator/model/result.hpp"

namespace vt {

/// A price as written down: what, where from and when.
struct Price {
  Money hourly;
  std::string source;  ///< "price book gcp of 2026-07-30", with ", unconfirmed" where the book says so
};

/// plans/prices/<provider>.yaml: prices that a provider's API does not tell, each with its source and date.
class PriceBook {
 public:
  /// Errc::config with file:line:column if any figure is missing, zero, negative, no amount of US dollars, unbelievable or there
  /// twice: of such a book nothing is used.
  static Result<PriceBook> read(const std::string& file);
  /// Of a whole machine, without disk. nullopt: not in the book, so nothing may be created.
  [[nodiscard]] std::optional<Price> machine(std::string_view type, std::string_view region, std::string_view market) const;
  /// Of that many gigabytes of a disk type, per hour.
  [[nodiscard]] std::optional<Price> disk(std::string_view type, std::string_view region, int gigabytes) const;
  /// Of one public IPv4 address in use, per hour.
  [[nodiscard]] std::optional<Price> address(std::string_view market) const;
  [[nodiscard]] const std::string& date() const { return date_; }

  /// One figure of the book.
  struct Entry {
    std::string kind, type, region, market;  ///< kind: "machines", "disks", "addresses"; region "elsewhere": where there is no other
    Money amount;                            ///< per hour; of a disk per gigabyte and month
    bool confirmed = true;
  };

 private:
  [[nodiscard]] const Entry* find(std::string_view kind, std::string_view type, std::string_view region, std::string_view market) const;
  [[nodiscard]] Price price(const Entry&, Money hourly) const;

  std::string provider_, date_;
  std::vector<Entry> entries_;
};

}  // namespace vt
