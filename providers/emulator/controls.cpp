#include <nlohmann/json.hpp>

#include "providers/emulator/world.hpp"

namespace vt::emulator {

using nlohmann::json;

namespace {

Reply problem(int status, const std::string& what) { return json_reply({{"error", what}}, status); }

Reply foreign(World& world, const Call& call) {
  json body = json::parse(call.body, nullptr, false);
  if (!body.is_object()) return problem(400, "the body is no JSON object");
  for (auto& [api, controls] : world.controls) {
    if (body.value("api", "") != name(api)) continue;
    std::lock_guard lock(world.mutex);
    auto id = controls.foreign(body);
    return id ? json_reply({{"id", *id}}, 201) : problem(400, id.error().what);
  }
  return problem(400, "\"api\" must be one that is emulated here");
}

Reply end(World& world, const Call& call, const std::string& how) {
  json body = json::parse(call.body, nullptr, false);
  if (!body.is_object() || !body.contains("id")) return problem(400, "{\"id\":…} is missing");
  std::lock_guard lock(world.mutex);
  for (auto& [api, controls] : world.controls)
    if (controls.end(body["id"], how)) return json_reply({{"id", body["id"]}, {"end", how}});
  return problem(404, "nothing alive has this id");
}

/// {"google":{e-mail: public key},"runpod":[key]} -> {"login": who can log in at instances; empty: whom their metadata name}
Reply keys(World& world, const Call& call) {
  json body = json::parse(call.body, nullptr, false);
  if (!body.is_object()) return problem(400, "the body is no JSON object");
  std::lock_guard lock(world.mutex);
  auto google = body.value("google", json::object());
  for (auto& [account, key] : google.items()) world.google_keys[account] = key;
  for (auto& key : body.value("runpod", json::array())) world.runpod_keys.insert(key);
  return json_reply({{"login", world.hosting->machine_login()}});
}

/// The body is a fault plan, which takes the place of the one there was.
Reply replace_faults(World& world, const Call& call) {
  auto replaced = world.faults->replace(call.body);
  return replaced ? json_reply(json::object()) : problem(400, replaced.error().what);
}

Reply host_log(World& world, const Call& call) { return {200, world.hosting->log(call.param("id")), "text/plain", {}}; }

}  // namespace

void add_controls(World& world) {
  Server& server = *world.server;
  auto add = [&](const char* method, const char* path, Handler handler) {
    server.route(method, path, Api::none, CallKind::none, std::move(handler));
  };
  add("GET", "/emulator/books", [&world](const Call&) {
    return json_reply({{"things", world.books->things()}, {"pace", world.options.pace}});
  });
  add("GET", "/emulator/requests", [&world](const Call&) { return json_reply({{"requests", world.books->requests()}}); });
  add("GET", "/emulator/faults", [&world](const Call&) { return Reply{200, world.faults->json(), "application/json", {}}; });
  add("POST", "/emulator/faults", [&world](const Call& call) { return replace_faults(world, call); });
  add("GET", "/emulator/log", [&world](const Call& call) { return host_log(world, call); });
  add("POST", "/emulator/keys", [&world](const Call& call) { return keys(world, call); });
  add("POST", "/emulator/foreign", [&world](const Call& call) { return foreign(world, call); });
  for (const char* how : {"preempt", "expire", "vanish"})
    add("POST", (std::string("/emulator/") + how).c_str(), [&world, how](const Call& call) { return end(world, call, how); });
}

}  // namespace vt::emulator
