#include "providers/gcp/candidates.hpp"

#include <algorithm>
#include <optional>

namespace vt::gcp {

namespace {

using std::chrono::seconds;

/// Sum of the parts, with the machine's source; nothing as soon as one part is not priced.
std::optional<Price> price_of(const PriceBook& book, const Wish& wish, const std::string& market, const std::string& zone) {
  auto region = region_of(zone);
  auto total = book.machine(wish.machine.name, region, market);
  auto add = [&](const std::optional<Price>& part, int count = 1) {
    if (!part) total.reset();
    else if (total) total->hourly.micro += part->hourly.micro * count;
  };
  for (auto& accelerator : wish.accelerators) add(book.machine(accelerator.type, region, market), accelerator.count);
  add(book.disk(wish.disk_type, region, wish.disk_gb));
  if (wish.public_address) add(book.address(market));
  return total;
}

}  // namespace

std::vector<Candidate> candidates_of(const Wish& wish, const Result<PriceBook>& book) {
  std::vector<Candidate> all;
  for (auto& market : wish.markets)
    for (auto& zone : wish.zones) {
      auto price = book ? price_of(*book, wish, market, zone) : std::nullopt;
      Candidate one;
      one.text = wish.machine.name + ", " + market + ", " + zone;
      one.machine = wish.machine.name;
      one.market = market;
      one.zone = zone;
      one.price_known = price.has_value();
      one.hourly = price ? price->hourly : Money{};
      one.price_source = price ? price->source : "";
      all.push_back(std::move(one));
    }
  return all;
}

Result<PriceBook> read_prices(const std::string& prices) { return PriceBook::read(prices + "/gcp.yaml"); }

Quote quote_of(const std::vector<Candidate>& candidates) {
  Quote quote;
  quote.known = false;
  for (auto& c : candidates) {
    if (!c.price_known || (quote.known && c.hourly >= quote.hourly)) continue;
    quote.known = true;
    quote.hourly = c.hourly;
    quote.market = c.market;
  }
  quote.start_low = seconds(40);
  quote.start_high = seconds(240);
  return quote;
}

void apply(const Hint& hint, std::vector<Candidate>& candidates) {
  auto recommended = [&](const Candidate& c) {
    return c.machine == hint.machine && std::find(hint.zones.begin(), hint.zones.end(), c.zone) != hint.zones.end();
  };
  for (auto first = candidates.begin(); first != candidates.end();) {
    auto last = std::find_if(first, candidates.end(), [&](const Candidate& c) { return c.market != first->market; });
    std::stable_partition(first, last, recommended);
    first = last;
  }
}

}  // namespace vt::gcp
