#include <algorithm>
#include <cstring>

#include "kernels/images.hpp"
#include "tests/doubles/cuda/image.hpp"
#include "tests/doubles/cuda/runtime.hpp"

using namespace vt::doubles;
namespace kernels = vt::kernels;

namespace {

constexpr int kErrorLog = 5, kErrorLogBytes = 6;     // CU_JIT_ERROR_LOG_BUFFER and its size
constexpr int kPtxVersion = 5, kBinaryVersion = 6;   // CU_FUNC_ATTRIBUTE_…
constexpr unsigned kResident = 1536;                 // threads of a multiprocessor
constexpr unsigned kMostThreads = 1024, kLanes = 3;  // a few lanes show that work is shared rightly; more would only take longer

/// A launch as it waits in its stream: the parameters are the caller's no more.
class Launch {
 public:
  Launch(const kernels::AnyKernel& kernel, void** arguments, std::uint64_t threads)
      : kernel_(kernel), lanes_(std::min<std::uint64_t>(threads, kLanes)) {
    for (std::size_t i = 0; i < kernel.parameters.size(); ++i) {
      auto& place = values_.emplace_back((kernel.parameters[i] + sizeof(std::max_align_t) - 1) / sizeof(std::max_align_t));
      std::memcpy(place.data(), arguments[i], kernel.parameters[i]);
    }
  }

  Done run(CUcontext context) {
    auto mine = [&](const Fault& f) { return (f.gpu < 0 || f.gpu == context->gpu) && (f.kernel.empty() || f.kernel == kernel_.name); };
    if (strikes("hang", [&](const Fault& f) { return f.where == "launch" && mine(f); })) hang();
    if (auto* wrong = strikes("launch", mine)) return {static_cast<CUresult>(wrong->code)};
    std::vector<void*> arguments;
    for (auto& value : values_) arguments.push_back(value.data());
    for (std::uint64_t i = 0; i < lanes_; ++i) {
      kernels::lane = {i, lanes_};
      kernel_(arguments.data());
    }
    if (auto* wrong = strikes("wrong-element", mine)) spoil(*wrong);
    context->memory.apply_flaws();
    return {CUDA_SUCCESS, modelled(context->gpu)};
  }

 private:
  void spoil(const Fault& fault) {
    void* buffer = nullptr;
    std::memcpy(&buffer, values_.at(static_cast<std::size_t>(fault.argument)).data(), sizeof buffer);
    static_cast<unsigned char*>(buffer)[fault.offset] ^= static_cast<unsigned char>(1U << fault.bit);
  }
  [[nodiscard]] double modelled(int gpu) const {
    auto& times = host().gpus[static_cast<std::size_t>(gpu)].kernel_seconds;
    auto found = times.find(std::string(kernel_.name));
    return found == times.end() ? -1 : found->second;
  }

  kernels::AnyKernel kernel_;
  std::uint64_t lanes_;
  std::vector<std::vector<std::max_align_t>> values_;
};

void tell(const std::string& why, unsigned options, const CUjit_option* names, void** values) {
  char* log = nullptr;
  std::size_t size = 0;
  for (unsigned i = 0; i < options; ++i) {
    if (static_cast<int>(names[i]) == kErrorLog) log = static_cast<char*>(values[i]);
    if (static_cast<int>(names[i]) == kErrorLogBytes) size = reinterpret_cast<std::uintptr_t>(values[i]);
  }
  if (log && size > 0) log[why.copy(log, size - 1)] = 0;
}

/// Launches are counted for the host: a GPU may fall off the bus after so many.
void count_launch(int gpu) {
  auto number = ++state(gpu).launches;
  if (auto* lost = fault("lost", gpu); lost && number > lost->after) state(gpu).lost = 1;
}

}  // namespace

