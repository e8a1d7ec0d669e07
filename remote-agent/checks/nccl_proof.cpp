#include <algorithm>
#include <vector>

#include "kernels/collective.hpp"
#include "remote-agent/checks/miscompares.hpp"
#include "remote-agent/checks/outcome.hpp"

namespace vt::checks {

namespace {

constexpr kernels::u64 kSeed = 20, kRanks = 4, kElements = 65'536;

/// What an all_reduce of kRanks ranks would leave, made by the processor, and verified as every collective's result is.
Result<nlohmann::json> verify_sum(const Task& task, gpu::Device& device) {
  std::vector<float> sum(kElements);
  for (kernels::u64 i = 0; i < kElements; ++i)
    for (kernels::u64 rank = 0; rank < kRanks; ++rank) sum[i] += kernels::contribution(kSeed, rank, i);
  VT_TRY(auto there, device.allocate(kElements * sizeof(float)));
  VT_CHECK(device.copy(there.as<void>(), sum.data(), there.bytes()));
  VT_CHECK(device.finish());
  if (task.flag("fault")) VT_CHECK(damage(device, there, kElements / 4));
  VT_TRY(auto found, count_wrong(device, [&](kernels::Miscompares* wrong) {
           return device.launch(VT_NAMED(vt_verify_contribution), {kElements}, {}, there.as<float>(), kElements, kSeed, 0, kRanks, 0,
                                wrong);
         }));
  return nlohmann::json{{"wrong", found.count}, {"first_wrong", text(found, kElements)}};
}

}  // namespace

Outcome verify_collective(const Task& task, gpu::Device& device, Reporter&) { return outcome(device, verify_sum(task, device)); }

}  // namespace vt::checks
