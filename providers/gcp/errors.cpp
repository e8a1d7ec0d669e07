#include "providers/gcp/errors.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "orchestrator/model/text.hpp"
#include "providers/gcp/json.hpp"

namespace vt::gcp {

namespace {

using Kind = Finding::Kind;

Kind kind_of(const std::string& code, const std::string& message, int status) {
  for (auto& rule : error_rules())
    if (glob_match(rule.code, code) && glob_match(rule.message, message)) return rule.kind;
  switch (status) {
    case 401:
    case 403: return Kind::auth;
    case 429: return Kind::rate;
    default: return status >= 500 ? Kind::unready : Kind::policy;
  }
}

/// The zones in errorInfo's metadata, comma-separated; often none.
std::vector<std::string> zones_available(const Json& error) {
  std::vector<std::string> zones;
  for (auto& detail : member(error, "errorDetails"))
    for (auto& zone : split(text_of(member(member(detail, "errorInfo"), "metadatas"), "zonesAvailable"), ',')) zones.push_back(zone);
  return zones;
}

}  // namespace

const std::vector<ErrorRule>& error_rules() {
  static const std::vector<ErrorRule> rules{
      {"ZONE_RESOURCE_POOL_EXHAUSTED*", "*", Kind::stock_out},  // also …_WITH_DETAILS; the text varies, the code does not
      {"UNSUPPORTED_OPERATION", "*", Kind::stock_out},          // preempted while it was being created
      {"insufficientCapacity", "*", Kind::stock_out},
      {"GPU_STOCKOUT", "*", Kind::stock_out},
      {"QUOTA_EXCEEDED", "*_ALL_REGIONS*", Kind::quota},
      {"quotaExceeded", "*_ALL_REGIONS*", Kind::quota},
      {"QUOTA_EXCEEDED", "*globally*", Kind::quota},
      {"quotaExceeded", "*globally*", Kind::quota},
      {"QUOTA_EXCEEDED", "*", Kind::region_quota},
      {"quotaExceeded", "*", Kind::region_quota},
      {"rateLimitExceeded", "*", Kind::rate},
      {"userRateLimitExceeded", "*", Kind::rate},
      {"RESOURCE_NOT_READY", "*", Kind::unready},
      {"resourceNotReady", "*", Kind::unready},
      {"*", "*not available in*", Kind::not_found},
      {"*", "*does not exist in zone*", Kind::not_found},
      {"invalid", "*resource.machineType*", Kind::not_found},
      {"notFound", "*/zones/*", Kind::not_found},  // the zone itself, or a machine, disk or accelerator type in it
      {"authError", "*", Kind::auth},
      {"*", "*billing to be enabled*", Kind::funds},
      {"accessNotConfigured", "*", Kind::auth},
      {"forbidden", "*", Kind::auth},
      {"notFound", "*", Kind::policy},  // an image, a network or the project: missing in every zone
  };
  return rules;
}

Refusal refusal_of_reply(int status, const std::string& body) {
  auto parsed = parse_object(body);
  const Json none;
  auto& error = member(parsed ? *parsed : none, "error");
  auto& errors = member(error, "errors");
  Refusal refusal;
  if (number_of(error, "code") == status) {
    if (errors.is_array() && !errors.empty()) refusal.code = text_of(errors.front(), "reason");
    if (refusal.code.empty()) refusal.code = text_of(error, "status");
  }
  auto message = printable(text_of(error, "message"));
  refusal.kind = kind_of(refusal.code, message, status);
  refusal.what = "HTTP " + std::to_string(status) + (message.empty() ? "" : ": " + message);
  return refusal;
}

Refusal refusal_of_operation(const Json& operation) {
  auto& errors = member(member(operation, "error"), "errors");
  Refusal refusal;
  refusal.kind = Kind::unready;
  refusal.what = "the operation failed without saying why";
  if (!errors.is_array() || errors.empty()) return refusal;
  auto& error = errors.front();
  auto message = printable(text_of(error, "message"));
  refusal.code = text_of(error, "code");
  refusal.kind = kind_of(refusal.code, message, static_cast<int>(number_of(operation, "httpErrorStatusCode")));
  refusal.what = printable(refusal.code) + ": " + message;
  refusal.zones = zones_available(error);
  return refusal;
}

Error as_error(const Refusal& refusal) {
  switch (refusal.kind) {
    case Kind::auth: return {Errc::auth, refusal.what};
    case Kind::quota: return {Errc::quota, refusal.what};
    case Kind::region_quota: return {Errc::region_quota, refusal.what};
    case Kind::stock_out:
    case Kind::not_found: return {Errc::capacity, refusal.what};  // another zone may do
    case Kind::rate:
    case Kind::unready: return {Errc::transport, refusal.what};
    default: return {Errc::refused, refusal.what};
  }
}

}  // namespace vt::gcp
