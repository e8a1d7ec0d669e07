#include "providers/emulator/runpod/api.hpp"

namespace vt::emulator::runpod {

namespace {

json show(const Volume& v) { return {{"id", v.id}, {"name", v.name}, {"size", v.size_gb}, {"dataCenter", v.center}, {"type", v.type}}; }

Money hourly(const Volume& v) {
  constexpr int kLarge = 1000;
  return {((v.size_gb < kLarge ? kVolumeMonth : kLargeVolumeMonth) * v.size_gb + kHoursPerMonth - 1) / kHoursPerMonth};
}

Reply no_volume() { return problem(404, "network volume not found"); }

Reply create_volume(Account& account, const Call& call) {
  json body;
  if (auto refusal = refuse_body(call, "CreateNetworkVolumeRequest", body)) return *refusal;
  if (find_center(body["dataCenter"]) == nullptr) return problem(400, "unknown data center");
  Volume v{account.new_id(), body["name"], body["dataCenter"], body.value("type", "STANDARD"), body["size"]};
  Thing thing;
  thing.id = v.id, thing.provider = "runpod", thing.kind = "volume", thing.name = v.name, thing.zone = v.center, thing.hourly = hourly(v);
  if (call.number != 0) thing.requests = {call.number};
  account.world.books->add(std::move(thing));
  account.world.books->meter(v.id, true);
  account.volumes[v.id] = v;
  return json_reply(show(v), 201);
}

Reply list_volumes(Account& account, const Call&) {
  json all = json::array();
  for (auto& [id, v] : account.volumes) all.push_back(show(v));
  return json_reply({{"networkVolumes", all}});
}

Reply get_volume(Account& account, const Call& call) {
  auto found = account.volumes.find(call.parts[0]);
  return found == account.volumes.end() ? no_volume() : json_reply(show(found->second));
}

Reply change_volume(Account& account, const Call& call) {
  json body;
  if (auto refusal = refuse_body(call, "UpdateNetworkVolumeRequest", body)) return *refusal;
  auto found = account.volumes.find(call.parts[0]);
  if (found == account.volumes.end()) return no_volume();
  Volume& v = found->second;
  if (body.value("size", v.size_gb) < v.size_gb) return problem(400, "a network volume cannot shrink");
  v.name = body.value("name", v.name), v.size_gb = body.value("size", v.size_gb);
  return json_reply(show(v));
}

Reply delete_volume(Account& account, const Call& call) {
  if (account.volumes.erase(call.parts[0]) == 0) return no_volume();
  account.world.books->ended(call.parts[0], "deleted");
  return {204, "", "application/json", {}};
}

}  // namespace

void add_volumes(const std::shared_ptr<Account>& account) {
  route(account, "POST", "/v2/network-volumes", CallKind::create, create_volume);
  route(account, "GET", "/v2/network-volumes", CallKind::list, list_volumes);
  route(account, "GET", "/v2/network-volumes/{}", CallKind::get, get_volume);
  route(account, "PATCH", "/v2/network-volumes/{}", CallKind::change, change_volume);
  route(account, "DELETE", "/v2/network-volumes/{}", CallKind::remove, delete_volume);
}

}  // namespace vt::emulator::runpod
