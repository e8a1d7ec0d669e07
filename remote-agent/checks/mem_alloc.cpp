#include "kernels/memory.hpp"
#include "remote-agent/checks/check.hpp"
#include "remote-agent/checks/mem_taken.hpp"
#include "remote-agent/checks/miscompares.hpp"
#include "remote-agent/checks/outcome.hpp"

namespace vt::checks {

namespace {

using nlohmann::json;

/// Memory that can be had but not used is none: all of it is written, then all of it is read.
Result<std::uint64_t> touch(gpu::Device& device, const TakenMemory& memory) {
  std::uint64_t first = 1, wrong = 0;
  for (auto& piece : memory.pieces) {
    VT_CHECK(device.launch(VT_NAMED(vt_write_wide), {piece.bytes() / 16}, {}, piece.as<kernels::Wide>(), piece.bytes() / 16, first));
    first += piece.bytes() / 8;
  }
  first = 1;
  for (auto& piece : memory.pieces) {
    auto words = piece.bytes() / 8;
    VT_TRY(auto found, count_wrong(device, [&](kernels::Miscompares* at) {
             return device.launch(VT_NAMED(vt_verify_count), {words}, {}, piece.as<kernels::u64>(), words, first, at);
           }));
    wrong += found.count, first += words;
  }
  return wrong;
}

Result<json> run(gpu::Device& device, const Task& task) {
  VT_TRY(auto memory, take_memory(device, task));
  VT_TRY(auto wrong, touch(device, memory));
  constexpr std::uint64_t kMib = 1024 * 1024;
  return json{{"taken_pct", 100 * static_cast<double>(memory.bytes) / static_cast<double>(memory.free)},
              {"free_mib", memory.free / kMib},
              {"taken_mib", memory.bytes / kMib},
              {"pieces", memory.pieces.size()},
              {"wrong", wrong}};
}

}  // namespace

/// Takes all free memory but a reserve, and writes and reads every word of it once.
Outcome take_all_memory(const Task& task, gpu::Device& device, Reporter&) { return outcome(device, run(device, task)); }

}  // namespace vt::checks
