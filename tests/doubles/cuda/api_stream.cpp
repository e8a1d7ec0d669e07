#include "tests/doubles/cuda/runtime.hpp"

using namespace vt::doubles;

namespace {

Ticket recorded(CUevent event) {
  std::lock_guard hold(event->mutex);
  return event->recorded;
}

}  // namespace

extern "C" {

CUresult cuStreamCreate(CUstream* out, unsigned flags) {
  if (auto code = need_context()) return code;
  if (flags > CU_STREAM_NON_BLOCKING) return CUDA_ERROR_INVALID_VALUE;
  auto* context = current;
  *out = new CUstream_st{context, Queue::start([context](CUresult news) { return context->ready(news); }), flags != CU_STREAM_NON_BLOCKING};
  std::lock_guard hold(context->mutex);
  context->streams.insert(*out);
  return CUDA_SUCCESS;
}

CUresult cuStreamCreateWithPriority(CUstream* out, unsigned flags, int) { return cuStreamCreate(out, flags); }

/// Work that is in it is still done.
CUresult cuStreamDestroy_v2(CUstream stream) {
  if (!stream) return CUDA_ERROR_INVALID_HANDLE;
  {
    std::lock_guard hold(stream->context->mutex);
    if (stream->context->streams.erase(stream) != 1) return CUDA_ERROR_INVALID_HANDLE;
  }
  stream->queue->close();
  delete stream;
  return CUDA_SUCCESS;
}

CUresult cuStreamSynchronize(CUstream stream) {
  if (auto code = need_context()) return code;
  return finish(submit(stream, {}));
}

CUresult cuStreamQuery(CUstream stream) {
  if (auto code = need_context()) return code;
  auto last = queue_of(stream)->last();
  return last.queue->passed(last.number) ? CUDA_SUCCESS : CUDA_ERROR_NOT_READY;
}

CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned) {
  if (auto code = need_context()) return code;
  if (!event) return CUDA_ERROR_INVALID_HANDLE;
  auto until = recorded(event);
  if (!until.queue) return CUDA_SUCCESS;  // never recorded: nothing to wait for
  auto own = queue_of(stream);
  submit(stream, [until, event, own] {
    until.queue->wait(until.number);
    std::lock_guard hold(event->mutex);
    own->not_before(event->seconds);
    return Done{};
  });
  return CUDA_SUCCESS;
}

CUresult cuLaunchHostFunc(CUstream stream, CUhostFn function, void* argument) {
  if (auto code = need_context()) return code;
  submit(stream, [function, argument] {
    function(argument);
    return Done{};
  });
  return CUDA_SUCCESS;
}

CUresult cuEventCreate(CUevent* out, unsigned flags) {
  if (auto code = need_context()) return code;
  static std::mutex mutex;
  static auto* all = new std::deque<CUevent_st>;  // kept after they are destroyed: streams may still wait for them
  std::lock_guard hold(mutex);
  *out = &all->emplace_back(current, (flags & CU_EVENT_DISABLE_TIMING) == 0);
  return CUDA_SUCCESS;
}

CUresult cuEventDestroy_v2(CUevent event) { return event ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE; }

CUresult cuEventRecord(CUevent event, CUstream stream) {
  if (auto code = need_context()) return code;
  if (!event || event->context != current || is_foreign(stream, event->context)) return CUDA_ERROR_INVALID_HANDLE;
  auto ticket = submit(stream, {}, [event](double seconds) {
    std::lock_guard hold(event->mutex);
    event->seconds = seconds;
  });
  std::lock_guard hold(event->mutex);
  event->recorded = ticket;
  return CUDA_SUCCESS;
}

CUresult cuEventQuery(CUevent event) {
  if (auto code = need_context()) return code;
  if (!event) return CUDA_ERROR_INVALID_HANDLE;
  auto last = recorded(event);
  return !last.queue || last.queue->passed(last.number) ? CUDA_SUCCESS : CUDA_ERROR_NOT_READY;
}

CUresult cuEventSynchronize(CUevent event) {
  if (auto code = need_context()) return code;
  if (!event) return CUDA_ERROR_INVALID_HANDLE;
  auto last = recorded(event);
  return last.queue ? finish(last) : CUDA_SUCCESS;
}

CUresult cuEventElapsedTime(float* ms, CUevent from, CUevent to) {
  if (auto code = need_context()) return code;
  if (!from || !to || !from->timed || !to->timed || from->context != to->context) return CUDA_ERROR_INVALID_HANDLE;
  for (auto* event : {from, to}) {
    auto last = recorded(event);
    if (!last.queue) return CUDA_ERROR_INVALID_HANDLE;
    if (!last.queue->passed(last.number)) return CUDA_ERROR_NOT_READY;
  }
  *ms = static_cast<float>((to->seconds - from->seconds) * 1e3);
  return CUDA_SUCCESS;
}

CUresult cuEventElapsedTime_v2(float* ms, CUevent from, CUevent to) { return cuEventElapsedTime(ms, from, to); }

}  // extern "C"
