#include "providers/gcp/fate.hpp"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <string_view>

#include "orchestrator/model/text.hpp"
#include "providers/gcp/json.hpp"

namespace vt::gcp {

namespace {

/// Operations that end an instance. Google does not say how the one at the end of maxRunDuration is called, only what all have in common.
struct Ending {
  const char* operation;
  const char* text;
};
constexpr Ending kEndings[] = {
    {"compute.instances.preempted", "preempted by Compute Engine"},
    {"compute.instances.hostError", "ended by an error of Compute Engine's host"},
    {"compute.instances.*elete*", "deleted by Compute Engine at the end of its lease"},
    {"delete", "deleted on request"},
    {"stop", "stopped on request"},
};

/// A preemption is told by an operation of its own beside the "delete" that follows it, so the table's order decides.
std::string ending_in(const std::vector<Json>& operations) {
  for (auto& ending : kEndings)
    for (auto& operation : operations)
      if (glob_match(ending.operation, text_of(operation, "operationType"))) {
        auto when = printable(text_of(operation, "insertTime"));
        return ending.text + (when.empty() ? "" : " at " + when);
      }
  return "";
}

}  // namespace

bool is_ending(const std::string& status) {
  constexpr std::array<std::string_view, 7> endings{"STOPPING",  "STOPPED",      "TERMINATED",    "SUSPENDING",
                                                    "SUSPENDED", "PENDING_STOP", "DEPROVISIONING"};
  return std::find(endings.begin(), endings.end(), status) != endings.end();
}

Result<std::string> ending_of(Api& api, const Resource& r) {
  if (r.provider_id.empty()) return std::string();
  VT_TRY(Items items, api.list(zonal(r.account, r.zone, "operations"), "targetId = " + r.provider_id));
  std::vector<Json> ours;
  for (auto& item : items.found)
    if (text_of(item, "targetId") == r.provider_id) ours.push_back(item);
  return ending_in(ours);
}

Result<std::string> fate_of(Api& api, const Resource& r) {
  auto instance = api.get(zonal(r.account, r.zone, "instances", r.owner.name));
  if (!instance && instance.error().code != Errc::not_found) return fail(instance.error());
  if (instance && !is_ending(text_of(*instance, "status"))) return std::string();
  VT_TRY(std::string ending, ending_of(api, r));
  if (!ending.empty()) return ending;
  bool over = api.clock().wall() >= r.owner.expires;
  return std::string(over ? "gone; its lease is over" : "gone, and Compute Engine does not say why");
}

}  // namespace vt::gcp
