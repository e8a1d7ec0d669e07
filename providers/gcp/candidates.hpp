#pragma once
#include <string>
#include <vector>

#include "orchestrator/cost/price_book.hpp"
#include "providers/gcp/wish.hpp"
#include "providers/provider.hpp"

namespace vt::gcp {

/// Every market in every zone, in the plan's order: all zones of the first market, then all of the next. A market is the bigger
/// difference (spot costs less than half), so a sold-out zone is answered by the next zone before it is by a dearer market.
/// The price is that of machine, accelerators, boot disk and address; price_known is false where one of them is not in the book, or
/// there is no book.
std::vector<Candidate> candidates_of(const Wish&, const Result<PriceBook>&);
/// <prices>/gcp.yaml
Result<PriceBook> read_prices(const std::string& prices);
/// Of the cheapest candidate.
Quote quote_of(const std::vector<Candidate>&);

/// The zones that the last stock-out recommended, for one machine type.
struct Hint {
  std::string machine;
  std::vector<std::string> zones;
};
/// Within each market the recommended zones come first; the order of the markets stays.
void apply(const Hint&, std::vector<Candidate>&);

}  // namespace vt::gcp
