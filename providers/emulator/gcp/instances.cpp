#include <algorithm>

#include "providers/emulator/gcp/insert.hpp"

// The other methods of instances.
namespace vt::emulator::gcp {

using std::chrono::seconds;

namespace {

constexpr seconds kDelete{30}, kStart{8}, kStop{30}, kReset{3}, kSmallChange{2};

std::string path_in(const Call& call) {
  return "projects/" + call.parts.at(0) + "/zones/" + call.parts.at(1) + "/instances/" + call.parts.at(2);
}

/// By name or by id, as the API takes both. The end if there is none, or none that shows yet.
auto find_in(Engine& engine, const Call& call) {
  auto found = engine.instances.find(path_in(call));
  if (found == engine.instances.end())
    found = std::find_if(engine.instances.begin(), engine.instances.end(), [&](auto& entry) {
      auto& i = *entry.second;
      return i.id == call.parts.at(2) && i.zone == call.parts.at(1) && i.project == call.parts.at(0);
    });
  return found == engine.instances.end() || found->second->hidden ? engine.instances.end() : found;
}

using InstanceHandler = std::function<Reply(Engine&, const Call&, const std::shared_ptr<Instance>&)>;

/// A handler of one instance, which is looked up first.
EngineHandler of_instance(InstanceHandler handler) {
  return [handler = std::move(handler)](Engine& engine, const Call& call) {
    auto found = find_in(engine, call);
    if (found == engine.instances.end()) return not_found(path_in(call));
    auto i = found->second;  // the handler may take it out of the list
    return handler(engine, call, i);
  };
}

Reply begin(
    Engine& engine, const Call& call, const Instance& i, const char* type, seconds length,
    std::function<Outcome()> at_end = [] { return Outcome(); }) {
  return engine.begin(call, i.project, "zones/" + i.zone, type, i.path(), i.id, length, std::move(at_end));
}

Reply remove(Engine& engine, const Call& call, const std::shared_ptr<Instance>& i) {
  if (i->body.value("deletionProtection", false))
    return error(
        400, "resourceInUseByAnotherResource",
        "Invalid value for field 'resource.deletionProtection': 'true'. Resource cannot be deleted if it's protected against deletion.");
  if (call.number != 0) engine.world.books->touched(i->id, call.number);
  if (call.faults.has(FaultKind::undead)) {
    engine.later(i, kDelete + call.faults.length(FaultKind::undead), [&engine, i] { engine.remove(i, "deleted"); });
    return begin(engine, call, *i, "delete", kDelete);
  }
  engine.halt(i, "deleted", true);
  return begin(engine, call, *i, "delete", kDelete);
}

Reply stop(Engine& engine, const Call& call, const std::shared_ptr<Instance>& i) {
  if (i->body["status"] == "RUNNING") engine.halt(i, "stopped", false);
  return begin(engine, call, *i, "stop", kStop);
}

Reply start(Engine& engine, const Call& call, const std::shared_ptr<Instance>& i) {
  if (i->body["status"] == "TERMINATED") {
    i->body["status"] = "STAGING";
    ++i->life;
    engine.later(i, kStart, [&engine, i] { engine.run(i); });
  }
  return begin(engine, call, *i, "start", kStart);
}

Reply reset(Engine& engine, const Call& call, const std::shared_ptr<Instance>& i) {
  if (i->body["status"] != "RUNNING") return error(400, "resourceNotReady", "Instance is not running, so it cannot be reset.");
  return begin(engine, call, *i, "reset", kReset, [&engine, i] {
    if (i->started) engine.world.hosting->restart(i->id, [](const Status&) {});
    return Outcome();
  });
}

Reply stale(const char* what) {
  return error(412, "conditionNotMet", std::string(what) + " fingerprint either invalid or resource " + what + " have changed");
}

Reply set_metadata(Engine& engine, const Call& call, const std::shared_ptr<Instance>& i) {
  json body;
  if (auto refusal = refuse_body(call, "Metadata", body)) return *refusal;
  if (body.value("fingerprint", "") != i->body["metadata"]["fingerprint"]) return stale("metadata");
  body["fingerprint"] = engine.new_fingerprint(), body["kind"] = "compute#metadata";
  i->body["metadata"] = body;
  return begin(engine, call, *i, "setMetadata", kSmallChange);
}

Reply set_labels(Engine& engine, const Call& call, const std::shared_ptr<Instance>& i) {
  json body;
  if (auto refusal = refuse_body(call, "InstancesSetLabelsRequest", body)) return *refusal;
  if (body.value("labelFingerprint", "") != i->body["labelFingerprint"]) return stale("labels");
  i->body["labels"] = body.value("labels", json::object()), i->body["labelFingerprint"] = engine.new_fingerprint();
  engine.world.books->set_marks(i->id, marks_of(i->body));
  return begin(engine, call, *i, "setLabels", kSmallChange);
}

Reply serial_port(Engine& engine, const Call& call, const std::shared_ptr<Instance>& i) {
  std::string all = i->console + engine.world.hosting->log(i->id), from = call.param("start");
  std::size_t start = from.empty() || from.size() > 9 || from.find_first_not_of("0123456789") != std::string::npos ? 0 : std::stoul(from);
  return json_reply({{"kind", "compute#serialPortOutput"},
                     {"selfLink", engine.url(i->path() + "/serialPort")},
                     {"start", std::to_string(start)},
                     {"next", std::to_string(all.size())},
                     {"contents", start < all.size() ? all.substr(start) : ""}});
}

Reply guest_attributes(Engine& engine, const Call& call, const std::shared_ptr<Instance>& i) {
  std::string query = call.param("queryPath").empty() ? call.param("variableKey") : call.param("queryPath");
  auto slash = query.find('/');
  std::string space = query.substr(0, slash), key = slash == std::string::npos ? "" : query.substr(slash + 1);
  json items = json::array();
  for (auto& [name, values] : i->guest)
    for (auto& [k, value] : values)
      if ((space.empty() || name == space) && (key.empty() || k == key))
        items.push_back({{"namespace", name}, {"key", k}, {"value", value}});
  if (items.empty()) return error(404, "notFound", "The resource '" + query + "' of type 'Guest Attribute' was not found.");
  return json_reply({{"kind", "compute#guestAttributes"},
                     {"selfLink", engine.url(i->path() + "/getGuestAttributes")},
                     {"queryPath", query},
                     {"queryValue", {{"items", items}}}});
}

Reply list(Engine& engine, const Call& call) {
  const std::string &project = call.parts.at(0), &zone = call.parts.at(1);
  if (find_zone(zone) == nullptr) return not_found("projects/" + project + "/zones/" + zone);
  std::vector<json> rows;
  for (auto& [path, i] : engine.instances)
    if (!i->hidden && i->project == project && i->zone == zone) rows.push_back(i->body);
  return list_reply(call, "instanceList", "projects/" + project + "/zones/" + zone + "/instances", rows);
}

Reply aggregated(Engine& engine, const Call& call) {
  std::map<std::string, std::vector<json>> rows;
  for (auto& zone : zones()) rows[zone.name];
  for (auto& [path, i] : engine.instances)
    if (!i->hidden && i->project == call.parts.at(0)) rows[i->zone].push_back(i->body);
  return aggregated_reply(call, "instanceAggregatedList", "projects/" + call.parts.at(0) + "/aggregated/instances", "instances", rows);
}

}  // namespace

void add_instances(const std::shared_ptr<Engine>& engine) {
  const std::string all = "{}/zones/{}/instances", one = all + "/{}";
  route(engine, "POST", all, CallKind::create, insert_instance);
  route(engine, "GET", all, CallKind::list, list);
  route(engine, "GET", "{}/aggregated/instances", CallKind::list, aggregated);
  route(engine, "GET", one, CallKind::get,
        of_instance([](Engine&, const Call&, const std::shared_ptr<Instance>& i) { return json_reply(i->body); }));
  route(engine, "DELETE", one, CallKind::remove, of_instance(remove));
  route(engine, "POST", one + "/start", CallKind::change, of_instance(start));
  route(engine, "POST", one + "/stop", CallKind::change, of_instance(stop));
  route(engine, "POST", one + "/reset", CallKind::change, of_instance(reset));
  route(engine, "POST", one + "/setMetadata", CallKind::change, of_instance(set_metadata));
  route(engine, "POST", one + "/setLabels", CallKind::change, of_instance(set_labels));
  route(engine, "GET", one + "/serialPort", CallKind::get, of_instance(serial_port));
  route(engine, "GET", one + "/getGuestAttributes", CallKind::get, of_instance(guest_attributes));
}

}  // namespace vt::emulator::gcp
