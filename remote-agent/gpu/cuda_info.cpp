#include "remote-agent/gpu/cuda_info.hpp"

#include <array>
#include <cctype>
#include <fstream>

#include "remote-agent/gpu/open.hpp"

namespace vt::gpu {

using cuda::Driver;

namespace {

/// "GPU-a1b2c3d4-…", as NVML and nvidia-smi write it.
std::string text_of(const cuda::Uuid& uuid) {
  constexpr char kHex[] = "0123456789abcdef";
  std::string out = "GPU-";
  for (std::size_t i = 0; i < sizeof uuid.bytes; ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) out += '-';
    out += kHex[uuid.bytes[i] >> 4];
    out += kHex[uuid.bytes[i] & 15];
  }
  return out;
}

int numa_node_of(const std::string& pci) {
  int node = -1;
  std::ifstream("/sys/bus/pci/devices/" + pci + "/numa_node") >> node;
  return node;
}

Result<int> attribute(const Driver& driver, cuda::DeviceId id, cuda::Attribute which) {
  int value = 0;
  VT_CUDA(driver, cuDeviceGetAttribute, &value, which, id);
  return value;
}

}  // namespace

Result<cuda::DeviceId> device_id(const Driver& driver, int ordinal) {
  cuda::DeviceId id = 0;
  VT_CUDA(driver, cuDeviceGet, &id, ordinal);
  return id;
}

Result<DeviceInfo> read_info(const Driver& driver, cuda::DeviceId id, int ordinal) {
  DeviceInfo out;
  out.ordinal = ordinal;
  std::array<char, 256> text{};
  VT_CUDA(driver, cuDeviceGetName, text.data(), static_cast<int>(text.size()), id);
  out.name = text.data();
  VT_CUDA(driver, cuDeviceGetPCIBusId, text.data(), static_cast<int>(text.size()), id);
  out.pci = text.data();
  for (auto& c : out.pci) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));  // as /sys writes it
  out.numa_node = numa_node_of(out.pci);
  cuda::Uuid uuid{};
  VT_CUDA(driver, cuDeviceGetUuid_v2, &uuid, id);
  out.uuid = text_of(uuid);
  std::size_t memory = 0;
  VT_CUDA(driver, cuDeviceTotalMem_v2, &memory, id);
  out.memory = memory;
  VT_TRY(int major, attribute(driver, id, cuda::capability_major));
  VT_TRY(int minor, attribute(driver, id, cuda::capability_minor));
  out.sm = 10 * major + minor;
  VT_TRY(out.multiprocessors, attribute(driver, id, cuda::multiprocessors));
  VT_TRY(int l2, attribute(driver, id, cuda::l2_bytes));
  out.l2 = static_cast<std::uint64_t>(l2);
  return out;
}

Result<int> count() {
  VT_TRY(const auto* driver, cuda::driver());
  int out = 0;
  VT_CUDA(*driver, cuDeviceGetCount, &out);
  if (out == 0) return fail(cuda::explain(100, "cuDeviceGetCount"));  // CUDA_ERROR_NO_DEVICE, which cuInit tells mostly
  return out;
}

Result<std::vector<DeviceInfo>> list() {
  VT_TRY(int devices, count());
  VT_TRY(const auto* driver, cuda::driver());
  std::vector<DeviceInfo> out;
  for (int i = 0; i < devices; ++i) {
    VT_TRY(auto id, device_id(*driver, i));
    VT_TRY(out.emplace_back(), read_info(*driver, id, i));
  }
  return out;
}

}  // namespace vt::gpu
