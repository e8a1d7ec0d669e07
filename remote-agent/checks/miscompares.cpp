#include "remote-agent/checks/miscompares.hpp"

#include <cstdio>

namespace vt::checks {

namespace {
/// The bit that is turned over has no meaning.
constexpr kernels::u64 kBit = 21;
}  // namespace

std::string hex(std::uint64_t n) {
  char text[19];
  std::snprintf(text, sizeof text, "0x%016llx", static_cast<unsigned long long>(n));
  return text;
}

std::string text(const kernels::Miscompares& wrong, std::size_t words) {
  if (wrong.count == 0) return "none";
  auto& first = wrong.first[0];
  return std::to_string(wrong.count) + " of " + std::to_string(words) + " words wrong, first at byte " + std::to_string(first.index * 8) +
         ": expected " + hex(first.expected) + ", found " + hex(first.found);
}

Status fill_words(gpu::Device& device, const gpu::Buffer& buffer, std::size_t words, std::uint64_t seed) {
  if (buffer.place() == gpu::Place::device) {
    VT_CHECK(device.launch(VT_NAMED(vt_fill_words), {words}, {}, buffer.as<kernels::u64>(), words, seed));
    return device.finish();
  }
  kernels::lane = {};  // all of it here
  kernels::vt_fill_words(buffer.as<kernels::u64>(), words, seed);
  return {};
}

Result<kernels::Miscompares> verify_words(gpu::Device& device, const gpu::Buffer& buffer, std::size_t words, std::uint64_t seed) {
  if (buffer.place() == gpu::Place::device)
    return count_wrong(device, [&](kernels::Miscompares* wrong) {
      return device.launch(VT_NAMED(vt_verify_words), {words}, {}, buffer.as<kernels::u64>(), words, seed, wrong);
    });
  kernels::Miscompares wrong{};
  kernels::lane = {};
  kernels::vt_verify_words(buffer.as<kernels::u64>(), words, seed, &wrong);
  return wrong;
}

Status damage(gpu::Device& device, const gpu::Buffer& buffer, std::size_t word) {
  if (buffer.place() == gpu::Place::device) {
    VT_CHECK(device.launch(VT_NAMED(vt_flip_bit), {1}, {}, buffer.as<kernels::u64>(), word, kBit));
    return device.finish();
  }
  buffer.as<kernels::u64>()[word] ^= 1ULL << kBit;
  return {};
}

}  // namespace vt::checks
