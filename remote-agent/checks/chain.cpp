#include "remote-agent/checks/chain.hpp"

#include "kernels/chase.hpp"
#include "kernels/pattern.hpp"
#include "remote-agent/checks/gate.hpp"

namespace vt::checks {

namespace {
constexpr std::size_t kLine = 128 / sizeof(std::uint64_t);
}

/// Sattolo's shuffle: one cycle through all lines.
Chain::Chain(std::size_t bytes) : words_(bytes / sizeof(std::uint64_t)) {
  auto lines = words_.size() / kLine;
  std::vector<std::uint64_t> next(lines);
  for (std::size_t i = 0; i < lines; ++i) next[i] = i;
  for (std::size_t i = lines; i-- > 1;) std::swap(next[i], next[kernels::word_at(7, i) % i]);
  for (std::size_t i = 0; i < lines; ++i) words_[i * kLine] = next[i] * kLine;
}

std::uint64_t Chain::after(std::uint64_t steps) const {
  std::uint64_t at = 0;
  for (std::uint64_t s = 0; s < steps; ++s) at = words_[at];
  return at;
}

Result<Chased> chase(gpu::Device& device, const Chain& chain, const void* at, std::uint64_t steps) {
  VT_TRY(auto gate, Gate::make(device));
  VT_TRY(auto end, device.allocate(sizeof(std::uint64_t)));
  VT_CHECK(device.set(end.as<void>(), 0xFF, sizeof(std::uint64_t)));
  auto follow = [&](std::uint64_t count) {
    return device.launch(VT_NAMED(vt_chase), {1, 1, 1}, {}, static_cast<const kernels::u64*>(at), count, end.as<kernels::u64>());
  };
  VT_CHECK(follow(1));  // a kernel that is loaded behind the gate would wait for the gate
  VT_CHECK(device.finish());
  VT_TRY(auto seconds, gate.time([&] { return follow(steps); }));
  std::uint64_t came_to = 0;
  VT_CHECK(device.copy(&came_to, end.as<void>(), sizeof came_to));
  VT_CHECK(device.finish());
  return Chased{seconds / static_cast<double>(steps), came_to == chain.after(steps)};
}

}  // namespace vt::checks
