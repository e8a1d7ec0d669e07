#include "remote-agent/checks/gpu_nvml.hpp"

namespace vt::checks {

namespace {

using gpu::nvml::Functions, gpu::nvml::Handle, gpu::nvml::Nvml;
using nlohmann::json;

/// As nvidia-smi topo writes them.
Result<std::string> level(const Nvml& nvml, Handle a, Handle b) {
  constexpr const char* kNames[] = {"INT", "PIX", "PXB", "PHB", "NODE", "SYS"};
  auto read = nvml.get<int>(&Functions::nvmlDeviceGetTopologyCommonAncestor, a, b);
  return or_none<int>(read, [&](auto& n) {
    auto step = static_cast<std::size_t>(n / 10);
    return n % 10 == 0 && step < std::size(kNames) ? kNames[step] : "unknown " + std::to_string(n);
  });
}

/// OK; the chipset, the GPU, the topology or a setting of the driver's does not allow it; not supported.
Result<std::string> peer(const Nvml& nvml, Handle a, Handle b, int what) {
  constexpr const char* kNames[] = {"OK", "CNS", "GNS", "TNS", "DR", "NS", "unknown"};
  auto read = nvml.get<int>(&Functions::nvmlDeviceGetP2PStatus, a, b, what);
  return or_none<int>(read, [&](auto& n) { return kNames[std::min<std::size_t>(static_cast<std::size_t>(n), std::size(kNames) - 1)]; });
}

Result<json> pairs_of(const Nvml& nvml, const std::vector<Handle>& gpus) {
  constexpr int kRead = 0, kWrite = 1;
  json out = {{"pairs", json::array()}, {"level", json::array()}, {"read", json::array()}, {"write", json::array()}};
  for (std::size_t a = 0; a < gpus.size(); ++a)
    for (std::size_t b = 0; b < gpus.size(); ++b) {
      if (a == b) continue;
      VT_TRY(auto path, level(nvml, gpus[a], gpus[b]));
      VT_TRY(auto read, peer(nvml, gpus[a], gpus[b], kRead));
      VT_TRY(auto write, peer(nvml, gpus[a], gpus[b], kWrite));
      out["pairs"].push_back(std::to_string(a) + "-" + std::to_string(b) + " " + path + ", read " + read + ", write " + write);
      out["level"].push_back(path), out["read"].push_back(read), out["write"].push_back(write);
    }
  return out;
}

Result<json> matrix(std::string& device) {
  VT_TRY(auto nvml, Nvml::open());
  VT_TRY(auto listed, nvml.gpus());
  std::vector<Handle> gpus;
  std::vector<std::pair<std::string, std::string>> known;
  for (auto& gpu : listed) {
    VT_TRY(auto handle, gpu);
    VT_TRY(auto name, nvml.text(&Functions::nvmlDeviceGetName, handle));
    VT_TRY(auto uuid, nvml.text(&Functions::nvmlDeviceGetUUID, handle));
    gpus.push_back(handle), known.emplace_back(name, uuid);
  }
  device = device_text(known);
  if (gpus.size() < 2) return fail(Errc::not_found, "NVML lists " + std::to_string(gpus.size()) + " GPU: there is no pair");
  return pairs_of(nvml, gpus);
}

}  // namespace

Outcome topology_matrix(const Task&, Reporter&) {
  Outcome out;
  auto found = matrix(out.device);
  if (found) out.values = std::move(found).take();
  else out.error = found.error().what;
  return out;
}

}  // namespace vt::checks
