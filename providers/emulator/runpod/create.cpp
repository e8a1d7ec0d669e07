#include <regex>

#include "providers/emulator/runpod/api.hpp"

// POST /v2/pods: what is refused, and where the pod is put.
namespace vt::emulator::runpod {

namespace {

constexpr std::size_t kMostVariables = 50;

Refusal check_rules(const Account& account, const json& body) {
  bool gpu = body.contains("gpu"), cpu = body.contains("cpu");
  if (gpu == cpu) return problem(400, gpu ? "gpu and cpu are mutually exclusive" : "one of gpu and cpu is required");
  if (gpu && body["gpu"].contains("allowedCudaVersions") && body["gpu"].contains("minCudaVersion"))
    return problem(400, "allowedCudaVersions and minCudaVersion are mutually exclusive");
  if (body.value("env", json::object()).size() > kMostVariables) return problem(400, "at most 50 environment variables are allowed");
  static const std::regex port(R"(([0-9]{1,5})/(tcp|http|udp))");
  for (auto& entry : body.value("ports", json::array()))
    if (!std::regex_match(entry.get_ref<const std::string&>(), port))
      return problem(400, "invalid port '" + entry.get<std::string>() + "'");
  if (body.contains("templateId")) return problem(404, "template not found");
  for (auto& mount : body.value("/mounts/network"_json_pointer, json::array()))
    if (!account.volumes.contains(mount.value("volumeId", ""))) return problem(404, "network volume not found");
  return std::nullopt;
}

bool cuda_fits(const json& gpu, const std::string& offered) {
  if (cuda_number(offered) < cuda_number(gpu.value("minCudaVersion", ""))) return false;
  auto allowed = gpu.value("allowedCudaVersions", json::array());
  return allowed.empty() || std::find(allowed.begin(), allowed.end(), offered) != allowed.end();
}

bool center_wanted(const json& body, const std::string& center) {
  auto wanted = body.value("dataCenterIds", json::array());
  return wanted.empty() || std::find(wanted.begin(), wanted.end(), center) != wanted.end();
}

/// The data center that has it; nullptr: none, whatever the reason. Like the service, that is all it says.
const char* place(const json& body) {
  if (body.contains("cpu")) {
    auto& cpu = body["cpu"];
    const CpuKind* kind = find_cpu(cpu["id"]);
    int count = cpu["vcpuCount"];
    if (kind == nullptr || count < kind->least || count > kind->most || (count & (count - 1)) != 0) return nullptr;
    for (auto& center : data_centers())
      if (center_wanted(body, center.id)) return center.id;
    return nullptr;
  }
  auto& gpu = body["gpu"];
  const GpuKind* kind = find_gpu(gpu["id"]);
  // Without a count the scheduler matches no machine (runpod-mcp, August 2026), though the description gives a default.
  if (kind == nullptr || !gpu.contains("count") || gpu["count"] > kind->most || kind->stock == Stock::none) return nullptr;
  if ((body.value("cloud", "SECURE") == "SECURE" ? kind->secure : kind->community) == 0) return nullptr;
  for (auto center : kind->centers)
    if (center_wanted(body, center) && cuda_fits(gpu, find_center(center)->cuda)) return center;
  return nullptr;
}

json filled_in(json body) {
  const json defaults = {{"cloud", "SECURE"},
                         {"disk", 50},
                         {"args", ""},
                         {"env", json::object()},
                         {"ports", json::array()},
                         {"registry", nullptr},
                         {"mounts", json::object()},
                         {"globalNetworking", false}};
  for (auto& [key, value] : defaults.items())
    if (!body.contains(key)) body[key] = value;
  return body;
}

}  // namespace

Reply create_pod(Account& account, const Call& call) {
  json body;
  if (auto refusal = refuse_body(call, "CreatePodRequest", body)) return *refusal;
  if (auto refusal = check_rules(account, body)) return *refusal;
  if (call.faults.has(FaultKind::quota)) return front_error(402);
  const char* center = call.faults.has(FaultKind::stockout) ? nullptr : place(body);
  if (center == nullptr) return no_capacity();
  return json_reply(account.show(*account.add(call, filled_in(std::move(body)), center)), 201);
}

}  // namespace vt::emulator::runpod
