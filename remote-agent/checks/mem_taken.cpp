#include "remote-agent/checks/mem_taken.hpp"

#include <algorithm>

namespace vt::checks {

namespace {
constexpr std::uint64_t kMib = 1024 * 1024, kPage = 2 * kMib;  ///< the driver hands memory out in pages of this size

std::uint64_t mib(const Task& task, const char* name, double otherwise) {
  return static_cast<std::uint64_t>(std::max(0.0, task.number(name, otherwise))) * kMib;
}
}  // namespace

Result<TakenMemory> take_memory(gpu::Device& device, const Task& task) {
  TakenMemory out;
  VT_TRY(out.free, device.free_memory());
  auto part = out.free / 32 / kMib;
  auto usual = std::min(256.0, static_cast<double>(part));
  auto reserve = mib(task, "reserve_mib", task.on_cpu() ? 0 : usual), limit = mib(task, "mib", 0);
  if (task.on_cpu() && limit == 0) limit = 64 * kMib;
  if (limit > 0) out.free = std::min(out.free, limit + reserve);
  auto left = out.free - std::min(out.free, reserve);
  // What is free may lie in several places, so a piece that cannot be had is asked for again at half the size.
  for (auto piece = left / kPage * kPage; piece >= kPage; piece = std::min(piece, left / kPage * kPage)) {
    auto got = device.allocate(piece);
    if (!got && got.error().code != Errc::capacity) return fail(got.error());
    if (!got) {
      piece = piece / 2 / kPage * kPage;
      continue;
    }
    out.pieces.push_back(std::move(got).take()), out.bytes += piece, left -= piece;
  }
  if (out.pieces.empty()) return fail(Errc::capacity, "no memory is free on " + device.info().uuid + " beyond the reserve");
  return out;
}

Result<std::size_t> fitting(gpu::Device& device, std::size_t wanted) {
  VT_TRY(auto free, device.free_memory());
  return std::min<std::size_t>(wanted, std::max<std::size_t>(free / 4 / kMib * kMib, kMib));
}

}  // namespace vt::checks
