#include "providers/runpod/preflight.hpp"

#include <algorithm>

#include "orchestrator/model/text.hpp"
#include "providers/runpod/catalogue.hpp"

namespace vt::runpod {

namespace {

using Kind = Finding::Kind;
using Weight = Finding::Weight;

/// Leases are counted on both sides.
constexpr std::int64_t kMostSkewMs = 120'000;
constexpr std::size_t kNamesShown = 8;

Finding no_answer(const Error& error) {
  if (error.code == Errc::auth)
    return {Kind::auth, Weight::stops, "RunPod does not accept the key: " + error.what,
            "set RUNPOD_API_KEY to a key that may read and write pods (docs/setup-runpod.md)"};
  if (error.code == Errc::transport) return {Kind::network, Weight::stops, "RunPod cannot be asked: " + error.what, "try again later"};
  return {Kind::policy, Weight::stops, "RunPod refuses: " + error.what, "see docs/setup-runpod.md"};
}

void look_at_clock(const std::optional<EpochMs>& theirs, EpochMs ours, std::vector<Finding>& out) {
  if (!theirs)
    out.push_back({Kind::policy, Weight::warns, "the clock of RunPod's server could not be read: its reply has no date",
                   "see that this machine's clock is right (NTP): the end of every lease depends on it"});
  if (!theirs || std::abs(*theirs - ours) <= kMostSkewMs) return;
  out.push_back({Kind::policy, Weight::stops,
                 "this machine's clock and RunPod's are " + short_text(Duration{std::abs(*theirs - ours)}) + " apart",
                 "set the clock (NTP): the end of every lease depends on it"});
}

/// The names a user may have meant: by typing error, else by a part of the name.
std::string meant(const std::string& gpu, const std::vector<std::string>& known) {
  if (auto name = nearest(gpu, known); !name.empty()) return name;
  auto word = gpu.substr(gpu.rfind(' ') + 1);
  std::vector<std::string> names;
  for (auto& name : known)
    if (name.find(word) != std::string::npos && names.size() < kNamesShown) names.push_back(name);
  return join(names, ", ");
}

void look_at_gpus(const Wish& wish, const Catalogue& catalogue, std::vector<Finding>& out) {
  for (auto& gpu : wish.gpus) {
    if (catalogue.knows(gpu)) continue;
    auto names = printable(meant(gpu, catalogue.gpus()));
    bool none = std::none_of(wish.gpus.begin(), wish.gpus.end(), [&](auto& other) { return catalogue.knows(other); });
    out.push_back({Kind::not_found, none ? Weight::stops : Weight::warns, "RunPod has no GPU \"" + printable(gpu) + "\"",
                   names.empty() ? "use the id that RunPod's catalogue shows" : "perhaps: " + names});
  }
}

void look_at_offers(const Wish& wish, const std::vector<Candidate>& offers, std::vector<Finding>& out) {
  auto gpus = printable(join(wish.gpus, ", "));
  if (std::none_of(offers.begin(), offers.end(), [](auto& c) { return c.price_known; }))
    out.push_back({Kind::price, Weight::stops, "RunPod shows no price for " + gpus + " on " + join(wish.clouds, ", "),
                   "without a price nothing is created; ask for another GPU or cloud"});
  else if (std::none_of(offers.begin(), offers.end(), [](auto& c) { return c.in_stock; }))
    out.push_back({Kind::stock_out, Weight::warns, "RunPod has none of " + gpus + " just now as the plan wants them",
                   "try later, or add a GPU, cloud or data center to the plan"});
}

}  // namespace

std::vector<Finding> preflight(Api& api, const Wish& wish, const Clock& clock) {
  if (!api.has_key())
    return {{Kind::auth, Weight::stops, "RUNPOD_API_KEY is not set", "make a key as docs/setup-runpod.md says and set it"}};
  std::vector<Finding> out;
  auto pods = api.pods();
  if (!pods) return {no_answer(pods.error())};
  look_at_clock(pods->date, clock.wall(), out);
  auto catalogue = Catalogue::read(api, wish);
  if (!catalogue) {
    out.push_back(no_answer(catalogue.error()));
    return out;
  }
  look_at_gpus(wish, *catalogue, out);
  auto known = std::any_of(wish.gpus.begin(), wish.gpus.end(), [&](auto& gpu) { return catalogue->knows(gpu); });
  if (known) look_at_offers(wish, catalogue->candidates(wish, clock.wall()), out);
  return out;
}

}  // namespace vt::runpod
