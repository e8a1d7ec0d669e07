#include "tests/doubles/nvml/gpu.hpp"

#include <deque>

namespace vt::doubles {

namespace {

std::deque<nvmlDevice_st>& devices() {
  static auto* all = [] {
    auto* made = new std::deque<nvmlDevice_st>;
    for (std::size_t i = 0; i < host().gpus.size(); ++i) made->push_back({static_cast<int>(i)});
    return made;
  }();
  return *all;
}

bool concerns(const Fault& fault, const nvmlDevice_st& gpu, const char* kind) {
  return fault.kind == kind && (fault.gpu < 0 || fault.gpu == gpu.ordinal);
}

}  // namespace

unsigned device_count() { return static_cast<unsigned>(devices().size()); }

nvmlDevice_t device(unsigned ordinal) { return ordinal < device_count() ? &devices()[ordinal] : nullptr; }

nvmlReturn_t ready(nvmlDevice_t gpu) {
  if (host().nvml.value("mismatch", false)) return NVML_ERROR_LIB_RM_VERSION_MISMATCH;
  if (!gpu) return NVML_ERROR_INVALID_ARGUMENT;
  return state(gpu->ordinal).lost ? NVML_ERROR_GPU_IS_LOST : NVML_SUCCESS;
}

unsigned long long throttle_bits(const nvmlDevice_st& gpu) {
  auto bits = gpu.value("throttle", 0ULL);
  for (auto& fault : host().faults)
    if (concerns(fault, gpu, "throttle")) bits |= static_cast<unsigned>(fault.code);
  return bits;
}

unsigned long long gained(const nvmlDevice_st& gpu, const std::string& counter) {
  unsigned long long out = 0;
  for (auto& fault : host().faults)
    if (concerns(fault, gpu, "counter") && fault.where == counter && state(gpu.ordinal).launches > fault.after) out += fault.count;
  return out;
}

unsigned long long ecc_errors(const nvmlDevice_st& gpu, bool uncorrected) {
  auto* key = uncorrected ? "ecc_uncorrected" : "ecc_corrected";
  auto count = gpu.value(key, 0ULL);
  for (auto& fault : host().faults)
    if (concerns(fault, gpu, "ecc") && (fault.where == "uncorrected") == uncorrected && state(gpu.ordinal).launches > fault.after)
      count += fault.count;
  return count;
}

}  // namespace vt::doubles
