#include <regex>

#include "providers/emulator/gcp/api.hpp"
#include "providers/emulator/gcp/insert.hpp"

// instances.insert: what is refused at once, and what only the operation says.
namespace vt::emulator::gcp {

using std::chrono::seconds;

namespace {

constexpr seconds kStaging{4}, kInsert{8}, kFailure{5};
constexpr std::int64_t kLeastRun = 30, kMostRun = 120 * 86400;

using Refusal = std::optional<Reply>;

Reply bad(const std::string& message, const std::string& reason = "invalid") { return error(400, reason, message); }

std::string field(const json& body, const char* pointer) {
  auto value = body.value(json::json_pointer(pointer), json());
  return value.is_string() ? value.get<std::string>() : value.is_null() ? "" : value.dump();
}

bool flag(const json& body, const char* pointer) { return body.value(json::json_pointer(pointer), false); }

bool is_spot(const json& body) { return flag(body, "/scheduling/preemptible") || field(body, "/scheduling/provisioningModel") == "SPOT"; }

Refusal check_name(const json& body) {
  static const std::regex shape("[a-z]([-a-z0-9]{0,61}[a-z0-9])?");
  std::string name = body.value("name", "");
  if (std::regex_match(name, shape)) return std::nullopt;
  return bad("Invalid value for field 'resource.name': '" + name + "'. Must be a match of regex '(?:[a-z](?:[-a-z0-9]{0,61}[a-z0-9])?)'");
}

Refusal check_labels(const json& labels) {
  static const std::regex key("[a-z][-_a-z0-9]{0,62}"), value("[-_a-z0-9]{0,63}");
  for (auto& [k, v] : labels.items())
    if (!std::regex_match(k, key) || !std::regex_match(v.get<std::string>(), value))
      return bad("Invalid value for field 'resource.labels': '{\"" + k + "\": " + v.dump() +
                 "}'. Label key or value violates format constraints.");
  return std::nullopt;
}

Refusal check_machine(const json& body, const Zone& zone, const std::string& project) {
  std::string type = field(body, "/machineType");
  if (type.empty()) return bad("Invalid value for field 'resource.machineType': ''. The URL is malformed.");
  const MachineType* machine = find_machine(last_segment(type));
  if (machine != nullptr && offered(*machine, zone)) return std::nullopt;
  return bad("Invalid value for field 'resource.machineType': '" + type + "'. Machine type with name '" + last_segment(type) +
             "' does not exist in zone '" + zone.name + "' of project '" + project + "'.");
}

Refusal check_schedule(const json& body, const MachineType& machine) {
  bool accelerated = machine.gpus > 0 || !body.value("guestAccelerators", json::array()).empty();
  if (accelerated && !is_spot(body) && field(body, "/scheduling/onHostMaintenance") != "TERMINATE")
    return bad("Instances with guest accelerators do not support live migration.");
  if (is_spot(body) && body.value("/scheduling/automaticRestart"_json_pointer, false))
    return bad("Scheduling must have automaticRestart be false when preemptible is true.");
  std::string run = field(body, "/scheduling/maxRunDuration/seconds"), action = field(body, "/scheduling/instanceTerminationAction");
  if (run.empty()) return std::nullopt;
  if (!field(body, "/scheduling/terminationTime").empty())
    return bad("Invalid value for field 'resource.scheduling': only one of maxRunDuration and terminationTime can be specified.");
  if (action != "STOP" && action != "DELETE")
    return bad("Invalid value for field 'resource.scheduling.instanceTerminationAction': '" + action +
               "'. It must be specified with maxRunDuration.");
  auto length = std::stoll(run);
  if (length < kLeastRun || length > kMostRun)
    return bad("Invalid value for field 'resource.scheduling.maxRunDuration': '" + run + "'. Must be between 30 seconds and 120 days.");
  return std::nullopt;
}

Refusal check_accelerators(const json& body, const MachineType& machine) {
  for (auto& asked : body.value("guestAccelerators", json::array())) {
    std::string type = last_segment(asked.value("acceleratorType", ""));
    bool same = type == machine.gpu, separate = machine.name.starts_with("n1-") && type == "nvidia-tesla-t4";
    if (!same && !separate)
      return bad("Invalid value for field 'resource.guestAccelerators': '" + type + "'. [" + machine.name + "] features and [" + type +
                 "] are not compatible for creating instance.");
  }
  return std::nullopt;
}

Refusal check_disk_type(const std::string& type, const MachineType& machine) {
  bool hyper = type.starts_with("hyperdisk-");
  if (find_disk(type) != nullptr && (hyper ? machine.takes_hyperdisk() : !machine.hyperdisk_only())) return std::nullopt;
  return bad(type + " disk type cannot be used by " + machine.name + " machine type.", "badRequest");
}

Refusal check_disk(const Engine& engine, const json& disk, bool first, const MachineType& machine) {
  if (!field(disk, "/source").empty()) {
    std::string path = Engine::path_of(field(disk, "/source"));
    if (!engine.disks.contains(path)) return not_found(path);
    if (!engine.disks.at(path)->body.contains("users")) return std::nullopt;
    return bad("The disk resource '" + path + "' is already being used by another instance.", "resourceInUseByAnotherResource");
  }
  std::string type = last_segment(field(disk, "/initializeParams/diskType"));
  if (auto refusal = check_disk_type(type.empty() ? "pd-standard" : type, machine)) return refusal;
  if (auto refusal = check_labels(disk.value("/initializeParams/labels"_json_pointer, json::object()))) return refusal;
  std::string image = field(disk, "/initializeParams/sourceImage");
  if (image.empty() && first) return bad("Invalid value for field 'resource.disks[0]': ''. Boot disk must have a source specified");
  if (image.empty()) return std::nullopt;
  auto size = engine.image_size(image);
  if (!size) return not_found(Engine::path_of(image));
  std::string wanted = field(disk, "/initializeParams/diskSizeGb");
  if (!wanted.empty() && std::stoll(wanted) < *size)
    return bad("Invalid value for field 'resource.disks[0].initializeParams.diskSizeGb': '" + wanted +
               "'. Requested disk size cannot be smaller than the image size (" + std::to_string(*size) + " GB)");
  return std::nullopt;
}

Refusal check_disks(const Engine& engine, const json& body, const MachineType& machine) {
  auto disks = body.value("disks", json::array());
  if (disks.empty()) return bad("Invalid value for field 'resource.disks': ''. At least one boot disk is required.");
  for (std::size_t n = 0; n < disks.size(); ++n)
    if (auto refusal = check_disk(engine, disks[n], n == 0, machine)) return refusal;
  return std::nullopt;
}

Refusal check(const Engine& engine, const json& body, const Zone& zone, const std::string& project) {
  if (auto refusal = check_name(body)) return refusal;
  if (auto refusal = check_labels(body.value("labels", json::object()))) return refusal;
  if (auto refusal = check_machine(body, zone, project)) return refusal;
  if (body.value("networkInterfaces", json::array()).empty())
    return bad("Invalid value for field 'resource.networkInterfaces': ''. At least one network interface is required.");
  const MachineType& machine = *find_machine(last_segment(field(body, "/machineType")));
  if (auto refusal = check_schedule(body, machine)) return refusal;
  if (auto refusal = check_accelerators(body, machine)) return refusal;
  return check_disks(engine, body, machine);
}

/// Disks as the instance shows them. A disk that exists already under the name that a new one would get is attached as it is, without a
/// word, if nobody uses it.
void attach_disks(Engine& engine, const Call& call, Instance& i, bool really) {
  json attached = json::array();
  for (auto& asked : i.body["disks"]) {
    auto n = attached.size();
    json params = asked.value("initializeParams", json::object());
    std::string name = params.value("diskName", n == 0 ? i.name : i.name + "-" + std::to_string(n));
    std::string path = "projects/" + i.project + "/zones/" + i.zone + "/disks/" + name;
    json shown = asked;
    if (shown.contains("source")) path = Engine::path_of(shown["source"]);
    if (really && !engine.disks.contains(path)) {
      json disk = {{"name", name}, {"labels", params.value("labels", json::object())}};
      if (params.contains("diskSizeGb")) disk["sizeGb"] = params["diskSizeGb"];
      if (params.contains("diskType")) disk["type"] = params["diskType"];
      if (params.contains("sourceImage")) disk["sourceImage"] = params["sourceImage"];
      engine.add_disk(call, i.project, *find_zone(i.zone), disk);
    }
    if (really) engine.disks.at(path)->body["users"] = json::array({engine.url(i.path())});
    shown.erase("initializeParams");
    shown["source"] = engine.url(path), shown["index"] = n, shown["kind"] = "compute#attachedDisk";
    shown["deviceName"] = asked.value("deviceName", "persistent-disk-" + std::to_string(n));
    shown["boot"] = asked.value("boot", n == 0), shown["autoDelete"] = asked.value("autoDelete", false);
    if (really) shown["diskSizeGb"] = engine.disks.at(path)->body["sizeGb"];
    attached.push_back(shown);
  }
  i.body["disks"] = attached;
}

void fill_network(Engine& engine, Instance& i) {
  int n = 0;
  for (auto& nic : i.body["networkInterfaces"]) {
    nic["kind"] = "compute#networkInterface", nic["name"] = "nic" + std::to_string(n++), nic["stackType"] = "IPV4_ONLY";
    nic["fingerprint"] = engine.new_fingerprint();
    nic["networkIP"] = "10.128.0." + std::to_string(2 + engine.world.random() % 250);
    if (!nic.contains("accessConfigs") || nic["accessConfigs"].empty()) continue;
    if (i.address.empty()) i.address = engine.new_address();
    nic["accessConfigs"][0]["natIP"] = i.address, nic["accessConfigs"][0]["kind"] = "compute#accessConfig";
    nic["accessConfigs"][0]["networkTier"] = "PREMIUM";
  }
}

void fill(Engine& engine, Instance& i) {
  std::string base = "projects/" + i.project + "/zones/" + i.zone;
  json& b = i.body;
  b["kind"] = "compute#instance", b["id"] = i.id, b["status"] = "PROVISIONING", b["selfLink"] = engine.url(i.path());
  b["creationTimestamp"] = stamp(Clock::wall()), b["zone"] = engine.url(base);
  b["machineType"] = engine.url(base + "/machineTypes/" + i.machine->name);
  b["cpuPlatform"] = i.machine->name.starts_with("g4-") ? "AMD Turin" : "Intel Cascade Lake";
  b["labelFingerprint"] = engine.new_fingerprint(), b["fingerprint"] = engine.new_fingerprint();
  b["metadata"]["kind"] = "compute#metadata", b["metadata"]["fingerprint"] = engine.new_fingerprint();
  b["tags"]["fingerprint"] = engine.new_fingerprint();
  b["startRestricted"] = false, b["deletionProtection"] = b.value("deletionProtection", false);
  if (i.spot)
    b["scheduling"]["preemptible"] = true, b["scheduling"]["automaticRestart"] = false, b["scheduling"]["provisioningModel"] = "SPOT";
  if (i.machine->gpus > 0)
    b["guestAccelerators"] = json::array(
        {{{"acceleratorType", engine.url(base + "/acceleratorTypes/" + i.machine->gpu)}, {"acceleratorCount", i.machine->gpus}}});
  fill_network(engine, i);
}

json failure(int status, const char* text, const json& one) {
  return {{"httpErrorStatusCode", status}, {"httpErrorMessage", text}, {"error", {{"errors", json::array({one})}}}};
}

json stockout(const Instance& i) {
  std::string others;
  for (auto& zone : zones())
    if (zone.name != i.zone && zone.region == find_zone(i.zone)->region && offered(*i.machine, zone))
      others += (others.empty() ? "" : ",") + zone.name;
  std::string zone = "projects/" + i.project + "/zones/" + i.zone,
              message =
                  "The zone '" + zone + "' does not have enough resources available to fulfill the request.  '(resource type:compute)'.";
  json help = {{"help",
                {{"links", json::array({{{"description", "Troubleshooting documentation"},
                                         {"url", "https://cloud.google.com/compute/docs/resource-error"}}})}}}};
  json local = {
      {"localizedMessage",
       {{"locale", "en-US"}, {"message", "A " + i.machine->name + " VM instance is currently unavailable in the " + i.zone + " zone."}}}};
  json metadatas = {{"attachment", i.machine->gpu.empty() ? "" : i.machine->gpu + ":" + std::to_string(i.machine->gpus)},
                    {"vmType", i.machine->name},
                    {"zone", i.zone},
                    {"zonesAvailable", others}};
  json info = {{"errorInfo", {{"domain", "compute.googleapis.com"}, {"reason", "resource_availability"}, {"metadatas", metadatas}}}};
  return failure(
      503, "SERVICE UNAVAILABLE",
      {{"code", "ZONE_RESOURCE_POOL_EXHAUSTED_WITH_DETAILS"}, {"message", message}, {"errorDetails", json::array({help, local, info})}});
}

/// Why the operation will fail; nothing: it will not.
Outcome doomed(const Engine& engine, const Instance& i) {
  if (i.faults.has(FaultKind::stockout)) return stockout(i);
  std::string over = engine.over_quota(i.project, *find_zone(i.zone), *i.machine, i.spot);
  if (over.empty() && i.faults.has(FaultKind::quota)) over = "Quota 'GPUS_ALL_REGIONS' exceeded.  Limit: 0.0 globally.";
  if (over.empty()) return std::nullopt;
  return failure(403, "FORBIDDEN", {{"code", "QUOTA_EXCEEDED"}, {"message", over}});
}

Reply fail_later(Engine& engine, const Call& call, const std::shared_ptr<Instance>& i, const json& why) {
  attach_disks(engine, call, *i, false);
  return engine.begin(call, i->project, "zones/" + i->zone, "insert", i->path(), i->id, kFailure, [&engine, i, why] {
    ++i->life;
    engine.instances.erase(i->path());
    return Outcome(why);
  });
}

Reply succeed_later(Engine& engine, const Call& call, const std::shared_ptr<Instance>& i) {
  attach_disks(engine, call, *i, true);
  engine.remember(*i, call, false);
  i->stuck = i->faults.has(FaultKind::stuck);
  if (i->faults.has(FaultKind::late)) {
    i->hidden = true;
    engine.world.after(i->faults.length(FaultKind::late), [i] { i->hidden = false; });
  }
  if (i->faults.has(FaultKind::vanish))
    engine.later(i, i->faults.length(FaultKind::vanish), [&engine, i] { engine.remove(i, "vanished"); });
  engine.later(i, kStaging, [i] { i->body["status"] = "STAGING"; });
  engine.later(i, kInsert, [&engine, i] { engine.run(i); });
  return engine.begin(call, i->project, "zones/" + i->zone, "insert", i->path(), i->id, kInsert, [] { return Outcome(); });
}

}  // namespace

Reply insert_instance(Engine& engine, const Call& call) {
  const std::string &project = call.parts.at(0), &zone_name = call.parts.at(1);
  json body;
  if (auto refusal = refuse_body(call, "Instance", body)) return *refusal;
  const Zone* zone = find_zone(zone_name);
  if (zone == nullptr) return not_found("projects/" + project + "/zones/" + zone_name);
  if (auto refusal = check(engine, body, *zone, project)) return *refusal;
  auto i = std::make_shared<Instance>();
  i->id = engine.new_id(), i->project = project, i->zone = zone_name, i->name = body["name"], i->body = std::move(body),
  i->faults = call.faults;
  i->machine = find_machine(last_segment(i->body["machineType"])), i->spot = is_spot(i->body);
  if (engine.instances.contains(i->path())) return error(409, "alreadyExists", "The resource '" + i->path() + "' already exists");
  auto why = doomed(engine, *i);
  fill(engine, *i);
  engine.instances[i->path()] = i;
  return why ? fail_later(engine, call, i, *why) : succeed_later(engine, call, i);
}

}  // namespace vt::emulator::gcp
