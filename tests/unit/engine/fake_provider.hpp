#pragma once
#include <algorithm>
#include <map>
#include <mutex>

#include "providers/provider.hpp"

namespace vt {

/// The world a fake provider acts on; survives the provider object, as a cloud survives its client.
struct FakeCloud {
  std::map<std::string, Resource> alive;  ///< by name
  int creates = 0, destroys = 0;
  bool lose_reply = false;    ///< the thing is made, the caller hears nothing
  bool lose_request = false;  ///< nothing is made, the caller hears nothing
  bool refuse = false;
  bool list_incomplete = false;
  int destroys_ignored = 0;                       ///< accepted, but the thing stays
  std::vector<std::string> offers{"somewhere"};   ///< zones
  std::map<std::string, Finding::Kind> refusals;  ///< by zone
  std::string hint;                               ///< zone that a refusal recommends
  int rate_limited = 0;                           ///< creates turned away unread
  int unready = 0;                                ///< hosts that come but never answer
  bool price_known = true;
  std::size_t limit = 1'000'000;                    ///< of hosts at a time
  Finding::Kind over_limit = Finding::Kind::quota;  ///< what one more is refused as
  Duration late{0}, spacing{0};
};

inline std::mutex fake_cloud_lock;  ///< slots of a layer use the cloud side by side

/// A working model of a provider with scripted faults.
class FakeProvider final : public Provider {
 public:
  explicit FakeProvider(FakeCloud& cloud) : cloud_(cloud) {}
  [[nodiscard]] Capabilities predict(const Layer&) const override { return {}; }
  [[nodiscard]] Quote quote(const Layer&) const override { return {Money{1'000'000}, true, "", {}, {}}; }
  std::vector<Finding> preflight(const Layer&) override { return {}; }
  [[nodiscard]] bool existing_hosts() const override { return false; }
  [[nodiscard]] Duration confirm_spacing() const override { return cloud_.spacing; }
  [[nodiscard]] Duration late_appearance() const override { return cloud_.late; }

  Result<std::vector<Candidate>> candidates(const Layer&) override {
    std::vector<Candidate> out;
    for (auto& zone : cloud_.offers) out.push_back({zone, "machine", "", zone, Money{1'000'000}, cloud_.price_known, "test", true});
    return out;
  }
  void reorder(std::vector<Candidate>& left) const override {
    std::stable_partition(left.begin(), left.end(), [&](auto& c) { return c.zone == cloud_.hint; });
  }

  CreateOutcome create(const Layer&, const Resource& r) override {
    std::lock_guard hold(fake_cloud_lock);
    ++cloud_.creates;
    if (cloud_.refuse) return Refused{Finding::Kind::stock_out, "no capacity", {}};
    if (cloud_.rate_limited-- > 0) return Refused{Finding::Kind::rate, "slow down", Duration{7000}};
    if (auto at = cloud_.refusals.find(r.zone); at != cloud_.refusals.end()) return Refused{at->second, "not here", {}};
    if (cloud_.lose_request) return Ambiguous{"timeout"};
    if (cloud_.alive.size() >= cloud_.limit) return Refused{cloud_.over_limit, "over quota", {}};
    Resource made = r;
    made.provider_id = "id-" + r.owner.name;
    cloud_.alive[r.owner.name] = made;
    if (cloud_.lose_reply) return Ambiguous{"connection reset"};
    return Created{made.provider_id};
  }
  Result<Allocation> wait_ready(const Layer&, const Resource& r, Deadline) override {
    std::lock_guard hold(fake_cloud_lock);
    if (cloud_.unready-- > 0) return fail(Errc::timeout, "never answered");
    Host host;
    host.name = "x";
    host.access.address = "192.0.2.1";
    return Allocation{{host}, r.owner.name};
  }
  Status destroy(const Resource& r) override {
    std::lock_guard hold(fake_cloud_lock);
    ++cloud_.destroys;
    if (cloud_.destroys_ignored > 0) return --cloud_.destroys_ignored, Status{};
    cloud_.alive.erase(r.owner.name);
    return {};
  }
  Result<Listing> list_owned(const std::string& install) override {
    Listing out;
    out.complete = !cloud_.list_incomplete;
    for (auto& [name, r] : cloud_.alive)
      if (r.owner.install == install) out.resources.push_back(r);
    return out;
  }

 private:
  FakeCloud& cloud_;
};

}  // namespace vt
