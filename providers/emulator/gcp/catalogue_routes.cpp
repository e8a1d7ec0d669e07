#include <algorithm>
#include <set>

#include "providers/emulator/gcp/api.hpp"

// Projects, regions, zones and the types they offer: what only is read.
namespace vt::emulator::gcp {

namespace {

constexpr const char* kBegin = "2016-01-01T00:00:00.000-08:00";  ///< all of this is old

/// A made-up id that stays the same.
std::string id_of(const std::string& name) { return "2" + std::to_string(std::hash<std::string>()(name) % 1'000'000'000); }

json project_json(const Engine& engine, const std::string& project) {
  return {{"kind", "compute#project"},
          {"id", id_of(project)},
          {"name", project},
          {"creationTimestamp", kBegin},
          {"commonInstanceMetadata", {{"kind", "compute#metadata"}, {"fingerprint", base64("project0")}}},
          {"defaultServiceAccount", "1234567890-compute@developer.gserviceaccount.com"},
          {"defaultNetworkTier", "PREMIUM"},
          {"quotas", quotas_json(engine, project, "")},
          {"selfLink", engine.url("projects/" + project)}};
}

json zone_json(const Engine& engine, const std::string& project, const Zone& zone) {
  std::string base = "projects/" + project;
  return {{"kind", "compute#zone"},
          {"id", id_of(zone.name)},
          {"name", zone.name},
          {"status", "UP"},
          {"description", zone.name},
          {"creationTimestamp", kBegin},
          {"region", engine.url(base + "/regions/" + zone.region)},
          {"selfLink", engine.url(base + "/zones/" + zone.name)}};
}

json region_json(const Engine& engine, const std::string& project, const std::string& region) {
  std::string base = "projects/" + project;
  json own = json::array();
  for (auto& zone : zones())
    if (zone.region == region) own.push_back(engine.url(base + "/zones/" + zone.name));
  return {{"kind", "compute#region"},
          {"id", id_of(region)},
          {"name", region},
          {"status", "UP"},
          {"creationTimestamp", kBegin},
          {"zones", own},
          {"quotas", quotas_json(engine, project, region)},
          {"selfLink", engine.url(base + "/regions/" + region)}};
}

std::string in_zone(const std::string& project, const Zone& zone, const std::string& what) {
  return "projects/" + project + "/zones/" + zone.name + "/" + what;
}

json machine_json(const Engine& engine, const std::string& project, const Zone& zone, const MachineType& m) {
  json row = {{"kind", "compute#machineType"},
              {"id", id_of(m.name)},
              {"name", m.name},
              {"zone", zone.name},
              {"creationTimestamp", kBegin},
              {"guestCpus", m.cpus},
              {"memoryMb", m.memory_gb * 1024},
              {"isSharedCpu", m.name == "e2-micro" || m.name == "e2-small"},
              {"maximumPersistentDisks", 128},
              {"maximumPersistentDisksSizeGb", "263168"},
              {"imageSpaceGb", 0},
              {"architecture", "X86_64"},
              {"description", std::to_string(m.cpus) + " vCPUs, " + std::to_string(m.memory_gb) + " GB RAM"},
              {"selfLink", engine.url(in_zone(project, zone, "machineTypes/" + m.name))}};
  if (m.gpus > 0) row["accelerators"] = json::array({{{"guestAcceleratorType", m.gpu}, {"guestAcceleratorCount", m.gpus}}});
  return row;
}

json disk_type_json(const Engine& engine, const std::string& project, const Zone& zone, const DiskType& type) {
  std::string path = in_zone(project, zone, "diskTypes/" + type.name);
  return {{"kind", "compute#diskType"},
          {"id", id_of(type.name)},
          {"name", type.name},
          {"zone", engine.url("projects/" + project + "/zones/" + zone.name)},
          {"creationTimestamp", kBegin},
          {"defaultDiskSizeGb", "100"},
          {"validDiskSize", "10GB-65536GB"},
          {"selfLink", engine.url(path)}};
}

json accelerator_json(const Engine& engine, const std::string& project, const Zone& zone, const std::string& gpu) {
  std::string path = in_zone(project, zone, "acceleratorTypes/" + gpu);
  return {{"kind", "compute#acceleratorType"},
          {"id", id_of(gpu)},
          {"name", gpu},
          {"description", gpu},
          {"maximumCardsPerInstance", 8},
          {"creationTimestamp", kBegin},
          {"zone", engine.url("projects/" + project + "/zones/" + zone.name)},
          {"selfLink", engine.url(path)}};
}

using Rows = std::vector<json>;
using RowsOf = std::function<Rows(const Engine&, const std::string& project, const Zone&)>;

Rows machines(const Engine& engine, const std::string& project, const Zone& zone) {
  Rows rows;
  for (auto& m : machine_types())
    if (offered(m, zone)) rows.push_back(machine_json(engine, project, zone, m));
  return rows;
}

Rows disk_rows(const Engine& engine, const std::string& project, const Zone& zone) {
  Rows rows;
  for (auto& type : disk_types()) rows.push_back(disk_type_json(engine, project, zone, type));
  return rows;
}

Rows accelerators(const Engine& engine, const std::string& project, const Zone& zone) {
  std::set<std::string> names{"nvidia-tesla-t4"};
  for (auto& m : machine_types())
    if (m.gpus > 0 && offered(m, zone)) names.insert(m.gpu);
  Rows rows;
  for (auto& name : names) rows.push_back(accelerator_json(engine, project, zone, name));
  return rows;
}

/// get, list and aggregatedList of something that zones offer.
void add_zonal(const std::shared_ptr<Engine>& engine, const std::string& what, const std::string& kind, const RowsOf& rows_of) {
  route(engine, "GET", "{}/zones/{}/" + what, CallKind::list, [=](Engine& e, const Call& call) {
    const Zone* zone = find_zone(call.parts.at(1));
    std::string path = "projects/" + call.parts.at(0) + "/zones/" + call.parts.at(1);
    return zone == nullptr ? not_found(path) : list_reply(call, kind + "List", path + "/" + what, rows_of(e, call.parts.at(0), *zone));
  });
  route(engine, "GET", "{}/aggregated/" + what, CallKind::list, [=](Engine& e, const Call& call) {
    std::map<std::string, Rows> rows;
    for (auto& zone : zones()) rows[zone.name] = rows_of(e, call.parts.at(0), zone);
    return aggregated_reply(call, kind + "AggregatedList", "projects/" + call.parts.at(0) + "/aggregated/" + what, what, rows);
  });
  route(engine, "GET", "{}/zones/{}/" + what + "/{}", CallKind::get, [=](Engine& e, const Call& call) {
    if (const Zone* zone = find_zone(call.parts.at(1)); zone != nullptr)
      for (auto& row : rows_of(e, call.parts.at(0), *zone))
        if (row["name"] == call.parts.at(2)) return json_reply(row);
    return not_found("projects/" + call.parts.at(0) + "/zones/" + call.parts.at(1) + "/" + what + "/" + call.parts.at(2));
  });
}

Reply get_region(Engine& engine, const Call& call) {
  for (auto& zone : zones())
    if (zone.region == call.parts.at(1)) return json_reply(region_json(engine, call.parts.at(0), zone.region));
  return not_found("projects/" + call.parts.at(0) + "/regions/" + call.parts.at(1));
}

Reply list_regions(Engine& engine, const Call& call) {
  std::set<std::string> names;
  for (auto& zone : zones()) names.insert(zone.region);
  Rows rows;
  for (auto& name : names) rows.push_back(region_json(engine, call.parts.at(0), name));
  return list_reply(call, "regionList", "projects/" + call.parts.at(0) + "/regions", rows);
}

Reply get_zone(Engine& engine, const Call& call) {
  const Zone* zone = find_zone(call.parts.at(1));
  if (zone == nullptr) return not_found("projects/" + call.parts.at(0) + "/zones/" + call.parts.at(1));
  return json_reply(zone_json(engine, call.parts.at(0), *zone));
}

Reply list_zones(Engine& engine, const Call& call) {
  Rows rows;
  for (auto& zone : zones()) rows.push_back(zone_json(engine, call.parts.at(0), zone));
  return list_reply(call, "zoneList", "projects/" + call.parts.at(0) + "/zones", rows);
}

/// Every project here has the one network that new projects get, with a subnetwork of the same name in each region.
json network_json(const Engine& engine, const std::string& path) {
  return {{"kind", "compute#network"},     {"id", id_of(path)},           {"name", "default"},
          {"autoCreateSubnetworks", true}, {"creationTimestamp", kBegin}, {"selfLink", engine.url(path)}};
}

Reply get_network(Engine& engine, const Call& call) {
  std::string path = "projects/" + call.parts.at(0) + "/global/networks/" + call.parts.at(1);
  return call.parts.at(1) == "default" ? json_reply(network_json(engine, path)) : not_found(path);
}

Reply get_subnetwork(Engine& engine, const Call& call) {
  std::string region = "projects/" + call.parts.at(0) + "/regions/" + call.parts.at(1);
  std::string path = region + "/subnetworks/" + call.parts.at(2);
  bool known = std::any_of(zones().begin(), zones().end(), [&](auto& zone) { return zone.region == call.parts.at(1); });
  if (!known || call.parts.at(2) != "default") return not_found(path);
  return json_reply({{"kind", "compute#subnetwork"},
                     {"id", id_of(path)},
                     {"name", "default"},
                     {"network", engine.url("projects/" + call.parts.at(0) + "/global/networks/default")},
                     {"region", engine.url(region)},
                     {"ipCidrRange", "10.128.0.0/20"},
                     {"creationTimestamp", kBegin},
                     {"selfLink", engine.url(path)}});
}

}  // namespace

void add_catalogue(const std::shared_ptr<Engine>& engine) {
  route(engine, "GET", "{}", CallKind::get, [](Engine& e, const Call& call) { return json_reply(project_json(e, call.parts.at(0))); });
  route(engine, "GET", "{}/zones", CallKind::list, list_zones);
  route(engine, "GET", "{}/zones/{}", CallKind::get, get_zone);
  route(engine, "GET", "{}/regions", CallKind::list, list_regions);
  route(engine, "GET", "{}/regions/{}", CallKind::get, get_region);
  route(engine, "GET", "{}/global/networks/{}", CallKind::get, get_network);
  route(engine, "GET", "{}/regions/{}/subnetworks/{}", CallKind::get, get_subnetwork);
  add_zonal(engine, "machineTypes", "machineType", machines);
  add_zonal(engine, "diskTypes", "diskType", disk_rows);
  add_zonal(engine, "acceleratorTypes", "acceleratorType", accelerators);
}

}  // namespace vt::emulator::gcp
