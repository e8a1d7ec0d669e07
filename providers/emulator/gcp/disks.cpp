#include "providers/emulator/gcp/api.hpp"

namespace vt::emulator::gcp {

using std::chrono::seconds;

namespace {

constexpr seconds kCreate{4}, kDelete{5}, kSmallChange{2};
constexpr std::int64_t kLeastSize = 10;  ///< GB, where neither request nor image say

std::string disk_path(const std::string& project, const std::string& zone, const std::string& name) {
  return "projects/" + project + "/zones/" + zone + "/disks/" + name;
}

std::string path_in(const Call& call) { return disk_path(call.parts.at(0), call.parts.at(1), call.parts.at(2)); }

std::int64_t number(const json& value) { return value.is_string() ? std::stoll(value.get<std::string>()) : value.get<std::int64_t>(); }

Reply insert(Engine& engine, const Call& call) {
  const std::string &project = call.parts.at(0), &zone_name = call.parts.at(1);
  json body;
  if (auto refusal = refuse_body(call, "Disk", body)) return *refusal;
  const Zone* zone = find_zone(zone_name);
  if (zone == nullptr) return not_found("projects/" + project + "/zones/" + zone_name);
  std::string name = body.value("name", ""), path = disk_path(project, zone_name, name);
  if (name.empty()) return error(400, "required", "Required field 'resource.name' not specified");
  if (engine.disks.contains(path)) return error(409, "alreadyExists", "The resource '" + path + "' already exists");
  std::string image = body.value("sourceImage", call.param("sourceImage"));
  if (!image.empty() && !engine.image_size(image)) return not_found(Engine::path_of(image));
  if (!image.empty()) body["sourceImage"] = image;
  auto disk = engine.add_disk(call, project, *zone, body);
  return engine.begin(call, project, "zones/" + zone_name, "insert", path, disk->id, kCreate, [] { return Outcome(); });
}

Reply remove(Engine& engine, const Call& call) {
  std::string path = path_in(call);
  auto found = engine.disks.find(path);
  if (found == engine.disks.end()) return not_found(path);
  const Disk& disk = *found->second;
  if (disk.body.contains("users"))
    return error(400, "resourceInUseByAnotherResource",
                 "The disk resource '" + path + "' is already being used by '" + Engine::path_of(disk.body["users"][0]) + "'");
  if (call.number != 0) engine.world.books->touched(disk.id, call.number);
  seconds length =
      call.faults.has(FaultKind::undead) ? std::chrono::duration_cast<seconds>(call.faults.length(FaultKind::undead)) : seconds{0};
  engine.world.after(kDelete + length, [&engine, path] { engine.remove_disk(path, "deleted"); });
  return engine.begin(call, disk.project, "zones/" + disk.zone, "delete", path, disk.id, kDelete, [] { return Outcome(); });
}

Reply get(Engine& engine, const Call& call) {
  auto found = engine.disks.find(path_in(call));
  return found == engine.disks.end() ? not_found(path_in(call)) : json_reply(found->second->body);
}

Reply set_labels(Engine& engine, const Call& call) {
  json body;
  if (auto refusal = refuse_body(call, "ZoneSetLabelsRequest", body)) return *refusal;
  auto found = engine.disks.find(path_in(call));
  if (found == engine.disks.end()) return not_found(path_in(call));
  Disk& disk = *found->second;
  if (body.value("labelFingerprint", "") != disk.body["labelFingerprint"])
    return error(412, "conditionNotMet", "Labels fingerprint either invalid or resource labels have changed");
  disk.body["labels"] = body.value("labels", json::object()), disk.body["labelFingerprint"] = engine.new_fingerprint();
  engine.world.books->set_marks(disk.id, marks_of(disk.body));
  return engine.begin(call, disk.project, "zones/" + disk.zone, "setLabels", path_in(call), disk.id, kSmallChange,
                      [] { return Outcome(); });
}

Reply list(Engine& engine, const Call& call) {
  const std::string &project = call.parts.at(0), &zone = call.parts.at(1);
  if (find_zone(zone) == nullptr) return not_found("projects/" + project + "/zones/" + zone);
  std::vector<json> rows;
  for (auto& [path, disk] : engine.disks)
    if (disk->project == project && disk->zone == zone) rows.push_back(disk->body);
  return list_reply(call, "diskList", "projects/" + project + "/zones/" + zone + "/disks", rows);
}

Reply aggregated(Engine& engine, const Call& call) {
  std::map<std::string, std::vector<json>> rows;
  for (auto& zone : zones()) rows[zone.name];
  for (auto& [path, disk] : engine.disks)
    if (disk->project == call.parts.at(0)) rows[disk->zone].push_back(disk->body);
  return aggregated_reply(call, "diskAggregatedList", "projects/" + call.parts.at(0) + "/aggregated/disks", "disks", rows);
}

}  // namespace

std::shared_ptr<Disk> Engine::add_disk(const Call& call, const std::string& project, const Zone& zone, json body, bool foreign) {
  auto disk = std::make_shared<Disk>();
  disk->id = new_id(), disk->project = project, disk->zone = zone.name, disk->name = body["name"];
  std::string base = "projects/" + project + "/zones/" + zone.name, path = disk_path(project, zone.name, disk->name);
  const DiskType* type = find_disk(last_segment(body.value("type", "pd-standard")));
  if (type == nullptr) type = find_disk("pd-standard");
  auto size = body.contains("sizeGb") ? number(body["sizeGb"]) : image_size(body.value("sourceImage", "")).value_or(kLeastSize);
  body["kind"] = "compute#disk", body["id"] = disk->id, body["status"] = "READY", body["selfLink"] = url(path);
  body["zone"] = url(base), body["type"] = url(base + "/diskTypes/" + type->name), body["sizeGb"] = std::to_string(size);
  body["creationTimestamp"] = stamp(Clock::wall()), body["labelFingerprint"] = new_fingerprint(), body["physicalBlockSizeBytes"] = "4096";
  if (body.value("labels", json::object()).empty()) body.erase("labels");
  disk->body = std::move(body);
  disks[path] = disk;
  Thing thing;
  thing.id = disk->id, thing.provider = "gcp", thing.kind = "disk", thing.name = disk->name, thing.zone = zone.name;
  thing.marks = marks_of(disk->body), thing.foreign = foreign, thing.hourly = price(*type, zone, size);
  if (call.number != 0) thing.requests = {call.number};
  world.books->add(std::move(thing));
  world.books->ready(disk->id);
  world.books->meter(disk->id, true);
  return disk;
}

void Engine::remove_disk(const std::string& path, const std::string& how) {
  auto found = disks.find(path);
  if (found == disks.end()) return;
  world.books->ended(found->second->id, how);
  disks.erase(found);
}

void add_disks(const std::shared_ptr<Engine>& engine) {
  const std::string all = "{}/zones/{}/disks", one = all + "/{}";
  route(engine, "POST", all, CallKind::create, insert);
  route(engine, "GET", all, CallKind::list, list);
  route(engine, "GET", "{}/aggregated/disks", CallKind::list, aggregated);
  route(engine, "GET", one, CallKind::get, get);
  route(engine, "DELETE", one, CallKind::remove, remove);
  route(engine, "POST", one + "/setLabels", CallKind::change, set_labels);
}

}  // namespace vt::emulator::gcp
