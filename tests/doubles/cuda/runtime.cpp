#include "tests/doubles/cuda/runtime.hpp"

#include <unistd.h>

#include <array>

using vt::doubles::host;

CUctx_st::CUctx_st(int gpu_ordinal)
    : gpu(gpu_ordinal), memory(gpu_ordinal), main(vt::doubles::Queue::start([this](CUresult news) { return ready(news); })) {}

CUresult CUctx_st::ready(CUresult news) {
  auto none = CUDA_SUCCESS;
  if (news != CUDA_SUCCESS) failed.compare_exchange_strong(none, news);
  if (vt::doubles::state(gpu).lost) return CUDA_ERROR_UNKNOWN;
  return failed;
}

namespace vt::doubles {

std::atomic<bool> initialised = false;
thread_local CUcontext current = nullptr;

namespace {

/// Memory of the host that the driver knows: begin -> bytes.
struct Pinned {
  std::mutex mutex;
  std::map<std::uintptr_t, std::size_t> ranges;
};
Pinned& pinned() {
  static auto* only = new Pinned;
  return *only;
}

std::vector<Ticket> ends_of_others(CUcontext context) {
  std::lock_guard hold(context->mutex);
  std::vector<Ticket> out;
  for (auto* stream : context->streams)
    if (stream->blocking) out.push_back(stream->queue->last());
  return out;
}

bool is_default(CUstream stream) { return reinterpret_cast<std::uintptr_t>(stream) <= 2; }  // CU_STREAM_LEGACY, CU_STREAM_PER_THREAD

}  // namespace

bool is_foreign(CUstream stream, CUcontext context) { return !is_default(stream) && stream->context != context; }

CUcontext primary(int gpu) {
  static std::mutex mutex;
  static auto* all = new std::array<CUcontext, kMostGpus>{};
  if (gpu < 0 || static_cast<std::size_t>(gpu) >= host().gpus.size()) return nullptr;
  std::lock_guard hold(mutex);
  auto& context = (*all)[static_cast<std::size_t>(gpu)];
  if (!context) context = new CUctx_st(gpu);
  return context;
}

CUresult need_context() {
  if (!initialised) return CUDA_ERROR_NOT_INITIALIZED;
  if (!current || !current->active) return CUDA_ERROR_INVALID_CONTEXT;
  return current->ready();
}

Ticket submit(CUstream stream, std::function<Done()> work, std::function<void(double)> then) {
  if (is_default(stream)) return current->main->add(std::move(work), ends_of_others(current), std::move(then));
  std::vector<Ticket> first;
  if (stream->blocking) first.push_back(stream->context->main->last());
  return stream->queue->add(std::move(work), std::move(first), std::move(then));
}

std::shared_ptr<Queue> queue_of(CUstream stream) { return is_default(stream) ? current->main : stream->queue; }

CUgraph recording_of(CUstream stream) { return is_default(stream) ? nullptr : stream->recording; }

CUresult finish(const Ticket& ticket) {
  ticket.queue->wait(ticket.number);
  return current->ready();
}

int device_of(const void* at) {
  for (std::size_t i = 0; i < host().gpus.size(); ++i)
    if (auto* context = primary(static_cast<int>(i)); context->memory.holds(at)) return static_cast<int>(i);
  return -1;
}

bool is_pinned(const void* at) {
  std::lock_guard hold(pinned().mutex);
  auto where = reinterpret_cast<std::uintptr_t>(at);
  auto next = pinned().ranges.upper_bound(where);
  return next != pinned().ranges.begin() && where < std::prev(next)->first + std::prev(next)->second;
}

void pin(void* at, std::size_t bytes) {
  std::lock_guard hold(pinned().mutex);
  pinned().ranges[reinterpret_cast<std::uintptr_t>(at)] = bytes;
}

bool unpin(void* at) {
  std::lock_guard hold(pinned().mutex);
  return pinned().ranges.erase(reinterpret_cast<std::uintptr_t>(at)) == 1;
}

CUresult need_feature(const char* feature) {
  if (auto code = need_context()) return code;
  for (auto& one : host().faults)
    if (one.kind == "feature" && one.where == feature && (one.gpu < 0 || one.gpu == current->gpu)) return static_cast<CUresult>(one.code);
  return CUDA_SUCCESS;
}

void hang() {
  while (true) pause();
}

}  // namespace vt::doubles
