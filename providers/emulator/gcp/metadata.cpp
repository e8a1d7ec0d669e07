#include "orchestrator/model/text.hpp"
#include "providers/emulator/gcp/api.hpp"

// The metadata server as a guest sees it. Which instance asks is told by a header that its guest agent sends.
namespace vt::emulator::gcp {

namespace {

Reply text(const std::string& body, int status = 200) {
  return {status, body, "text/plain; charset=UTF-8", {{"Metadata-Flavor", "Google"}, {"Server", "Metadata Server for VM"}}};
}

Reply as_json(const json& body) {
  Reply reply = json_reply(body);
  reply.headers["Metadata-Flavor"] = "Google";
  return reply;
}

std::shared_ptr<Instance> caller(const Engine& engine, const Call& call) {
  std::string id = call.header("x-emulated-instance");
  for (auto& [path, i] : engine.instances)
    if (i->id == id) return i;
  return nullptr;
}

/// The values right below instance/.
std::optional<std::string> plain_value(const Instance& i, const std::string& key) {
  if (key == "id") return i.id;
  if (key == "name") return i.name;
  if (key == "hostname") return i.name + "." + i.zone + ".c." + i.project + ".internal";
  if (key == "zone") return "projects/1234567890/zones/" + i.zone;
  if (key == "machine-type") return "projects/1234567890/machineTypes/" + i.machine->name;
  if (key == "preempted") return i.preempted ? "TRUE" : "FALSE";
  if (key == "network-interfaces/0/access-configs/0/external-ip") return i.address;
  return std::nullopt;
}

Reply attributes(const Instance& i, const std::string& key) {
  json all = json::object();
  for (auto& item : i.body.value("/metadata/items"_json_pointer, json::array())) all[item.value("key", "")] = item.value("value", "");
  if (key.empty()) {
    std::string names;
    for (auto& [name, value] : all.items()) names += name + "\n";
    return text(names);
  }
  return all.contains(key) ? text(all[key]) : text("Not Found", 404);
}

Reply read(Engine& engine, const Call& call, const std::string& path) {
  if (path == "project/project-id") return text("rehearsal");
  auto i = caller(engine, call);
  if (path == "instance/service-accounts/default/token") {
    std::string token = engine.new_token();
    return as_json({{"access_token", token}, {"expires_in", 3599}, {"token_type", "Bearer"}});
  }
  if (!i || !path.starts_with("instance/")) return text("Not Found", 404);
  std::string key = path.substr(9);
  if (key == "attributes" || key.starts_with("attributes/")) return attributes(*i, key.size() > 11 ? key.substr(11) : "");
  auto value = plain_value(*i, key);
  return value ? text(*value) : text("Not Found", 404);
}

/// A guest may leave attributes only where the instance's metadata allows it.
Reply leave(Engine& engine, const Call& call, const std::string& path) {
  constexpr std::string_view kPrefix = "instance/guest-attributes/";
  auto i = caller(engine, call);
  if (!i || !path.starts_with(kPrefix)) return text("Not Found", 404);
  std::string allowed = i->metadata("enable-guest-attributes");
  if (allowed != "TRUE" && allowed != "true") return text("Guest attributes endpoint access is disabled.", 403);
  std::string rest = path.substr(kPrefix.size());
  auto slash = rest.find('/');
  if (slash == std::string::npos || slash == 0 || slash + 1 == rest.size()) return text("Bad Request", 400);
  i->guest[rest.substr(0, slash)][rest.substr(slash + 1)] = call.body;
  return text("");
}

}  // namespace

void add_metadata(const std::shared_ptr<Engine>& engine) {
  using Act = Reply (*)(Engine&, const Call&, const std::string&);
  auto serve = [engine](Act act) {
    return [engine, act](const Call& call) {
      if (call.header("metadata-flavor") != "Google") return text("Missing Metadata-Flavor:Google header.", 403);
      std::lock_guard lock(engine->world.mutex);
      return act(*engine, call, call.parts.at(0));
    };
  };
  Server& server = *engine->world.server;
  server.route("GET", "/computeMetadata/v1/{*}", Api::gcp, CallKind::none, serve(read));
  server.route("PUT", "/computeMetadata/v1/{*}", Api::gcp, CallKind::none, serve(leave));
}

}  // namespace vt::emulator::gcp
