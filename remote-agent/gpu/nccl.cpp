#include "remote-agent/gpu/nccl.hpp"

#include <thread>
#include <utility>

#include "remote-agent/gpu/library.hpp"
#include "remote-agent/gpu/nccl_abi.hpp"

namespace vt::gpu {

namespace {

using namespace nccl;

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

/// The name of the first function that is missing; nullptr if none is.
const char* resolve(const Library& in, Functions& f) {
#define VT_TAKE(returned, name, ...)                      \
  f.name = in.function<returned (*)(__VA_ARGS__)>(#name); \
  if (!f.name) return #name;
#define VT_TAKE_IF_ANY(returned, name, ...) f.name = in.function<returned (*)(__VA_ARGS__)>(#name);
  VT_NCCL_FUNCTIONS(VT_TAKE)
  VT_NCCL_OPTIONAL_FUNCTIONS(VT_TAKE_IF_ANY)
#undef VT_TAKE
#undef VT_TAKE_IF_ANY
  return nullptr;
}

Error error_of(const Functions& nccl, int result, const std::string& what) {
  auto text = what + ": " + nccl.ncclGetErrorString(result) + " (NCCL error " + std::to_string(result) + ")";
  if (auto* words = nccl.ncclGetLastError ? nccl.ncclGetLastError(nullptr) : nullptr; words && *words) text += ": " + std::string(words);
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
  auto functions = std::make_shared<Functions>();
  if (auto* missing = resolve(library, *functions))
    return fail(Errc::refused, library.path() + " has no " + missing + "; it is no NCCL, or one older than 2.7");
  Nccl out;
  int code = 0;
  if (auto result = functions->ncclGetVersion(&code); result != kSuccess)
    return fail(error_of(*functions, result, "asking for the version"));
  out.functions_ = std::move(functions), out.version_ = version_text(code), out.path_ = library.path();
  return out;
}

Result<NcclId> Nccl::new_id() const {
  NcclId id{};
  if (auto result = functions_->ncclGetUniqueId(&id); result != kSuccess) return fail(error_of(*functions_, result, "making an id"));
  return id;
}

Result<std::shared_ptr<Communicator>> Nccl::join(const NcclId& id, int rank, int world, Calls calls) const {
  Comm* handle = nullptr;
  Config config;
  bool at_once = calls == Calls::at_once && functions_->ncclCommInitRankConfig;
  auto result = at_once ? functions_->ncclCommInitRankConfig(&handle, world, id, rank, &config)
                        : functions_->ncclCommInitRank(&handle, world, id, rank);
  if ((result != kSuccess && result != kInProgress) || !handle) return fail(error_of(*functions_, result, "joining"));
  return std::make_shared<Communicator>(functions_, handle);
}

Result<Communicators> Nccl::join_all(std::span<const int> ordinals) const {
  std::vector<Comm*> handles(ordinals.size());
  auto result = functions_->ncclCommInitAll(handles.data(), static_cast<int>(ordinals.size()), ordinals.data());
  if (result != kSuccess) return fail(error_of(*functions_, result, "joining"));
  Communicators out;
  for (auto* handle : handles) out.push_back(std::make_shared<Communicator>(functions_, handle));
  return out;
}

Status Nccl::together(const std::function<Status()>& calls) const {
  if (auto result = functions_->ncclGroupStart(); result != kSuccess) return fail(error_of(*functions_, result, "beginning a group"));
  auto made = calls();
  auto result = functions_->ncclGroupEnd();
  if (!made) return made;
  if (result != kSuccess && result != kInProgress) return fail(error_of(*functions_, result, "ending a group"));
  return {};
}

Communicator::~Communicator() {
  if (aborted_) return;
  if (failed_ || state() != kSuccess) abort();
  else nccl_->ncclCommDestroy(handle_);
}

void Communicator::abort() {
  std::lock_guard hold(mutex_);
  if (!aborted_.exchange(true)) nccl_->ncclCommAbort(handle_);
}

int Communicator::state() {
  std::lock_guard hold(mutex_);
  if (aborted_) return kRemote;
  int state = kSuccess;
  auto asked = nccl_->ncclCommGetAsyncError(handle_, &state);
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
  return told(nccl_->ncclAllReduce(from, to, n, static_cast<int>(of), static_cast<int>(op), handle_, stream.handle), "all_reduce");
}
Status Communicator::all_gather(const void* from, void* to, std::size_t n, Element of, Stream stream) {
  return told(nccl_->ncclAllGather(from, to, n, static_cast<int>(of), handle_, stream.handle), "all_gather");
}
Status Communicator::reduce_scatter(const void* from, void* to, std::size_t n, Element of, Reduction op, Stream stream) {
  return told(nccl_->ncclReduceScatter(from, to, n, static_cast<int>(of), static_cast<int>(op), handle_, stream.handle), "reduce_scatter");
}
Status Communicator::broadcast(const void* from, void* to, std::size_t n, Element of, int root, Stream stream) {
  return told(nccl_->ncclBroadcast(from, to, n, static_cast<int>(of), root, handle_, stream.handle), "broadcast");
}
// NOLINTNEXTLINE(readability-function-size): ncclReduce has these parameters
Status Communicator::reduce(const void* from, void* to, std::size_t n, Element of, Reduction op, int root, Stream stream) {
  return told(nccl_->ncclReduce(from, to, n, static_cast<int>(of), static_cast<int>(op), root, handle_, stream.handle), "reduce");
}
Status Communicator::send(const void* from, std::size_t n, Element of, int peer, Stream stream) {
  return told(nccl_->ncclSend(from, n, static_cast<int>(of), peer, handle_, stream.handle), "send");
}
Status Communicator::receive(void* to, std::size_t n, Element of, int peer, Stream stream) {
  return told(nccl_->ncclRecv(to, n, static_cast<int>(of), peer, handle_, stream.handle), "receive");
}

}  // namespace vt::gpu
