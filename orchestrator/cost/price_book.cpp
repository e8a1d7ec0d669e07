#include "orchestrator/cost/price_book.hpp"

#include <array>
#include <set>

#include "orchestrator/plan/fields.hpp"
#include "orchestrator/plan/problems.hpp"
#include "orchestrator/plan/scalars.hpp"
#include "orchestrator/plan/yaml_reader.hpp"

namespace vt {

namespace {

using yaml::Fields;
using yaml::Node;

/// Nothing costs more per hour; a figure beyond it is a mistake.
constexpr Money kDearest{1'000'000'000};
constexpr std::int64_t kHoursPerMonth = 730;  ///< as Compute Engine counts a month
constexpr std::string_view kElsewhere = "elsewhere", kOnDemand = "on-demand", kSpot = "spot", kIpv4 = "ipv4";

/// Fills entries from one file; what does not fit becomes a problem at its place.
class Reader {
 public:
  explicit Reader(Problems& problems) : problems_(problems) {}

  void read(const Node& file, std::string& provider, std::string& date) {
    Fields fields(file, "a price book", {"vault-test-prices", "provider", "date", "currency", "machines", "disks", "addresses"}, problems_);
    int version = 0;
    std::string currency;
    for (auto key : {"vault-test-prices", "provider", "date", "currency"}) fields.need(key);
    fields.read("vault-test-prices", version, 1, 1);
    fields.read("provider", provider, is_plain_name, "[a-z0-9][a-z0-9._-]{0,62}");
    fields.read("date", date, is_date, "a date such as 2026-07-30");
    fields.read(
        "currency", currency, [](std::string_view text) { return text == "USD"; }, "USD, the only currency we count in");
    for (auto kind : {"machines", "disks", "addresses"})
      if (auto groups = fields.find(kind)) read_groups(kind, *groups);
  }
  std::vector<PriceBook::Entry> take() { return std::move(entries_); }

 private:
  void read_groups(const std::string& kind, const Node& groups) {
    if (groups.kind != Node::Kind::list) return complain(problems_, groups.where, kind + is_what(groups) + "; expected a list of groups");
    for (auto& group : groups.items) {
      Fields fields(group, "a group of prices", {"source", "confirmed", "types"}, problems_);
      std::string source;
      fields.need("source");
      fields.read("source", source);
      PriceBook::Entry entry;
      entry.kind = kind;
      fields.read("confirmed", entry.confirmed);
      if (auto types = fields.need("types")) read_types(*types, entry);
    }
  }

  void read_types(const Node& types, PriceBook::Entry entry) {
    Fields fields(types, "types", {}, problems_);
    for (auto& type : types.entries) {
      entry.type = type.key;
      Fields regions(type.value, "a type's prices", {}, problems_);
      for (auto& region : type.value.entries) {
        entry.region = region.key;
        read_figures(region.value, entry);
      }
    }
  }

  /// "4.5", or "[4.5, 1.8]": on demand and spot.
  void read_figures(const Node& node, PriceBook::Entry& entry) {
    if (node.kind != Node::Kind::list) return read_figure(node, kOnDemand, entry);
    if (node.items.size() != 2)
      return complain(problems_, node.where, "found a list of " + std::to_string(node.items.size()) + "; expected [on-demand, spot]");
    read_figure(node.items[0], kOnDemand, entry);
    read_figure(node.items[1], kSpot, entry);
  }

  void read_figure(const Node& node, std::string_view market, PriceBook::Entry& entry) {
    if (node.kind != Node::Kind::scalar)
      return complain(problems_, node.where, "the price of " + entry.type + is_what(node) + "; expected an amount of US dollars");
    auto amount = Money::parse(node.text);
    if (!amount)
      return complain(problems_, node.where, "price " + in_quotes(node.text) + " is not an amount of US dollars; expected for example 4.5");
    if (amount->micro == 0 || *amount > kDearest)
      return complain(problems_, node.where, "price " + in_quotes(node.text) + " cannot be right; expected more than 0 and at most 1000");
    entry.amount = *amount, entry.market = market;
    if (seen_.insert(entry.kind + " " + entry.type + " " + entry.region + " " + entry.market).second) entries_.push_back(entry);
    else complain(problems_, node.where, entry.type + " in " + entry.region + ", " + entry.market + ", is priced twice; expected it once");
  }

  Problems& problems_;
  std::vector<PriceBook::Entry> entries_;
  std::set<std::string> seen_;
};

Error first_of(const Problems& problems) {
  auto more = problems.size() - 1;
  return {Errc::config, problems.front().text() + (more ? " (and " + std::to_string(more) + " more)" : "")};
}

}  // namespace

Result<PriceBook> PriceBook::read(const std::string& file) {
  Problems problems;
  PriceBook book;
  if (auto root = yaml::read_file(file, problems)) {
    Reader reader(problems);
    reader.read(*root, book.provider_, book.date_);
    book.entries_ = reader.take();
  }
  sort_problems(problems, {file});
  if (!problems.empty()) return fail(first_of(problems));
  return book;
}

const PriceBook::Entry* PriceBook::find(std::string_view kind, std::string_view type, std::string_view region,
                                        std::string_view market) const {
  for (auto wanted : std::array{region, kElsewhere})
    for (auto& entry : entries_)
      if (entry.type == type && entry.region == wanted && entry.market == market && entry.kind == kind) return &entry;
  return nullptr;
}

Price PriceBook::price(const Entry& entry, Money hourly) const {
  return {hourly, "price book " + provider_ + " of " + date_ + (entry.confirmed ? "" : ", unconfirmed")};
}

std::optional<Price> PriceBook::machine(std::string_view type, std::string_view region, std::string_view market) const {
  auto entry = find("machines", type, region, market);
  return entry ? std::optional(price(*entry, entry->amount)) : std::nullopt;
}

std::optional<Price> PriceBook::disk(std::string_view type, std::string_view region, int gigabytes) const {
  auto entry = find("disks", type, region, kOnDemand);
  if (!entry || gigabytes <= 0) return std::nullopt;
  return price(*entry, {(entry->amount.micro * gigabytes + kHoursPerMonth - 1) / kHoursPerMonth});
}

std::optional<Price> PriceBook::address(std::string_view market) const {
  auto entry = find("addresses", kIpv4, kElsewhere, market);
  return entry ? std::optional(price(*entry, entry->amount)) : std::nullopt;
}

}  // namespace vt
