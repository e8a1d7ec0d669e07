#include "providers/emulator/gcp/api.hpp"

namespace vt::emulator::gcp {

namespace {

/// The service answers `wait` after at most two minutes, done or not; now and then at once.
constexpr auto kLongestWait = std::chrono::seconds(120);

Reply get(Engine& engine, const std::string& path) {
  auto found = engine.operations.find(path);
  return found == engine.operations.end() ? not_found(path) : json_reply(found->second->body);
}

/// Waits without the lock, so this is no EngineHandler.
Reply wait(Engine& engine, const Call& call, const std::string& path) {
  std::unique_lock lock(engine.world.mutex);
  if (auto refusal = engine.refuse_caller(call)) return *refusal;
  auto found = engine.operations.find(path);
  if (found == engine.operations.end()) return not_found(path);
  auto op = found->second;
  bool early = engine.world.random() % 8 == 0;
  auto until = std::chrono::steady_clock::now() + engine.world.clock.real(early ? Duration{500} : kLongestWait);
  engine.world.changed.wait_until(lock, until, [&] { return engine.world.ending || op->body["status"] == "DONE"; });
  return json_reply(op->body);
}

Reply list(Engine& engine, const Call& call, const std::string& project, const std::string& scope) {
  std::vector<json> rows;
  for (auto& [path, op] : engine.operations)
    if (op->project == project && op->scope == scope) rows.push_back(op->body);
  return list_reply(call, "operationList", "projects/" + project + "/" + scope + "/operations", rows);
}

/// "projects/p/zones/z" of a call whose parts are the project, then the place, if the scope has one.
std::string scope_of(const Call& call, const std::string& scope) { return scope == "global" ? scope : scope + "/" + call.parts.at(1); }

}  // namespace

void add_operations(const std::shared_ptr<Engine>& engine) {
  for (std::string scope : {"zones", "regions", "global"}) {
    std::string base = "{}/" + scope + (scope == "global" ? "" : "/{}") + "/operations";
    auto path = [scope](const Call& call) {
      return "projects/" + call.parts.at(0) + "/" + scope_of(call, scope) + "/operations/" + call.parts.back();
    };
    route(engine, "GET", base, CallKind::list,
          [scope](Engine& e, const Call& call) { return list(e, call, call.parts.at(0), scope_of(call, scope)); });
    route(engine, "GET", base + "/{}", CallKind::operation, [path](Engine& e, const Call& call) { return get(e, path(call)); });
    engine->world.server->route("POST", "/compute/v1/projects/" + base + "/{}/wait", Api::gcp, CallKind::operation,
                                [engine, path](const Call& call) { return wait(*engine, call, path(call)); });
  }
}

}  // namespace vt::emulator::gcp
