#pragma once
#include <string>
#include <string_view>

#include "orchestrator/model/clock.hpp"
#include "orchestrator/model/money.hpp"

namespace vt {

/// Life of a thing that costs money or is left behind:
/// planned -> creating -> {created | ambiguous | refused} -> ready -> deleting -> gone; ambiguous -> {created |
/// presumed_absent}; gone, presumed_absent and refused -> deleting again if the thing is ever seen. Rows are never deleted.
/// Besides: created -> deleting (it never became ready), planned -> refused (never attempted), creating -> planned
/// (the provider turned the call away unread, to be tried again).
enum class ResourceState { planned, creating, created, ambiguous, refused, ready, deleting, gone, presumed_absent };

/// Not refused, gone or presumed absent: may still cost money or be left behind.
constexpr bool is_open(ResourceState s) {
  return s != ResourceState::refused && s != ResourceState::gone && s != ResourceState::presumed_absent;
}

/// The steps of that life; staying in a state is none.
constexpr bool may_follow(ResourceState from, ResourceState to) {
  using enum ResourceState;
  switch (from) {
    case planned: return to == creating || to == refused;
    case creating: return to == created || to == ambiguous || to == refused || to == planned;
    case created: return to == ready || to == deleting;
    case ambiguous: return to == created || to == presumed_absent;
    case ready: return to == deleting;
    case deleting: return to == gone;
    case refused:
    case gone:
    case presumed_absent: return to == deleting;
  }
  return false;
}

/// Proof that a thing is ours, readable without the ledger: travels inside the create call.
struct Ownership {
  std::string install;  ///< 8 characters, this installation
  std::string attempt;  ///< 80 random bits in base32; never reused
  std::string name;     ///< "vt-<install>-<attempt>"
  EpochMs expires = 0;  ///< end of the lease
  std::string token;    ///< base32(HMAC-SHA256(key of the installation, provider|account|name|expires)), 26 characters
};

/// One row of the ledger.
struct Resource {
  Ownership owner;
  std::string provider, account, zone;
  std::string kind;             ///< "host", "disk", "image"
  std::string machine, market;  ///< of the candidate: "g4-standard-48", "spot"
  std::string request_id;       ///< UUID that the provider recognises a repeated create by, where it can
  std::string price_source;     ///< where `hourly` comes from
  std::string run, layer;
  std::string provider_id;  ///< known once created
  std::string body;         ///< the create request, without secrets, for a byte-identical replay
  std::string access;       ///< how to reach it (JSON of a HostSpec), once ready
  ResourceState state = ResourceState::planned;
  int generation = 0;  ///< raised by whoever takes over; a superseded holder stops
  std::string holder;  ///< "pid:start-time:boot-id" of the process in charge
  EpochMs lease_until = 0, created = 0, closed = 0;
  Money hourly, reserved, cost;
  int looks_absent = 0;  ///< complete listings in a row without it
  bool keep = false;     ///< the user wants it kept until the lease ends
  std::string reason;    ///< why it is in this state
};

std::string_view name(ResourceState);

}  // namespace vt
