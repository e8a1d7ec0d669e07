#pragma once
#include <optional>
#include <string>
#include <vector>

#include "orchestrator/model/money.hpp"
#include "orchestrator/model/result.hpp"

namespace vt {

/// A price as written down: what, where from and when.
struct Price {
  Money hourly;
  std::string source;  ///< "price book gcp of 2026-07-30"
};

/// plans/prices/<provider>.yaml: prices that a provider's API does not tell, each with its source and date.
class PriceBook {
 public:
  static Result<PriceBook> read(const std::string& file);
  /// Of a whole machine, without disk. nullopt: not in the book, so nothing may be created.
  [[nodiscard]] std::optional<Price> machine(const std::string& type, const std::string& region, const std::string& market) const;
  /// Of that many gigabytes of a disk type, per hour.
  [[nodiscard]] std::optional<Price> disk(const std::string& type, const std::string& region, int gigabytes) const;
  /// Of one public IPv4 address in use, per hour.
  [[nodiscard]] std::optional<Price> address(const std::string& market) const;
  [[nodiscard]] const std::string& date() const { return date_; }

 private:
  struct Entry {
    std::string kind, type, region, market;
    Money amount;
  };
  std::string provider_, date_;
  std::vector<Entry> entries_;
};

}  // namespace vt
