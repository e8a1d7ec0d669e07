#include "providers/gcp/host_key.hpp"

#include <nlohmann/json.hpp>

#include "orchestrator/model/failpoint.hpp"
#include "orchestrator/model/text.hpp"
#include "providers/gcp/json.hpp"
#include "providers/ssh_keys.hpp"

namespace vt::gcp {

Result<std::optional<std::string>> host_key(Api& api, const Resource& r) {
  VT_FAILPOINT("gcp.host_key");
  auto reply = api.get(zonal(r.account, r.zone, "instances", r.owner.name) + "/getGuestAttributes?queryPath=hostkeys/");
  if (!reply && reply.error().code == Errc::not_found) return std::optional<std::string>();  // 404 until the agent has written
  if (!reply) return fail(reply.error());
  for (auto& item : member(member(*reply, "queryValue"), "items")) {
    if (text_of(item, "key") != "ssh-ed25519") continue;
    VT_TRY(std::string fingerprint, ed25519_fingerprint(std::string(trim(text_of(item, "value")))));
    return std::optional(fingerprint);
  }
  return std::optional<std::string>();
}

}  // namespace vt::gcp
