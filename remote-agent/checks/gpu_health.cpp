#include "remote-agent/checks/gpu_nvml.hpp"
#include "remote-agent/gpu/health.hpp"

// What the GPUs remember of themselves: errors, repairs, and what they ask for.
namespace vt::checks {

namespace {

using gpu::Counters;
using gpu::nvml::Functions, gpu::nvml::Handle, gpu::nvml::Nvml;
using nlohmann::json;

std::string count_text(const Counters::Count& n) { return n ? std::to_string(*n) : "n/a"; }

std::string remap_text(const Counters& c) {
  if (!c.remap_failed || !c.remap_pending) return "n/a";
  return *c.remap_failed ? "failed" : *c.remap_pending ? "waits for a reset" : "none open";
}

/// A bank without spare rows keeps its next bad row.
std::string spares_text(const Nvml& nvml, Handle gpu) {
  auto banks = nvml.get<gpu::nvml::SpareRows>(&Functions::nvmlDeviceGetRowRemapperHistogram, gpu);
  if (!banks) return "n/a";
  if (banks->low + banks->none == 0) return "ok";
  return "few in " + std::to_string(banks->low) + " and none in " + std::to_string(banks->none) + " banks";
}

Result<json> state_of(const Nvml& nvml, Handle gpu) {
  auto c = gpu::read_counters(nvml, gpu);
  auto waits = nvml.get<unsigned>(&Functions::nvmlDeviceGetRetiredPagesPendingStatus, gpu);
  VT_TRY(auto retiring, or_none<unsigned>(waits, [](auto& pending) { return pending ? "waits for a reset" : "none open"; }));
  // NVML of one that is lost answers nothing: that is no "n/a".
  VT_TRY([[maybe_unused]] auto memory, nvml.get<gpu::nvml::Memory>(&Functions::nvmlDeviceGetMemoryInfo, gpu));
  auto retired = c.retired_single && c.retired_double ? Counters::Count(*c.retired_single + *c.retired_double) : std::nullopt;
  return json{{"uncorrected", count_text(c.ecc_uncorrected)},
              {"corrected", count_text(c.ecc_corrected)},
              {"remapping", remap_text(c)},
              {"spare_rows", spares_text(nvml, gpu)},
              {"remapped_corrected", count_text(c.remapped_corrected)},
              {"remapped_rows", count_text(c.remapped_uncorrected)},
              {"retiring", retiring},
              {"retired_pages", count_text(retired)},
              {"pcie_replays", count_text(c.pcie_replays)}};
}

/// NVML_FI_DEV_GET_GPU_RECOVERY_ACTION
Result<json> recovery_of(const Nvml& nvml, Handle gpu) {
  constexpr const char* kNames[] = {"none", "reset the GPU", "restart the machine", "drain peers", "drain peers and reset", "recover IMEX"};
  auto read = nvml.field(gpu::nvml::recovery_action, gpu);
  VT_TRY(auto action, or_none<std::uint64_t>(
                          read, [&](auto& n) { return n < std::size(kNames) ? std::string(kNames[n]) : "unknown " + std::to_string(n); }));
  return json{{"action", action}};
}

Result<json> inforom_of(const Nvml& nvml, Handle gpu) {
  constexpr gpu::nvml::Code kCorrupted = 14;
  auto code = nvml.call(&Functions::nvmlDeviceValidateInforom, gpu);
  bool none = code == gpu::nvml::kNotSupported || code == gpu::nvml::kNoFunction;
  if (code && code != kCorrupted && !none) return Nvml::failed(code);
  auto version = nvml.text(&Functions::nvmlDeviceGetInforomImageVersion, gpu);
  return json{{"state", none ? "n/a" : code ? "corrupted" : "valid"}, {"version", version.value_or("n/a")}};
}

/// Links that are there and how many of them are up; a PCIe board without a bridge uses none. A GPU refuses each link beyond its last.
Result<json> nvlinks_of(const Nvml& nvml, Handle gpu) {
  constexpr unsigned kMost = 36;
  unsigned there = 0, up = 0;
  for (unsigned link = 0; link < kMost; ++link) {
    auto state = nvml.get<unsigned>(&Functions::nvmlDeviceGetNvLinkState, gpu, link);
    if (!state && state.error().code == Errc::lost) return fail(state.error());
    if (state) ++there, up += *state != 0;
  }
  auto counts = std::to_string(up) + " of " + std::to_string(there) + " up";
  json out = {{"links", !there ? "n/a" : up ? counts : "none in use"}};
  auto generation = there ? nvml.get<unsigned>(&Functions::nvmlDeviceGetNvLinkVersion, gpu, 0U).value_or(0) : 0;
  out["generation"] = generation;
  return out;
}

Result<json> fabric_of(const Nvml& nvml, Handle gpu) {
  constexpr const char* kNames[] = {"n/a", "not started", "in progress", "completed"};
  auto read = nvml.get<gpu::nvml::Fabric>(&Functions::nvmlDeviceGetGpuFabricInfo, gpu);
  VT_TRY(auto state, or_none<gpu::nvml::Fabric>(read, [&](auto& f) {
           if (f.state >= std::size(kNames)) return "unknown " + std::to_string(f.state);
           return f.state == 3 && f.status ? "failed: " + gpu::nvml::meaning(f.status) : std::string(kNames[f.state]);
         }));
  return json{{"state", state}};
}

}  // namespace

Outcome gpu_state(const Task&, Reporter&) { return for_each_gpu(state_of); }
Outcome gpu_recovery(const Task&, Reporter&) { return for_each_gpu(recovery_of); }
Outcome gpu_inforom(const Task&, Reporter&) { return for_each_gpu(inforom_of); }
Outcome nvlink_state(const Task&, Reporter&) { return for_each_gpu(nvlinks_of); }
Outcome gpu_fabric(const Task&, Reporter&) { return for_each_gpu(fabric_of); }

}  // namespace vt::checks
