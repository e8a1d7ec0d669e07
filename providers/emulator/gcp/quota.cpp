#include <algorithm>

#include "providers/emulator/gcp/api.hpp"

// The project's limits: enough for a few machines, and with the gaps that real ones have.
namespace vt::emulator::gcp {

namespace {

constexpr double kGpusEverywhere = 16, kGpusPerRegion = 8, kCpus = 500;

/// "nvidia-rtx-pro-6000" -> "NVIDIA_RTX_PRO_6000_GPUS"; Tesla is not named.
std::string metric_of(const std::string& gpu, bool spot) {
  std::string text = spot ? "PREEMPTIBLE_" : "";
  std::string rest = gpu;
  if (auto at = rest.find("tesla-"); at != std::string::npos) rest.erase(at, 6);
  for (char c : rest) text += c == '-' ? '_' : static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return text + "_GPUS";
}

/// The service does not tell the metric of RTX PRO 6000 in every region; it is unknown there, neither zero nor enough.
bool told(const std::string& gpu, const std::string& region) {
  return gpu != "nvidia-rtx-pro-6000" || region == "us-central1" || region == "us-west1";
}

std::string limit_text(double limit) { return std::to_string(static_cast<int>(limit)) + ".0"; }

}  // namespace

std::map<std::string, Engine::Usage> Engine::quota(const std::string& project, const std::string& region) const {
  std::map<std::string, Usage> all;
  if (region.empty()) all["GPUS_ALL_REGIONS"].limit = kGpusEverywhere;
  if (!region.empty()) all["CPUS"].limit = kCpus;
  for (auto& machine : machine_types())
    for (bool spot : {false, true})
      if (!region.empty() && machine.gpus > 0) all[metric_of(machine.gpu, spot)].limit = kGpusPerRegion;
  for (auto& [path, i] : instances) {
    if (i->project != project || i->body["status"] == "TERMINATED") continue;
    if (!region.empty() && find_zone(i->zone)->region != region) continue;
    if (!region.empty() && !i->machine->name.starts_with("g4-")) all["CPUS"].used += i->machine->cpus;
    if (i->machine->gpus > 0) all[region.empty() ? "GPUS_ALL_REGIONS" : metric_of(i->machine->gpu, i->spot)].used += i->machine->gpus;
  }
  return all;
}

std::string Engine::over_quota(const std::string& project, const Zone& zone, const MachineType& machine, bool spot) const {
  auto breaks = [](const std::map<std::string, Usage>& all, const std::string& metric, double more) {
    auto found = all.find(metric);
    return found != all.end() && found->second.used + more > found->second.limit ? limit_text(found->second.limit) : "";
  };
  auto regional = quota(project, zone.region);
  if (machine.gpus > 0) {
    std::string metric = metric_of(machine.gpu, spot);
    if (auto limit = breaks(quota(project, ""), "GPUS_ALL_REGIONS", machine.gpus); !limit.empty())
      return "Quota 'GPUS_ALL_REGIONS' exceeded.  Limit: " + limit + " globally.";
    if (auto limit = breaks(regional, metric, machine.gpus); !limit.empty())
      return "Quota '" + metric + "' exceeded.  Limit: " + limit + " in region " + zone.region + ".";
  }
  if (machine.name.starts_with("g4-")) return "";  // G4 draws on no CPU quota
  if (auto limit = breaks(regional, "CPUS", machine.cpus); !limit.empty())
    return "Quota 'CPUS' exceeded.  Limit: " + limit + " in region " + zone.region + ".";
  return "";
}

json quotas_json(const Engine& engine, const std::string& project, const std::string& region) {
  json rows = json::array();
  std::string rtx = metric_of("nvidia-rtx-pro-6000", false);
  for (auto& [metric, usage] : engine.quota(project, region))
    if (!metric.ends_with(rtx) || told("nvidia-rtx-pro-6000", region))
      rows.push_back({{"metric", metric}, {"limit", usage.limit}, {"usage", usage.used}});
  return rows;
}

}  // namespace vt::emulator::gcp
