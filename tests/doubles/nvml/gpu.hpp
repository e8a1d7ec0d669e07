#pragma once
#include <string>

#include "tests/doubles/host/host.hpp"
#include "tests/doubles/nvml/abi.hpp"

/// A device as NVML knows it. Its figures are the keys of `nvml` in gpus.json; without one, what is said here: a healthy RTX 5090.
struct nvmlDevice_st {
  int ordinal;

  [[nodiscard]] const vt::doubles::Gpu& gpu() const { return vt::doubles::host().gpus[static_cast<std::size_t>(ordinal)]; }
  [[nodiscard]] bool has(const char* key) const { return gpu().nvml.contains(key); }
  template <class T>
  [[nodiscard]] T value(const char* key, const T& otherwise) const {
    return gpu().nvml.value(key, otherwise);
  }
};

namespace vt::doubles {

/// What every call about a device answers first.
nvmlReturn_t ready(nvmlDevice_t);
nvmlDevice_t device(unsigned ordinal);
unsigned device_count();

/// Bits of nvmlClocksEventReasons, those of throttle faults with them.
unsigned long long throttle_bits(const nvmlDevice_st&);
/// What a counter has gained by faults that have struck: those of kind "counter" with this name.
unsigned long long gained(const nvmlDevice_st&, const std::string& counter);
/// Counted errors, those of ECC faults that have struck with them.
unsigned long long ecc_errors(const nvmlDevice_st&, bool uncorrected);

}  // namespace vt::doubles
