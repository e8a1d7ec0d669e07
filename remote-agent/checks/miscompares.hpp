#pragma once
#include <cstddef>
#include <string>

#include "kernels/pattern.hpp"
#include "remote-agent/gpu/device.hpp"

namespace vt::checks {

/// "0x00000000deadbeef"
std::string hex(std::uint64_t);
/// "3 of 512 words wrong, first at byte 0x18: expected 0x…, found 0x…"; "none".
std::string text(const kernels::Miscompares&, std::size_t words);

/// Fills words with the stream `seed`, and counts those that are not of it: device memory by the device's kernels, host memory by the
/// processor. Both are done when they return.
Status fill_words(gpu::Device&, const gpu::Buffer&, std::size_t words, std::uint64_t seed);
Result<kernels::Miscompares> verify_words(gpu::Device&, const gpu::Buffer&, std::size_t words, std::uint64_t seed);
/// One bit of it turned over: what a check must find when it is asked to prove itself.
Status damage(gpu::Device&, const gpu::Buffer&, std::size_t word);

/// Runs a kernel that reports miscompares, and fetches them. `launch` gets the zeroed Miscompares on the device.
template <class Launch>
Result<kernels::Miscompares> count_wrong(gpu::Device& device, const Launch& launch) {
  VT_TRY(auto there, device.allocate(sizeof(kernels::Miscompares)));
  kernels::Miscompares wrong{};
  VT_CHECK(device.set(there.template as<void>(), 0, sizeof wrong));
  VT_CHECK(launch(there.template as<kernels::Miscompares>()));
  VT_CHECK(device.copy(&wrong, there.template as<void>(), sizeof wrong));
  VT_CHECK(device.finish());
  return wrong;
}

}  // namespace vt::checks
