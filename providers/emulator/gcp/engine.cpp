#include <regex>

#include "providers/emulator/gcp/api.hpp"

namespace vt::emulator::gcp {

namespace {

constexpr const char* kDigits = "0123456789";

}  // namespace

std::string Engine::url(const std::string& path) const { return world.server->base() + "/compute/v1/" + path; }

std::string Engine::path_of(const std::string& url) {
  for (const char* before : {"/compute/v1/", "/compute/beta/"}) {
    auto at = url.find(before);
    if (at != std::string::npos) return url.substr(at + std::string(before).size());
  }
  return url.starts_with('/') ? url.substr(1) : url;
}

std::string Engine::new_id() { return "7" + world.draw(18, kDigits); }

std::string Engine::new_fingerprint() { return base64(world.draw(8, "abcdefghijklmnopqrstuvwxyz0123456789")); }

std::string Engine::new_address() {
  ++addresses_;
  return "127.77." + std::to_string(addresses_ / 250 % 250) + "." + std::to_string(addresses_ % 250 + 1);
}

std::optional<Reply> Engine::repeated(const Call& call) const {
  static const std::regex uuid("[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}");
  std::string request = call.param("requestId");
  if (request.empty() || call.method == "GET") return std::nullopt;
  if (!std::regex_match(request, uuid) || request.find_first_not_of("0-") == std::string::npos)
    return error(400, "invalid", "Invalid value for field 'requestId': '" + request + "'. Must be a valid UUID.");
  auto found = request_ids_.find(call.path + "?" + request);
  if (found == request_ids_.end()) return std::nullopt;
  return json_reply(operations.at(found->second)->body);
}

// NOLINTNEXTLINE(readability-function-size): an operation says all of this
Reply Engine::begin(const Call& call, const std::string& project, const std::string& scope, const std::string& type,
                    const std::string& target, const std::string& target_id, Duration length, std::function<Outcome()> at_end) {
  auto now = Clock::wall();
  auto op = std::make_shared<Operation>();
  std::string name = "operation-" + std::to_string(now) + "-" + std::to_string(++operations_) + "-" + world.draw(8, "0123456789abcdef");
  std::string path = "projects/" + project + "/" + scope + "/operations/" + name;
  op->project = project, op->scope = scope;
  op->body = {{"kind", "compute#operation"},
              {"id", new_id()},
              {"name", name},
              {"operationType", type},
              {"targetLink", url(target)},
              {"targetId", target_id},
              {"status", "RUNNING"},
              {"progress", 0},
              {"user", "rehearsal@emulator.invalid"},
              {"insertTime", stamp(now)},
              {"startTime", stamp(now)},
              {"selfLink", url(path)}};
  if (scope.starts_with("zones/")) op->body["zone"] = url("projects/" + project + "/" + scope);
  if (scope.starts_with("regions/")) op->body["region"] = url("projects/" + project + "/" + scope);
  if (std::string request = call.param("requestId"); !request.empty()) {
    op->body["clientOperationId"] = request;
    request_ids_[call.path + "?" + request] = path;
  }
  operations[path] = op;
  world.after(length, [this, op, at_end = std::move(at_end)] {
    if (Outcome outcome = at_end()) op->body.update(*outcome);
    op->body["status"] = "DONE", op->body["progress"] = 100, op->body["endTime"] = stamp(Clock::wall());
    world.changed.notify_all();
  });
  return json_reply(op->body);
}

void Engine::record(const Instance& instance, const std::string& type, const std::string& message) {
  Reply begun =
      begin(Call(), instance.project, "zones/" + instance.zone, type, instance.path(), instance.id, Duration{0}, [] { return Outcome(); });
  std::string path = path_of(json::parse(begun.body)["selfLink"]);
  json& body = operations.at(path)->body;
  body["user"] = "system";
  body["status"] = "DONE", body["progress"] = 100, body["endTime"] = body["startTime"];
  body["statusMessage"] = message;
}

void route(const std::shared_ptr<Engine>& engine, const std::string& method, const std::string& pattern, CallKind kind,
           EngineHandler handler) {
  engine->world.server->route(method, "/compute/v1/projects/" + pattern, Api::gcp, kind,
                              [engine, handler = std::move(handler)](const Call& call) {
                                std::lock_guard lock(engine->world.mutex);
                                if (auto refusal = engine->refuse_caller(call)) return *refusal;
                                if (auto earlier = engine->repeated(call)) return *earlier;
                                return handler(*engine, call);
                              });
}

}  // namespace vt::emulator::gcp

namespace vt::emulator {

void add_gcp(World& world) {
  using namespace gcp;
  auto engine = std::make_shared<Engine>(world);
  world.server->errors(Api::gcp, front_error);
  world.server->home(Api::gcp, "/compute/");
  world.controls[Api::gcp] = {[engine](const nlohmann::json& what) { return engine->foreign(what); },
                              [engine](const std::string& id, const std::string& how) { return engine->end(id, how); }};
  add_instances(engine);
  add_disks(engine);
  add_images(engine);
  add_operations(engine);
  add_catalogue(engine);
  add_metadata(engine);
  add_tokens(engine);
  add_batch(engine);
}

}  // namespace vt::emulator
