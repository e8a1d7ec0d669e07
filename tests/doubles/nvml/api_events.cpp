#include <unistd.h>

#include <chrono>
#include <deque>
#include <mutex>
#include <set>
#include <vector>

#include "tests/doubles/nvml/gpu.hpp"

using namespace vt::doubles;
using Clock = std::chrono::steady_clock;

namespace {

/// Nothing that was before is ever told.
struct Registration {
  nvmlDevice_t gpu;
  unsigned long long types;
  std::uint64_t launches;
  bool lost;
  Clock::time_point since;
};

}  // namespace

struct nvmlEventSet_st {
  std::vector<Registration> registrations;
  std::set<std::pair<int, std::size_t>> told;  ///< GPU and fault
};

namespace {

bool happened(const Fault& fault, const Registration& with) {
  auto& now = state(with.gpu->ordinal);
  if (fault.kind == "lost") return now.lost && !with.lost;
  if (fault.after_ms > 0) return Clock::now() - with.since >= std::chrono::milliseconds(fault.after_ms);
  return now.launches > fault.after && with.launches <= fault.after;
}

/// XIDs of faults: those that say one, and 79 where a GPU is lost.
bool next_event(nvmlEventSet_st& set, nvmlEventData_t& out) {
  constexpr unsigned long long kFellOffTheBus = 79;
  for (auto& with : set.registrations)
    for (std::size_t i = 0; i < host().faults.size(); ++i) {
      auto& fault = host().faults[i];
      if ((fault.kind != "xid" && fault.kind != "lost") || (fault.gpu >= 0 && fault.gpu != with.gpu->ordinal)) continue;
      if (!(with.types & nvmlEventTypeXidCriticalError) || !happened(fault, with)) continue;
      if (!set.told.insert({with.gpu->ordinal, i}).second) continue;
      auto code = fault.kind == "lost" ? kFellOffTheBus : static_cast<unsigned long long>(fault.code);
      constexpr unsigned kNoInstance = 0xffffffff;
      out = {with.gpu, nvmlEventTypeXidCriticalError, code, kNoInstance, kNoInstance};
      return true;
    }
  return false;
}

}  // namespace

extern "C" {

nvmlReturn_t nvmlDeviceGetSupportedEventTypes(nvmlDevice_t gpu, unsigned long long* types) {
  if (auto code = ready(gpu)) return code;
  *types = nvmlEventTypeXidCriticalError | (gpu->value("ecc", 0U) ? nvmlEventTypeDoubleBitEccError : 0);
  return NVML_SUCCESS;
}

nvmlReturn_t nvmlEventSetCreate(nvmlEventSet_t* out) {
  static std::mutex mutex;
  static auto* all = new std::deque<nvmlEventSet_st>;
  std::lock_guard hold(mutex);
  return *out = &all->emplace_back(), NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceRegisterEvents(nvmlDevice_t gpu, unsigned long long types, nvmlEventSet_t set) {
  unsigned long long known = 0;
  if (auto code = nvmlDeviceGetSupportedEventTypes(gpu, &known)) return code;
  if (types & ~known) return NVML_ERROR_NOT_SUPPORTED;
  auto& now = state(gpu->ordinal);
  set->registrations.push_back({gpu, types, now.launches, now.lost != 0, Clock::now()});
  return NVML_SUCCESS;
}

nvmlReturn_t nvmlEventSetWait_v2(nvmlEventSet_t set, nvmlEventData_t* out, unsigned timeout_ms) {
  constexpr useconds_t kPause = 2000;
  for (auto end = Clock::now() + std::chrono::milliseconds(timeout_ms);; usleep(kPause)) {
    if (next_event(*set, *out)) return NVML_SUCCESS;
    if (Clock::now() >= end) return NVML_ERROR_TIMEOUT;
  }
}

nvmlReturn_t nvmlEventSetFree(nvmlEventSet_t set) {
  set->registrations.clear();
  return NVML_SUCCESS;
}

}  // extern "C"
