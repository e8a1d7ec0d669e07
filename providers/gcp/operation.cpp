#include "providers/gcp/operation.hpp"

#include <nlohmann/json.hpp>

#include "orchestrator/model/failpoint.hpp"
#include "providers/gcp/json.hpp"

namespace vt::gcp {

namespace {

constexpr Duration kPollSpacing{2000};

std::string operations(const std::string& project, const std::string& zone) {
  return zone.empty() ? "projects/" + encoded(project) + "/global/operations" : zonal(project, zone, "operations");
}

}  // namespace

Result<Json> finish(Api& api, const std::string& project, const std::string& zone, const Json& operation, Deadline deadline) {
  Json latest = operation;
  auto name = text_of(operation, "name");
  while (text_of(latest, "status") != "DONE") {
    if (name.empty()) return fail(Errc::transport, "the reply names no operation");
    if (deadline.passed()) return fail(Errc::timeout, name + " is still " + text_of(latest, "status"));
    if (!api.pause(kPollSpacing, deadline)) return fail(Errc::timeout, name + " was not waited for: interrupted twice");
    VT_FAILPOINT("gcp.operation");
    auto asked = api.get(operations(project, zone) + "/" + encoded(name));
    if (asked) latest = std::move(*asked);
    else if (asked.error().code != Errc::transport && asked.error().code != Errc::timeout) return fail(asked.error());
  }
  return latest;
}

bool succeeded(const Json& operation) { return member(operation, "error").is_null(); }

Result<Json> find_insert(Api& api, const std::string& project, const std::string& zone, const std::string& request_id) {
  VT_FAILPOINT("gcp.operation");
  VT_TRY(Items items, api.list(operations(project, zone), "clientOperationId = \"" + request_id + "\""));
  for (auto& item : items.found)
    if (text_of(item, "clientOperationId") == request_id) return item;
  return Json();
}

Status remove(Api& api, const std::string& project, const std::string& zone, const std::string& path, Deadline deadline) {
  VT_FAILPOINT("gcp.destroy");
  auto reply = api.send("DELETE", path);
  if (!reply) return fail(reply.error().error);
  auto accepted = json_of(*reply);
  VT_FAILPOINT("gcp.destroyed");
  if (!accepted && accepted.error().code == Errc::not_found) return {};
  if (!accepted) return fail(accepted.error());
  VT_TRY(Json done, finish(api, project, zone, *accepted, deadline));
  if (!succeeded(done)) return fail(as_error(refusal_of_operation(done)));
  return {};
}

}  // namespace vt::gcp
