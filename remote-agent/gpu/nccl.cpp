#include "remote-agent/gpu/nccl.hpp"

#include <climits>
#include <thread>
#include <utility>

#include "remote-agent/gpu/library.hpp"

namespace vt::gpu {

namespace {

/// ncclResult_t
enum : int { kSuccess = 0, kUnhandledCuda, kSystem, kInternal, kInvalidArgument, kInvalidUsage, kRemote, kInProgress };

/// The first members of ncclConfig_t, as of 2.14. A library reads as many bytes as `size` says, and of a `version` below 2.17 only
/// `blocking`; what lies behind it is set to "undefined" all the same.
struct Config {
  std::size_t size = sizeof(Config);
  unsigned magic = 0xcafebeef, version = 21400;
  int blocking = 0, undefined = INT_MIN;
};
static_assert(sizeof(Config) == 24);

const char* advice(int result) {
  switch (result) {
    case kUnhandledCuda: return "a CUDA call failed inside NCCL; see the GPU's health, and whether the driver is as new as this NCCL needs";
    case kSystem:
      return "the system refused something: most often /dev/shm is too small (--shm-size=1g), locked memory is limited "
             "(--ulimit memlock=-1), or an address cannot be reached";
    case kInvalidArgument:
    case kInvalidUsage: return "the ranks do not agree, or two of them share one GPU";
    case kRemote: return "another rank is gone or cannot be reached";
    default: return "";
  }
}

}  // namespace

struct NcclFunctions {
  int (*version)(int*);
  int (*unique_id)(NcclId*);
  int (*init)(NcclComm**, int, NcclId, int);
  int (*init_config)(NcclComm**, int, NcclId, int, Config*);  // since 2.14
  int (*init_all)(NcclComm**, int, const int*);
  int (*destroy)(NcclComm*);
  int (*abort)(NcclComm*);
  int (*async_error)(NcclComm*, int*);
  const char* (*error_text)(int);
  const char* (*last_error)(NcclComm*);  // since 2.13
  int (*group_start)();
  int (*group_end)();
  int (*all_reduce)(const void*, void*, std::size_t, int, int, NcclComm*, void*);
  int (*all_gather)(const void*, void*, std::size_t, int, NcclComm*, void*);
  int (*reduce_scatter)(const void*, void*, std::size_t, int, int, NcclComm*, void*);
  int (*broadcast)(const void*, void*, std::size_t, int, int, NcclComm*, void*);
  int (*reduce)(const void*, void*, std::size_t, int, int, int, NcclComm*, void*);
  int (*send)(const void*, std::size_t, int, int, NcclComm*, void*);
  int (*receive)(void*, std::size_t, int, int, NcclComm*, void*);
};

namespace {

/// NcclId is passed by value where NCCL takes its struct of 128 chars: the same class to the calling convention.
static_assert(sizeof(NcclId) == 128 && std::is_trivially_copyable_v<NcclId>);

template <class Function>
bool find(const Library& library, Function& function, const char* name) {
  function = library.function<Function>(name);
  return function != nullptr;
}

/// The name of the first function that is missing; nullptr if none is.
const char* resolve(const Library& in, NcclFunctions& f) {
  if (!find(in, f.version, "ncclGetVersion")) return "ncclGetVersion";
  if (!find(in, f.unique_id, "ncclGetUniqueId")) return "ncclGetUniqueId";
  if (!find(in, f.init, "ncclCommInitRank")) return "ncclCommInitRank";
  if (!find(in, f.init_all, "ncclCommInitAll")) return "ncclCommInitAll";
  if (!find(in, f.destroy, "ncclCommDestroy")) return "ncclCommDestroy";
  if (!find(in, f.abort, "ncclCommAbort")) return "ncclCommAbort";
  if (!find(in, f.async_error, "ncclCommGetAsyncError")) return "ncclCommGetAsyncError";
  if (!find(in, f.error_text, "ncclGetErrorString")) return "ncclGetErrorString";
  if (!find(in, f.group_start, "ncclGroupStart")) return "ncclGroupStart";
  if (!find(in, f.group_end, "ncclGroupEnd")) return "ncclGroupEnd";
  if (!find(in, f.all_reduce, "ncclAllReduce")) return "ncclAllReduce";
  if (!find(in, f.all_gather, "ncclAllGather")) return "ncclAllGather";
  if (!find(in, f.reduce_scatter, "ncclReduceScatter")) return "ncclReduceScatter";
  if (!find(in, f.broadcast, "ncclBroadcast")) return "ncclBroadcast";
  if (!find(in, f.reduce, "ncclReduce")) return "ncclReduce";
  if (!find(in, f.send, "ncclSend")) return "ncclSend";
  if (!find(in, f.receive, "ncclRecv")) return "ncclRecv";
  find(in, f.init_config, "ncclCommInitRankConfig");
  find(in, f.last_error, "ncclGetLastError");
  return nullptr;
}

Error error_of(const NcclFunctions& nccl, int result, const std::string& what) {
  auto text = what + ": " + nccl.error_text(result) + " (NCCL error " + std::to_string(result) + ")";
  if (auto* words = nccl.last_error ? nccl.last_error(nullptr) : nullptr; words && *words) text += ": " + std::string(words);
  if (auto* todo = advice(result); *todo) text += "; " + std::string(todo);
  return {result == kRemote || result == kUnhandledCuda ? Errc::lost : Errc::refused, text};
}

/// 2.9.0 and later are coded as 10000 * major + 100 * minor + patch, earlier ones as 1000 * major + 100 * minor + patch.
std::string version_text(int code) {
  int major = code < 10'000 ? code / 1000 : code / 10'000, minor = (code < 10'000 ? code % 1000 : code % 10'000) / 100;
  return std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(code % 100);
}

}  // namespace

Result<Nccl> Nccl::open() {
  VT_TRY(auto library, open_library({"libnccl.so.2"}));
  auto functions = std::make_shared<NcclFunctions>();
  if (auto* missing = resolve(library, *functions))
    return fail(Errc::refused, library.path() + " has no " + missing + "; it is no NCCL, or one older than 2.7");
  Nccl out;
  int code = 0;
  if (auto result = functions->version(&code); result != kSuccess) return fail(error_of(*functions, result, "asking for the version"));
  out.functions_ = std::move(functions), out.version_ = version_text(code), out.path_ = library.path();
  return out;
}

Result<NcclId> Nccl::new_id() const {
  NcclId id{};
  if (auto result = functions_->unique_id(&id); result != kSuccess) return fail(error_of(*functions_, result, "making an id"));
  return id;
}

Result<std::shared_ptr<Communicator>> Nccl::join(const NcclId& id, int rank, int world, Calls calls) const {
  NcclComm* handle = nullptr;
  Config config;
  bool at_once = calls == Calls::at_once && functions_->init_config;
  auto result = at_once ? functions_->init_config(&handle, world, id, rank, &config) : functions_->init(&handle, world, id, rank);
  if ((result != kSuccess && result != kInProgress) || !handle) return fail(error_of(*functions_, result, "joining"));
  return std::make_shared<Communicator>(functions_, handle);
}

Result<Communicators> Nccl::join_all(std::span<const int> ordinals) const {
  std::vector<NcclComm*> handles(ordinals.size());
  auto result = functions_->init_all(handles.data(), static_cast<int>(ordinals.size()), ordinals.data());
  if (result != kSuccess) return fail(error_of(*functions_, result, "joining"));
  Communicators out;
  for (auto* handle : handles) out.push_back(std::make_shared<Communicator>(functions_, handle));
  return out;
}

Status Nccl::together(const std::function<Status()>& calls) const {
  if (auto result = functions_->group_start(); result != kSuccess) return fail(error_of(*functions_, result, "beginning a group"));
  auto made = calls();
  auto result = functions_->group_end();
  if (!made) return made;
  if (result != kSuccess && result != kInProgress) return fail(error_of(*functions_, result, "ending a group"));
  return {};
}

Communicator::~Communicator() {
  if (aborted_) return;
  if (failed_ || state() != kSuccess) abort();
  else nccl_->destroy(handle_);
}

void Communicator::abort() {
  std::lock_guard hold(mutex_);
  if (!aborted_.exchange(true)) nccl_->abort(handle_);
}

int Communicator::state() {
  std::lock_guard hold(mutex_);
  if (aborted_) return kRemote;
  int state = kSuccess;
  auto asked = nccl_->async_error(handle_, &state);
  return asked == kSuccess ? state : asked;
}

Status Communicator::told(int result, const char* what) {
  if (aborted_) return fail(Errc::lost, std::string(what) + ": aborted");
  if (result == kSuccess || result == kInProgress) return {};
  failed_ = true;
  return fail(error_of(*nccl_, result, what));
}

Status Communicator::trouble() { return told(state(), "the communicator"); }

Status Communicator::settle() {
  auto now = state();
  for (; now == kInProgress; now = state()) std::this_thread::sleep_for(std::chrono::microseconds(5));
  return told(now, "the communicator");
}

Status Communicator::all_reduce(const void* from, void* to, std::size_t n, Element of, Reduction op, Stream stream) {
  return told(nccl_->all_reduce(from, to, n, static_cast<int>(of), static_cast<int>(op), handle_, stream.handle), "all_reduce");
}
Status Communicator::all_gather(const void* from, void* to, std::size_t n, Element of, Stream stream) {
  return told(nccl_->all_gather(from, to, n, static_cast<int>(of), handle_, stream.handle), "all_gather");
}
Status Communicator::reduce_scatter(const void* from, void* to, std::size_t n, Element of, Reduction op, Stream stream) {
  return told(nccl_->reduce_scatter(from, to, n, static_cast<int>(of), static_cast<int>(op), handle_, stream.handle), "reduce_scatter");
}
Status Communicator::broadcast(const void* from, void* to, std::size_t n, Element of, int root, Stream stream) {
  return told(nccl_->broadcast(from, to, n, static_cast<int>(of), root, handle_, stream.handle), "broadcast");
}
// NOLINTNEXTLINE(readability-function-size): ncclReduce has these parameters
Status Communicator::reduce(const void* from, void* to, std::size_t n, Element of, Reduction op, int root, Stream stream) {
  return told(nccl_->reduce(from, to, n, static_cast<int>(of), static_cast<int>(op), root, handle_, stream.handle), "reduce");
}
Status Communicator::send(const void* from, std::size_t n, Element of, int peer, Stream stream) {
  return told(nccl_->send(from, n, static_cast<int>(of), peer, handle_, stream.handle), "send");
}
Status Communicator::receive(void* to, std::size_t n, Element of, int peer, Stream stream) {
  return told(nccl_->receive(to, n, static_cast<int>(of), peer, handle_, stream.handle), "receive");
}

}  // namespace vt::gpu
