#include <algorithm>

#include "kernels/launch.hpp"
#include "remote-agent/checks/miscompares.hpp"
#include "remote-agent/checks/outcome.hpp"
#include "remote-agent/gpu/cuda_info.hpp"
#include "remote-agent/gpu/graph.hpp"

namespace vt::checks {

namespace {

using gpu::cuda::Driver;
using kernels::u64;

constexpr std::size_t kBytes = std::size_t{1} << 20, kWords = kBytes / sizeof(u64);
constexpr u64 kSeed = 17;

/// What every feature is tried with.
struct Trial {
  gpu::Device& device;
  const Driver& cuda;
  gpu::cuda::DeviceId id;
  bool fault;
};

/// Done at the end of a scope, whatever happened in it.
template <class Work>
class AtEnd {
 public:
  explicit AtEnd(Work work) : work_(std::move(work)) {}
  AtEnd(const AtEnd&) = delete;
  AtEnd& operator=(const AtEnd&) = delete;
  ~AtEnd() { work_(); }

 private:
  Work work_;
};

u64* pointer(gpu::cuda::Address at) {
  return reinterpret_cast<u64*>(at);  // NOLINT(performance-no-int-to-ptr): an address, as CUDA gives it
}

Status damage_if_asked(const Trial& t, u64* words) {
  return t.fault ? t.device.launch(VT_NAMED(vt_flip_bit), {1}, {}, words, kWords / 3, 9) : Status{};
}

Result<u64> count_wrong_words(const Trial& t, const u64* words, u64 seed) {
  VT_TRY(auto wrong, count_wrong(t.device, [&](kernels::Miscompares* reports) {
           return t.device.launch(VT_NAMED(vt_verify_words), {kWords}, {}, words, kWords, seed, reports);
         }));
  return wrong.count;
}

/// Wrong words of memory that kernels fill and read.
Result<u64> use_words(const Trial& t, u64* words) {
  VT_CHECK(t.device.launch(VT_NAMED(vt_fill_words), {kWords}, {}, words, kWords, kSeed));
  VT_CHECK(damage_if_asked(t, words));
  return count_wrong_words(t, words, kSeed);
}

Status need(bool there, const char* functions) {
  return there ? Status{} : fail(Errc::refused, std::string("the driver has no ") + functions);
}

Result<u64> try_pools(const Trial& t) {
  VT_CHECK(need(t.cuda.cuMemAllocAsync && t.cuda.cuMemFreeAsync, "cuMemAllocAsync"));
  gpu::cuda::Address at = 0;
  VT_CUDA(t.cuda, cuMemAllocAsync, &at, kBytes, nullptr);
  auto wrong = use_words(t, pointer(at));
  VT_CUDA(t.cuda, cuMemFreeAsync, at, nullptr);
  VT_CHECK(t.device.finish());
  return wrong;
}

/// Reserves addresses, makes memory, and puts one behind the other.
Result<u64> try_virtual(const Trial& t) {
  auto& cuda = t.cuda;
  VT_CHECK(need(cuda.cuMemGetAllocationGranularity && cuda.cuMemAddressReserve && cuda.cuMemAddressFree && cuda.cuMemCreate &&
                    cuda.cuMemRelease && cuda.cuMemMap && cuda.cuMemUnmap && cuda.cuMemSetAccess,
                "cuMemMap and what belongs to it"));
  gpu::cuda::AllocationProp what;
  what.location.id = t.id;
  std::size_t step = 0;
  VT_CUDA(cuda, cuMemGetAllocationGranularity, &step, &what, gpu::cuda::kLeastGranularity);
  auto bytes = step == 0 ? kBytes : (kBytes + step - 1) / step * step;
  gpu::cuda::Address at = 0;
  VT_CUDA(cuda, cuMemAddressReserve, &at, bytes, 0, 0, 0);
  AtEnd unreserve([&] { cuda.cuMemAddressFree(at, bytes); });
  gpu::cuda::Memory memory = 0;
  VT_CUDA(cuda, cuMemCreate, &memory, bytes, &what, 0);
  AtEnd release([&] { cuda.cuMemRelease(memory); });
  VT_CUDA(cuda, cuMemMap, at, bytes, 0, memory, 0);
  AtEnd unmap([&] { cuda.cuMemUnmap(at, bytes); });
  gpu::cuda::AccessDesc access;
  access.location = what.location;
  VT_CUDA(cuda, cuMemSetAccess, at, bytes, &access, 1);
  return use_words(t, pointer(at));
}

/// The processor writes and kernels read, then the other way round.
Result<u64> try_managed(const Trial& t) {
  VT_CHECK(need(t.cuda.cuMemAllocManaged, "cuMemAllocManaged"));
  gpu::cuda::Address at = 0;
  VT_CUDA(t.cuda, cuMemAllocManaged, &at, kBytes, gpu::cuda::kAttachGlobal);
  AtEnd release([&] { t.cuda.cuMemFree_v2(at); });
  auto* words = pointer(at);
  for (std::size_t i = 0; i < kWords; ++i) words[i] = kernels::word_at(kSeed, i);
  VT_CHECK(damage_if_asked(t, words));
  VT_TRY(auto wrong, count_wrong_words(t, words, kSeed));
  VT_CHECK(t.device.launch(VT_NAMED(vt_fill_words), {kWords}, {}, words, kWords, ~kSeed));
  VT_CHECK(t.device.finish());
  for (std::size_t i = 0; i < kWords; ++i) wrong += words[i] != kernels::word_at(~kSeed, i);
  return wrong;
}

/// Other words than there were, by a recorded kernel: nothing of it may happen before the graph is launched.
Result<u64> try_graphs(const Trial& t) {
  VT_TRY(auto memory, t.device.allocate(kBytes));
  VT_TRY(auto stream, t.device.new_stream());
  auto* words = memory.as<u64>();
  auto fill = [&](u64 seed) { return t.device.launch(VT_NAMED(vt_fill_words), {kWords}, stream, words, kWords, seed); };
  VT_CHECK(fill(~kSeed));
  VT_CHECK(t.device.finish(stream));
  VT_TRY(auto graph, gpu::Graph::begin(t.device, stream));
  VT_CHECK(fill(kSeed));
  VT_CHECK(graph.end());
  VT_TRY(auto wrong, count_wrong_words(t, words, ~kSeed));
  VT_CHECK(graph.launch());
  VT_CHECK(t.device.finish(stream));
  VT_CHECK(damage_if_asked(t, words));
  VT_TRY(auto after, count_wrong_words(t, words, kSeed));
  return wrong + after;
}

/// A block for every multiprocessor, all of which wait for each other.
Result<u64> try_cooperative(const Trial& t) {
  constexpr u64 kPatience = 2'000'000'000;  // nanoseconds
  gpu::Grid grid;
  grid.blocks = static_cast<unsigned>(std::max(1, t.device.info().multiprocessors)), grid.cooperative = true;
  auto n = grid.items = u64{grid.blocks} * grid.threads;
  VT_TRY(auto memory, t.device.allocate((2 * n + 1) * sizeof(u64)));
  VT_CHECK(t.device.set(memory.as<void>(), 0, memory.bytes()));
  auto *cells = memory.as<u64>(), *out = cells + n, *arrived = out + n;
  VT_CHECK(t.device.launch(VT_NAMED(vt_exchange_cells), grid, {}, cells, n, kSeed, arrived, kPatience, out));
  if (t.fault) VT_CHECK(t.device.launch(VT_NAMED(vt_flip_bit), {1}, {}, out, n / 3, 9));
  std::vector<u64> found(n);
  VT_CHECK(t.device.copy(found.data(), out, n * sizeof(u64)));
  VT_CHECK(t.device.finish());
  u64 wrong = 0;
  for (u64 i = 0; i < n; ++i) wrong += found[i] != kernels::word_at(kSeed, n - 1 - i);
  return wrong;
}

struct Feature {
  const char* name;
  int attribute;  ///< which says that the device has it; 0: that the driver has the functions does
  Result<u64> (*attempt)(const Trial&);
};
constexpr Feature kFeatures[] = {
    {"pools", gpu::cuda::memory_pools, try_pools},
    {"virtual", gpu::cuda::virtual_memory, try_virtual},
    {"managed", gpu::cuda::managed_memory, try_managed},
    {"graphs", 0, try_graphs},
    {"cooperative", gpu::cuda::cooperative_launch, try_cooperative},
};

Result<bool> advertised(const Trial& t, int attribute) {
  if (attribute == 0) return t.cuda.cuGraphLaunch != nullptr;
  int value = 0;
  VT_CUDA(t.cuda, cuDeviceGetAttribute, &value, attribute, t.id);
  return value != 0;
}

/// "ok", "n/a: not advertised", or what is wrong.
std::string state_of(const Trial& t, const Feature& feature) {
  auto offered = advertised(t, feature.attribute);
  if (!offered) return offered.error().what;
  if (!*offered) return "n/a: not advertised";
  auto wrong = feature.attempt(t);
  if (!wrong) return wrong.error().what;
  return *wrong == 0 ? "ok" : std::to_string(*wrong) + " words are wrong";
}

Result<nlohmann::json> try_all(const Task& task, gpu::Device& device, Reporter& report) {
  constexpr u64 kRoom = 16 * kBytes;
  if (device.info().is_cpu()) return fail(Errc::refused, "a processor has no features of CUDA's");
  VT_TRY(const auto* driver, gpu::cuda::driver());
  VT_TRY(auto id, gpu::device_id(*driver, device.info().ordinal));
  VT_TRY(auto free, device.free_memory());
  if (free < kRoom) return fail(Errc::capacity, "less than 16 MiB of the GPU's memory is free");
  Trial trial{device, *driver, id, task.flag("fault")};
  auto out = nlohmann::json::object();
  double done = 0;
  for (auto& feature : kFeatures) {
    report.progress(feature.name, done++ / std::size(kFeatures));
    out[feature.name] = state_of(trial, feature);
  }
  return out;
}

}  // namespace

/// What the driver says that the device has must work: stream-ordered allocation (pools), virtual memory management, managed memory,
/// graphs and cooperative launches, each with memory that kernels fill and verify. One text each: "ok", "n/a: not advertised", or
/// what is wrong. args.fault turns over a bit of each.
Outcome cuda_features(const Task& task, gpu::Device& device, Reporter& report) { return outcome(device, try_all(task, device, report)); }

}  // namespace vt::checks