extern "C" {

CUresult cuModuleLoadDataEx(CUmodule* out, const void* image, unsigned options, CUjit_option* names, void** values) {
  if (auto code = need_context()) return code;
  if (!image) return CUDA_ERROR_INVALID_VALUE;
  ImageKind kind;
  std::string why;
  auto code = inspect(image, host().gpus[static_cast<std::size_t>(current->gpu)].sm, kind, why);
  tell(why, options, names, values);
  if (code != CUDA_SUCCESS) return code;
  static std::mutex mutex;
  static auto* all = new std::deque<CUmod_st>;
  std::lock_guard hold(mutex);
  *out = &all->emplace_back(CUmod_st{current, kind.sm, kind.ptx, {}});
  return CUDA_SUCCESS;
}

CUresult cuModuleLoadData(CUmodule* out, const void* image) { return cuModuleLoadDataEx(out, image, 0, nullptr, nullptr); }

CUresult cuModuleUnload(CUmodule module) { return module ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE; }

CUresult cuModuleGetFunction(CUfunction* out, CUmodule module, const char* name) {
  if (auto code = need_context()) return code;
  if (!module) return CUDA_ERROR_INVALID_HANDLE;
  auto* kernel = kernels::find(name);
  if (!kernel) return CUDA_ERROR_NOT_FOUND;
  *out = &module->functions.try_emplace(name, CUfunc_st{*kernel, module}).first->second;
  return CUDA_SUCCESS;
}

CUresult cuFuncGetAttribute(int* value, CUfunction_attribute which, CUfunction function) {
  if (!function) return CUDA_ERROR_INVALID_HANDLE;
  switch (static_cast<int>(which)) {
    case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK: *value = kMostThreads; break;
    case kPtxVersion: *value = function->module->sm; break;
    case kBinaryVersion: *value = function->module->sm; break;
    default: *value = 0;
  }
  return CUDA_SUCCESS;
}

CUresult cuFuncSetAttribute(CUfunction function, CUfunction_attribute, int) { return function ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE; }

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, CUfunction function, int threads, std::size_t) {
  if (!function || threads <= 0) return CUDA_ERROR_INVALID_VALUE;
  *blocks = static_cast<int>(kResident) / threads;
  return CUDA_SUCCESS;
}

CUresult cuLaunchKernel(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, unsigned block_y,
                        unsigned block_z, unsigned, CUstream stream, void** arguments, void** extra) {
  if (auto code = need_context()) return code;
  if (!function || function->module->context != current || is_foreign(stream, current)) return CUDA_ERROR_INVALID_HANDLE;
  auto blocks = std::uint64_t{grid_x} * grid_y * grid_z, threads = std::uint64_t{block_x} * block_y * block_z;
  constexpr unsigned kMostBlocksAcross = 65535;
  if (blocks == 0 || threads == 0 || threads > kMostThreads || grid_x > 0x7fffffffU || grid_y > kMostBlocksAcross ||
      grid_z > kMostBlocksAcross)
    return CUDA_ERROR_INVALID_VALUE;
  if (extra || (!arguments && !function->kernel.parameters.empty())) return CUDA_ERROR_INVALID_VALUE;
  count_launch(current->gpu);
  if (auto code = need_context()) return code;
  auto launch = std::make_shared<Launch>(function->kernel, arguments, blocks * threads);
  auto work = [launch, context = current] { return launch->run(context); };
  if (auto* graph = recording_of(stream)) graph->work.push_back(work);
  else submit(stream, work);
  return CUDA_SUCCESS;
}

/// More blocks than fit at a time are refused, as a driver does.
CUresult cuLaunchCooperativeKernel(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                                   unsigned block_y, unsigned block_z, unsigned shared, CUstream stream, void** arguments) {
  if (auto code = need_feature("cooperative")) return code;
  auto resident = kResident / std::max(1U, block_x * block_y * block_z);
  auto room = resident * static_cast<unsigned>(host().gpus[static_cast<std::size_t>(current->gpu)].multiprocessors);
  if (grid_x * grid_y * grid_z > room) return CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE;
  return cuLaunchKernel(function, grid_x, grid_y, grid_z, block_x, block_y, block_z, shared, stream, arguments, nullptr);
}

}  // extern "C"
