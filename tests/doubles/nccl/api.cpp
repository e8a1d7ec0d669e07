#include <cstdlib>
#include <cstring>
#include <thread>

#include "tests/doubles/nccl/arithmetic.hpp"
#include "tests/doubles/nccl/comm.hpp"

using namespace vt::doubles;

namespace {

using Bytes = std::vector<char>;

/// For joining: far longer than any test, and an end for whoever waits for a rank that never comes.
constexpr int kJoinMs = 60'000;

char* bytes(const void* at) { return const_cast<char*>(static_cast<const char*>(at)); }

ncclComm_t keep(std::shared_ptr<Rank> rank) {
  static std::mutex mutex;
  static auto* all = new std::vector<std::unique_ptr<ncclComm>>;  // a handle used too late is found out
  std::lock_guard hold(mutex);
  return all->emplace_back(new ncclComm{std::move(rank)}).get();
}

void tell(const Rank& rank) {
  auto* disabled = std::getenv("NCCL_P2P_DISABLE");
  auto next = (rank.rank + 1) % rank.world;
  auto& p2p = host().p2p;
  auto from = static_cast<std::size_t>(rank.rank), to = static_cast<std::size_t>(next);
  bool direct = !(disabled && std::strcmp(disabled, "1") == 0) && from < p2p.size() && to < p2p.size() && p2p[from][to];
  auto self = std::to_string(rank.rank), peer = std::to_string(next);
  log(rank, "Using network Socket");
  log(rank, "2 coll channels, 2 collnet channels, 0 nvls channels, 2 p2p channels, 2 p2p channels per peer");
  for (auto* channel : {"00", "01"})
    log(rank, std::string("Channel ") + channel + "/0 : " + self + "[" + self + "] -> " + peer + "[" + peer + "] via " +
                  (direct ? "P2P/CUMEM" : "SHM/direct/direct"));
}

ncclResult_t join(ncclComm_t* out, int world, const ncclUniqueId& id, int number, bool at_once) {
  if (world < 1 || number < 0 || number >= world) return ncclInvalidArgument;
  auto rank = std::make_shared<Rank>();
  rank->rank = number, rank->world = world, rank->at_once = rank->busy = at_once;
  if (auto* refused = rank->strikes("nccl-init", "init")) return static_cast<ncclResult_t>(refused->code);
  *out = keep(rank);
  if (rank->strikes("nccl-hang", "init")) rank->hang();
  auto meeting = Meeting::join(id.internal, number, world);
  if (!meeting) return ncclSystemError;
  rank->meet(meeting);
  tell(*rank);
  return ncclSuccess;
}

ncclResult_t wait_for_all(const Rank& rank, const std::shared_ptr<Meeting>& meeting) {
  for (int ms = 0; !meeting->complete(); ++ms) {
    if (rank.aborted || ms > kJoinMs) return ncclInternalError;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return ncclSuccess;
}

/// Everyone's data to everyone who needs all of it, and there made one.
ncclResult_t reduce_on(ncclComm_t comm, const char* operation, const void* send, void* receive, std::size_t count, ncclDataType_t type,
                       ncclRedOp_t op, cudaStream_t stream, int root) {
  auto& rank = comm->rank;
  auto size = count * size_of(type);
  if (size == 0) return ncclInvalidArgument;
  bool takes = root < 0 || rank->rank == root;
  auto scratch = std::make_shared<Bytes>(takes ? size * static_cast<std::size_t>(rank->world) : 0);
  Call call{rank, operation, stream, {}, {}, takes ? receive : nullptr};
  std::vector<const void*> from;
  for (int peer = 0; peer < rank->world; ++peer) {
    auto* place = takes ? scratch->data() + static_cast<std::size_t>(peer) * size : nullptr;
    if (root < 0 || peer == root) call.parts.push_back({peer, true, bytes(send), size});
    if (takes) call.parts.push_back({peer, false, place, size}), from.push_back(place);
  }
  if (takes) call.then = [=] { reduce(receive, from, count, type, op), void(scratch); };
  return submit(std::move(call));
}

}  // namespace

extern "C" {

ncclResult_t ncclGetVersion(int* version) {
  *version = 22809;
  return ncclSuccess;
}

ncclResult_t ncclGetUniqueId(ncclUniqueId* id) {
  auto name = Meeting::new_name();
  std::memset(id->internal, 0, sizeof id->internal);
  name.copy(id->internal, sizeof id->internal - 1);
  return ncclSuccess;
}

const char* ncclGetErrorString(ncclResult_t result) {
  constexpr const char* kTexts[] = {"no error",
                                    "unhandled cuda error",
                                    "unhandled system error",
                                    "internal error",
                                    "invalid argument",
                                    "invalid usage",
                                    "remote process exited or there was a network error",
                                    "NCCL operation in progress"};
  auto n = static_cast<std::size_t>(result);
  return n < std::size(kTexts) ? kTexts[n] : "unknown result code";
}

const char* ncclGetLastError(ncclComm_t) { return ""; }

ncclResult_t ncclCommInitRankConfig(ncclComm_t* comm, int world, ncclUniqueId id, int number, ncclConfig_t* config) {
  if (config && config->magic != 0xcafebeef) return ncclInvalidArgument;
  bool at_once = config && config->blocking == 0;
  auto result = join(comm, world, id, number, at_once);
  if (result != ncclSuccess) return result;
  if (at_once) return ncclInProgress;
  return wait_for_all(*(*comm)->rank, (*comm)->rank->meeting());
}

ncclResult_t ncclCommInitRank(ncclComm_t* comm, int world, ncclUniqueId id, int number) {
  return ncclCommInitRankConfig(comm, world, id, number, nullptr);
}

ncclResult_t ncclCommInitAll(ncclComm_t* comms, int count, const int*) {
  ncclUniqueId id;
  ncclGetUniqueId(&id);
  for (int rank = 0; rank < count; ++rank)
    if (auto result = join(&comms[rank], count, id, rank, false); result != ncclSuccess) return result;
  return ncclSuccess;
}

ncclResult_t ncclCommAbort(ncclComm_t comm) {
  comm->rank->aborted = true;
  comm->rank->meet(nullptr);
  return ncclSuccess;
}

ncclResult_t ncclCommFinalize(ncclComm_t) { return ncclSuccess; }

ncclResult_t ncclCommDestroy(ncclComm_t comm) {
  comm->rank->meet(nullptr);
  return ncclSuccess;
}

ncclResult_t ncclCommGetAsyncError(ncclComm_t comm, ncclResult_t* state) {
  auto& rank = *comm->rank;
  auto meeting = rank.meeting();
  *state = rank.error;
  if (rank.error == ncclSuccess && meeting && !meeting->complete()) *state = ncclInProgress;
  else if (rank.busy.exchange(false) && rank.error == ncclSuccess) *state = ncclInProgress;
  return ncclSuccess;
}

ncclResult_t ncclCommCount(const ncclComm_t comm, int* count) {
  *count = comm->rank->world;
  return ncclSuccess;
}

ncclResult_t ncclCommUserRank(const ncclComm_t comm, int* rank) {
  *rank = comm->rank->rank;
  return ncclSuccess;
}

ncclResult_t ncclGroupStart() {
  begin_group();
  return ncclSuccess;
}

ncclResult_t ncclGroupEnd() { return end_group(); }

ncclResult_t ncclAllReduce(const void* send, void* receive, std::size_t count, ncclDataType_t type, ncclRedOp_t op, ncclComm_t comm,
                           cudaStream_t stream) {
  return reduce_on(comm, "all_reduce", send, receive, count, type, op, stream, -1);
}

ncclResult_t ncclReduce(const void* send, void* receive, std::size_t count, ncclDataType_t type, ncclRedOp_t op, int root, ncclComm_t comm,
                        cudaStream_t stream) {
  return reduce_on(comm, "reduce", send, receive, count, type, op, stream, root);
}

ncclResult_t ncclReduceScatter(const void* send, void* receive, std::size_t count, ncclDataType_t type, ncclRedOp_t op, ncclComm_t comm,
                               cudaStream_t stream) {
  auto& rank = comm->rank;
  auto size = count * size_of(type), world = static_cast<std::size_t>(rank->world);
  if (size == 0) return ncclInvalidArgument;
  auto scratch = std::make_shared<Bytes>(size * world);
  Call call{rank, "reduce_scatter", stream, {}, {}, receive};
  std::vector<const void*> from;
  for (std::size_t peer = 0; peer < world; ++peer) {
    call.parts.push_back({static_cast<int>(peer), true, bytes(send) + peer * size, size});
    call.parts.push_back({static_cast<int>(peer), false, scratch->data() + peer * size, size});
    from.push_back(scratch->data() + peer * size);
  }
  call.then = [=] { reduce(receive, from, count, type, op), void(scratch); };
  return submit(std::move(call));
}

ncclResult_t ncclAllGather(const void* send, void* receive, std::size_t count, ncclDataType_t type, ncclComm_t comm, cudaStream_t stream) {
  auto& rank = comm->rank;
  auto size = count * size_of(type), world = static_cast<std::size_t>(rank->world);
  if (size == 0) return ncclInvalidArgument;
  Call call{rank, "all_gather", stream, {}, {}, receive};
  for (std::size_t peer = 0; peer < world; ++peer) {
    call.parts.push_back({static_cast<int>(peer), true, bytes(send), size});
    call.parts.push_back({static_cast<int>(peer), false, bytes(receive) + peer * size, size});
  }
  return submit(std::move(call));
}

ncclResult_t ncclBroadcast(const void* send, void* receive, std::size_t count, ncclDataType_t type, int root, ncclComm_t comm,
                           cudaStream_t stream) {
  auto& rank = comm->rank;
  auto size = count * size_of(type);
  if (size == 0) return ncclInvalidArgument;
  Call call{rank, "broadcast", stream, {}, {}, receive};
  for (int peer = 0; rank->rank == root && peer < rank->world; ++peer) call.parts.push_back({peer, true, bytes(send), size});
  call.parts.push_back({root, false, bytes(receive), size});
  return submit(std::move(call));
}

ncclResult_t ncclSend(const void* send, std::size_t count, ncclDataType_t type, int peer, ncclComm_t comm, cudaStream_t stream) {
  return submit({comm->rank, "send", stream, {{peer, true, bytes(send), count * size_of(type)}}, {}, nullptr});
}

ncclResult_t ncclRecv(void* receive, std::size_t count, ncclDataType_t type, int peer, ncclComm_t comm, cudaStream_t stream) {
  return submit({comm->rank, "recv", stream, {{peer, false, bytes(receive), count * size_of(type)}}, {}, receive});
}

}  // extern "C"
