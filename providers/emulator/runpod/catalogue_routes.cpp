#include "orchestrator/model/text.hpp"
#include "providers/emulator/runpod/api.hpp"

// GET /v2/catalog/…
namespace vt::emulator::runpod {

namespace {

/// What a caller narrows availability down to.
struct Asked {
  bool availability = false, community = false;
  int count = 1, least_cuda = 0;
  std::vector<std::string> countries, versions;
};

/// include=AVAILABILITY and product go together; the other filters go with them.
Refusal read_query(const Call& call, Asked& asked) {
  auto include = call.param("include");
  asked.availability = include == "AVAILABILITY";
  if (!include.empty() && !asked.availability)
    return problem(422, "Request validation failed.", {"$.include[0]: value must be 'AVAILABILITY'"});
  if (asked.availability == call.param("product").empty())
    return problem(
        400, asked.availability ? "product is required with include=AVAILABILITY" : "product is valid only with include=AVAILABILITY");
  for (auto filter : {"count", "cloud", "countryCodes", "cudaVersions", "minCudaVersion", "vcpuCount"})
    if (!asked.availability && !call.param(filter).empty())
      return problem(400, std::string(filter) + " is valid only with include=AVAILABILITY");
  auto minimum = call.param("minCudaVersion");
  if (!minimum.empty() && !call.param("cudaVersions").empty())
    return problem(400, "cudaVersions and minCudaVersion are mutually exclusive");
  asked.least_cuda = cuda_number(minimum);
  if (!minimum.empty() && asked.least_cuda == 0) return problem(422, "Request validation failed.", {"$.minCudaVersion: not a version"});
  if (auto cloud = call.param("cloud"); !cloud.empty() && cloud != "SECURE" && cloud != "COMMUNITY")
    return problem(422, "Request validation failed.", {"$.cloud: value must be one of 'SECURE', 'COMMUNITY'"});
  asked.community = call.param("cloud") == "COMMUNITY";
  asked.count = call.param("count").empty() ? 1 : static_cast<int>(std::strtol(call.param("count").c_str(), nullptr, 10));
  if (asked.count < 1) return problem(422, "Request validation failed.", {"$.count: minimum: got " + call.param("count") + ", want 1"});
  asked.countries = split(call.param("countryCodes"), ','), asked.versions = split(call.param("cudaVersions"), ',');
  return std::nullopt;
}

bool among(const std::vector<std::string>& allowed, const std::string& one) {
  return allowed.empty() || std::find(allowed.begin(), allowed.end(), one) != allowed.end();
}

Stock stock_in(const GpuKind& gpu, const DataCenter& center, const Asked& asked) {
  bool has = std::find(gpu.centers.begin(), gpu.centers.end(), std::string(center.id)) != gpu.centers.end();
  bool offered = (asked.community ? gpu.community : gpu.secure) != 0 && asked.count <= gpu.most;
  bool fits = cuda_number(center.cuda) >= asked.least_cuda && among(asked.versions, center.cuda);
  return has && offered && fits ? gpu.stock : Stock::none;
}

json show_gpu(const GpuKind& gpu, const Asked& asked) {
  json out = {{"id", gpu.id},
              {"name", gpu.name},
              {"pool", gpu.pool},
              {"manufacturer", "NVIDIA"},
              {"memory", gpu.memory_gb},
              {"secure", gpu.secure != 0},
              {"community", gpu.community != 0},
              {"price", {{"secure", dollars(gpu.secure)}, {"community", dollars(gpu.community)}}},
              {"maxCount", {{"secure", gpu.secure != 0 ? gpu.most : 0}, {"community", gpu.community != 0 ? gpu.most : 0}}}};
  if (!asked.availability) return out;
  Stock best = Stock::none;
  json centers = json::array(), versions = json::object(), list = json::array();
  for (auto& center : data_centers()) {
    if (!among(asked.countries, center.country)) continue;
    Stock stock = stock_in(gpu, center, asked);
    best = std::max(best, stock);
    centers.push_back({{"id", center.id}, {"name", center.name}, {"availability", text(stock)}});
    if (among(asked.versions, center.cuda)) versions[center.cuda] = versions.value(center.cuda, false) || stock != Stock::none;
  }
  for (auto& [version, available] : versions.items()) list.push_back({{"version", version}, {"available", available}});
  out["availability"] = text(best), out["dataCenters"] = centers, out["cudaVersions"] = list;
  return out;
}

json show_cpu(const CpuKind& cpu, const Asked& asked) {
  json out = {{"id", cpu.id},
              {"name", cpu.name},
              {"group", cpu.group},
              {"vcpu", {{"min", cpu.least}, {"max", cpu.most}}},
              {"ramGbPerVcpu", cpu.gb_per_vcpu},
              {"price", {{"securePerVcpu", dollars(cpu.vcpu)}, {"serverlessPerVcpu", dollars(cpu.vcpu)}}}};
  if (!asked.availability) return out;
  json centers = json::array();
  for (auto& center : data_centers()) centers.push_back({{"id", center.id}, {"name", center.name}, {"availability", "HIGH"}});
  out["availability"] = "HIGH", out["dataCenters"] = centers;
  return out;
}

json show_center(const DataCenter& center, const std::string& include) {
  json out = {{"id", center.id},
              {"name", center.name},
              {"region", center.region},
              {"globalNetwork", true},
              {"networkVolumeTypes", {"STANDARD"}},
              {"compliance", json::array()}};
  json gpus = json::array(), cpus = json::array();
  for (auto& gpu : gpu_kinds()) gpus.push_back({{"id", gpu.id}, {"name", gpu.name}, {"availability", text(stock_in(gpu, center, {}))}});
  for (auto& cpu : cpu_kinds()) cpus.push_back({{"id", cpu.id}, {"name", cpu.name}, {"availability", "HIGH"}});
  if (include.find("GPU_AVAILABILITY") != std::string::npos) out["gpuAvailability"] = gpus;
  if (include.find("CPU_AVAILABILITY") != std::string::npos) out["cpuAvailability"] = cpus;
  return out;
}

template <class Kind, class Show>
void add_list(const std::shared_ptr<Account>& account, const std::string& path, const std::string& key, const std::vector<Kind>& kinds,
              const char* missing, Show show) {
  route(account, "GET", path, CallKind::list, [key, &kinds, show](Account&, const Call& call) {
    Asked asked;
    if (auto refusal = read_query(call, asked)) return *refusal;
    json all = json::array();
    for (auto& kind : kinds) all.push_back(show(kind, asked));
    return json_reply({{key, all}});
  });
  route(account, "GET", path + "/{}", CallKind::get, [&kinds, show, missing](Account&, const Call& call) {
    Asked asked;
    if (auto refusal = read_query(call, asked)) return *refusal;
    for (auto& kind : kinds)
      if (kind.id == call.parts[0]) return json_reply(show(kind, asked));
    return problem(404, missing);
  });
}

}  // namespace

void add_catalogue(const std::shared_ptr<Account>& account) {
  add_list(account, "/v2/catalog/gpus", "gpus", gpu_kinds(), "gpu type not found", show_gpu);
  add_list(account, "/v2/catalog/cpus", "cpus", cpu_kinds(), "cpu type not found", show_cpu);
  route(account, "GET", "/v2/catalog/datacenters", CallKind::list, [](Account&, const Call& call) {
    json all = json::array();
    for (auto& center : data_centers())
      if (among(split(call.param("regions"), ','), center.region)) all.push_back(show_center(center, call.param("include")));
    return json_reply({{"dataCenters", all}});
  });
  route(account, "GET", "/v2/catalog/datacenters/{}", CallKind::get, [](Account&, const Call& call) {
    const DataCenter* center = find_center(call.parts[0]);
    return center == nullptr ? problem(404, "data center not found") : json_reply(show_center(*center, call.param("include")));
  });
}

}  // namespace vt::emulator::runpod
