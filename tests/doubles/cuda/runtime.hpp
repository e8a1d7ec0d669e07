#pragma once
#include <atomic>
#include <deque>
#include <map>
#include <memory>
#include <set>
#include <string>

#include "kernels/kernel.hpp"
#include "tests/doubles/cuda/arena.hpp"
#include "tests/doubles/cuda/queue.hpp"

// The objects behind the driver's opaque handles. They live until the process ends, so that a handle used too late is found out and
// nothing is torn down under a stream that hangs.

struct CUctx_st {
  CUctx_st(int gpu_ordinal);
  int gpu;
  vt::doubles::Arena memory;
  std::shared_ptr<vt::doubles::Queue> main;  ///< the default stream
  std::mutex mutex;
  std::set<CUstream> streams;  ///< the others
  std::set<int> peers;
  std::atomic<CUresult> failed = CUDA_SUCCESS;
  std::atomic<bool> active = false;
  int retained = 0;

  /// What every call on it answers first: an error stays, a lost device is gone.
  CUresult ready(CUresult news = CUDA_SUCCESS);
};

struct CUstream_st {
  CUcontext context;
  std::shared_ptr<vt::doubles::Queue> queue;
  bool blocking;                ///< ordered with the default stream
  CUgraph recording = nullptr;  ///< where launches go in place of the queue
};

/// Launches that were recorded, in order.
struct CUgraph_st {
  std::vector<std::function<vt::doubles::Done()>> work;
};
struct CUgraphExec_st {
  std::vector<std::function<vt::doubles::Done()>> work;
};

struct CUevent_st {
  CUevent_st(CUcontext of, bool with_time) : context(of), timed(with_time) {}
  CUcontext context;
  bool timed;
  std::mutex mutex;
  vt::doubles::Ticket recorded;
  double seconds = 0;  ///< when the newest record was passed
};

struct CUfunc_st {
  vt::kernels::AnyKernel kernel;
  CUmodule module;
};

struct CUmod_st {
  CUcontext context;
  int sm;    ///< what it was compiled for
  bool ptx;  ///< and by whom: the driver
  std::map<std::string, CUfunc_st> functions;
};

namespace vt::doubles {

extern std::atomic<bool> initialised;
extern thread_local CUcontext current;

/// Whether the stream is not of that context; default streams are of every one.
bool is_foreign(CUstream, CUcontext);
/// The primary context of a device, made when first asked for; nullptr: no such device.
CUcontext primary(int gpu);
/// The current context, if everything is well.
CUresult need_context();
/// Work at the end of a stream (nullptr: the default one), in the order the driver promises between the default and other streams.
Ticket submit(CUstream, std::function<Done()> work, std::function<void(double)> then = {});
std::shared_ptr<Queue> queue_of(CUstream);
/// The graph that the stream records into; nullptr: none.
CUgraph recording_of(CUstream);
/// Waits for it and tells the error the context has by then.
CUresult finish(const Ticket&);
/// Whose memory it is; -1: the host's.
int device_of(const void* at);
/// Memory of the host that was allocated by or registered with the driver.
bool is_pinned(const void* at);
void pin(void* at, std::size_t bytes);
bool unpin(void* at);
/// What the fault "feature" {gpu, where, code} answers in place of these functions.
CUresult need_feature(const char* feature);
/// Never returns.
[[noreturn]] void hang();

}  // namespace vt::doubles
