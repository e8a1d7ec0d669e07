#include "orchestrator/engine/look.hpp"

#include "providers/nap.hpp"

namespace vt {

namespace {

/// By name; another token under the same name is a stranger's copy. A part without marks of its own (a disk) goes by its name.
bool is_it(const Resource& seen, const Resource& row) {
  return seen.owner.name == row.owner.name && (seen.owner.token.empty() || seen.owner.token == row.owner.token);
}

}  // namespace

Result<std::optional<Resource>> look(Provider& provider, const Resource& r, bool& complete) {
  VT_TRY(Listing listing, provider.list_near(r));
  complete = listing.complete;
  for (auto& seen : listing.resources)
    if (is_it(seen, r)) return std::optional<Resource>(seen);
  return std::optional<Resource>();
}

bool rest(const Clock& clock, const StopFlag& stop, Duration time) {
  return nap(clock, time, [&stop] { return stop.urgent(); });
}

Result<bool> confirmed_absent(const Clock& clock, const StopFlag& stop, Provider& provider, const Resource& r) {
  for (int looks = 0; looks < 2; ++looks) {
    if (!rest(clock, stop, looks == 0 ? Duration{0} : provider.confirm_spacing())) return false;  // the row stays open; reap confirms
    bool complete = false;
    VT_TRY(std::optional<Resource> seen, look(provider, r, complete));
    if (seen || !complete) return false;
  }
  return true;
}

}  // namespace vt
