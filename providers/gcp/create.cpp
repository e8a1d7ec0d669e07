#include "providers/gcp/create.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "orchestrator/model/failpoint.hpp"
#include "providers/gcp/errors.hpp"
#include "providers/gcp/instance_body.hpp"
#include "providers/gcp/json.hpp"
#include "providers/gcp/listing.hpp"

namespace vt::gcp {

namespace {

using std::chrono::seconds;
using Kind = Finding::Kind;

constexpr seconds kShortestLease{30}, kLongestLease{120 * 86400};  ///< the range of maxRunDuration
constexpr seconds kRateWait{10};                                   ///< where a 429 does not say how long

/// What is left of the lease, in the cloud's time: an emulator that runs faster must still end it when the ledger says.
seconds lease_left(const Api& api, const Resource& r) {
  auto left = static_cast<double>(r.owner.expires - api.clock().wall()) / 1000 / api.cloud().pace;
  return std::min(seconds(static_cast<seconds::rep>(left)), kLongestLease);
}

CreateOutcome accepted(const Reply& reply) {
  auto operation = parse_object(reply.body);
  auto id = operation ? text_of(*operation, "targetId") : "";
  if (id.empty()) return Ambiguous{"the reply to create names no instance"};
  return Created{id};
}

/// 409 on a name that is never used twice: either an earlier request of this row arrived after all, or somebody took the name.
CreateOutcome adopt(Api& api, const Resource& r) {
  auto there = api.get(zonal(r.account, r.zone, "instances", r.owner.name));
  if (!there) return Ambiguous{"the name is taken, and what has it cannot be read: " + there.error().what};
  auto id = text_of(*there, "id");
  if (r.owner.token.empty() || resource_of(*there, r.account, "host").owner.token != r.owner.token)
    return Refused{Kind::policy, "the name " + r.owner.name + " is taken by an instance that does not carry our token"};
  return id.empty() ? CreateOutcome(Ambiguous{"our instance is there without an id"}) : CreateOutcome(Created{id});
}

CreateOutcome turned_down(Api& api, const Resource& r, const Reply& reply) {
  auto refusal = refusal_of_reply(reply.status, reply.body);
  if (reply.status == 409 && refusal.code == "alreadyExists") return adopt(api, r);
  bool rate = reply.status == 429 || (reply.status == 403 && refusal.kind == Kind::rate);
  if (rate) return Refused{Kind::rate, refusal.what, api.cloud().paced(reply.retry_after.count() > 0 ? reply.retry_after : kRateWait)};
  switch (reply.status) {
    case 400:
    case 401:
    case 403:
    case 404:
    case 412:  // a rule of the organisation, e.g. against public addresses
      if (refusal.well_formed()) return Refused{refusal.kind, refusal.what};
      break;
    default: break;
  }
  return Ambiguous{refusal.what};
}

CreateOutcome not_answered(const NoReply& none) {
  if (none.sent) return Ambiguous{none.error.what};
  return Refused{none.error.code == Errc::auth ? Kind::auth : Kind::network, none.error.what};
}

}  // namespace

CreateOutcome create_instance(Api& api, const Wish& wish, const Resource& r, const std::string& ssh_key) {
  auto left = lease_left(api, r);
  if (left < kShortestLease) return Refused{Kind::policy, "the lease is over before there is an instance"};
  if (auto status = failpoint_reached("gcp.create"); !status) return Refused{Kind::network, status.error().what};
  auto path = zonal(r.account, r.zone, "instances") + "?requestId=" + encoded(r.request_id);
  auto reply = api.send("POST", path, instance_body(wish, r, ssh_key, left));
  if (auto status = failpoint_reached("gcp.created"); !status) return Ambiguous{status.error().what};
  if (!reply) return not_answered(reply.error());
  return reply->ok() ? accepted(*reply) : turned_down(api, r, *reply);
}

}  // namespace vt::gcp
