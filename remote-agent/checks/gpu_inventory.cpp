#include <set>

#include "remote-agent/base/os.hpp"
#include "remote-agent/checks/gpu_nvml.hpp"
#include "remote-agent/gpu/open.hpp"

namespace vt::checks {

namespace {

using gpu::nvml::Functions, gpu::nvml::Handle, gpu::nvml::Memory, gpu::nvml::Nvml, gpu::nvml::PciInfo;
using nlohmann::json;
using Pair = std::array<unsigned, 2>;

Result<std::string> text(const Nvml& nvml, Handle gpu, gpu::nvml::Code (*Functions::*function)(Handle, char*, unsigned)) {
  return or_none<std::string>(nvml.text(function, gpu), [](auto& t) { return t; });
}

std::string on_or_off(unsigned state) { return state ? "on" : "off"; }

/// "on", "off", "n/a", or "off, on after a reset".
Result<std::string> mode(const Nvml& nvml, Handle gpu, gpu::nvml::Code (*Functions::*function)(Handle, unsigned*, unsigned*)) {
  return or_none<Pair>(nvml.pair<unsigned>(function, gpu),
                       [](auto& m) { return on_or_off(m[0]) + (m[0] == m[1] ? "" : ", " + on_or_off(m[1]) + " after a reset"); });
}

Result<json> inventory_of(const Nvml& nvml, Handle gpu) {
  constexpr double kMib = 1024 * 1024;
  json out;
  VT_TRY(out["name"], nvml.text(&Functions::nvmlDeviceGetName, gpu));
  VT_TRY(out["uuid"], nvml.text(&Functions::nvmlDeviceGetUUID, gpu));
  VT_TRY(out["serial"], text(nvml, gpu, &Functions::nvmlDeviceGetSerial));
  VT_TRY(out["vbios"], text(nvml, gpu, &Functions::nvmlDeviceGetVbiosVersion));
  VT_TRY(auto pci, nvml.get<PciInfo>(&Functions::nvmlDeviceGetPciInfo_v3, gpu));
  out["pci"] = pci.bus_id;
  VT_TRY(auto capability, nvml.pair<int>(&Functions::nvmlDeviceGetCudaComputeCapability, gpu));
  out["sm"] = "sm_" + std::to_string(capability[0]) + std::to_string(capability[1]);
  VT_TRY(auto memory, nvml.get<Memory>(&Functions::nvmlDeviceGetMemoryInfo, gpu));
  out["memory_mib"] = static_cast<double>(memory.total) / kMib;
  VT_TRY(out["ecc"], mode(nvml, gpu, &Functions::nvmlDeviceGetEccMode));
  VT_TRY(out["mig"], mode(nvml, gpu, &Functions::nvmlDeviceGetMigMode));
  return out;
}

/// "none", or why CUDA shows another number of GPUs than there are boards. `boards`: UUIDs as NVML tells them.
std::string sharing(const json& values, int logical) {
  std::set<std::string> boards;
  bool mig = false;
  for (auto& uuid : values["uuid"]) boards.insert(uuid.get<std::string>());
  for (auto& state : values["mig"]) mig = mig || state.get<std::string>().starts_with("on");
  auto physical = static_cast<int>(boards.size());
  auto counts = std::to_string(logical) + " logical on " + std::to_string(physical) + " physical";
  if (mig) return "MIG: " + counts;
  if (logical > physical) return "time-sliced: " + counts;
  return logical < physical ? "hidden: " + counts : "none";
}

}  // namespace

Outcome gpu_inventory(const Task&, Reporter&) {
  auto out = for_each_gpu(inventory_of);
  if (!out.error.empty()) return out;
  auto nvml = gpu::nvml::Nvml::open();
  if (nvml) out.values["driver"] = nvml->text(&Functions::nvmlSystemGetDriverVersion).value_or("n/a");
  auto banner = agent::read_file("/proc/driver/nvidia/version");
  bool open = banner.find("Open Kernel Module") != std::string::npos;
  out.values["modules"] = banner.empty() ? "n/a" : open ? "open" : "proprietary";
  auto logical = gpu::count();
  if (!logical) out.error = "NVML lists the GPUs, CUDA does not: " + logical.error().what;
  else out.values["logical"] = *logical, out.values["sharing"] = sharing(out.values, *logical);
  return out;
}

}  // namespace vt::checks
