#include "tests/doubles/nccl/comm.hpp"

#include <dlfcn.h>
#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <map>
#include <thread>

namespace vt::doubles {

namespace {

thread_local int depth = 0;
thread_local std::vector<Call> grouped;

using HostFunction = int (*)(cudaStream_t, void (*)(void*), void*);

/// cuLaunchHostFunc of the libcuda of this process.
HostFunction launch_host_function() {
  static const auto function = [] {
    auto* library = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
    return library ? reinterpret_cast<HostFunction>(dlsym(library, "cuLaunchHostFunc")) : nullptr;
  }();
  return function;
}

/// Calls of one rank on one stream, as one piece of work.
struct Work {
  std::vector<Call> calls;

  void operator()() {
    auto& rank = *calls[0].rank;
    std::vector<Part> parts;
    for (auto& call : calls) {
      if (rank.strikes("nccl-stuck", call.operation)) return rank.hang();
      if (auto* slow = rank.strikes("nccl-slow", call.operation)) usleep(static_cast<useconds_t>(slow->after_ms * 1000));
      parts.insert(parts.end(), call.parts.begin(), call.parts.end());
    }
    if (!rank.exchange(std::move(parts))) return;
    for (auto& call : calls) {
      if (call.then) call.then();
      auto* wrong = call.left ? rank.strikes("nccl-wrong", call.operation) : nullptr;
      if (wrong) static_cast<unsigned char*>(call.left)[wrong->offset] ^= static_cast<unsigned char>(1U << (wrong->bit & 7));
    }
  }
};

bool is_transfer(const Call& call) { return call.operation == "send" || call.operation == "recv"; }

/// Sends and receives of a group go on together; other operations one after another.
std::vector<Work> pieces(std::vector<Call> calls) {
  std::vector<Work> out;
  std::map<Rank*, std::size_t> transfers;
  for (auto& call : calls) {
    auto* rank = call.rank.get();
    auto known = transfers.find(rank);
    if (is_transfer(call) && known != transfers.end()) {
      out[known->second].calls.push_back(std::move(call));
      continue;
    }
    if (is_transfer(call)) transfers[rank] = out.size();
    out.emplace_back().calls.push_back(std::move(call));
  }
  return out;
}

ncclResult_t enqueue(Work work) {
  auto stream = work.calls[0].stream;
  auto run = [](void* argument) {
    std::unique_ptr<Work> mine(static_cast<Work*>(argument));
    (*mine)();
  };
  return launch_host_function()(stream, run, new Work(std::move(work))) == 0 ? ncclSuccess : ncclUnhandledCudaError;
}

/// Without streams: each rank of this process in a thread of its own, in order.
void run_here(std::vector<Work> all) {
  std::map<Rank*, std::vector<Work>> by_rank;
  for (auto& work : all) by_rank[work.calls[0].rank.get()].push_back(std::move(work));
  std::vector<std::thread> threads;
  for (auto& [rank, works] : by_rank)
    threads.emplace_back([&works = works] {
      for (auto& work : works) work();
    });
  for (auto& thread : threads) thread.join();
}

ncclResult_t start(std::vector<Call> calls) {
  bool at_once = false;
  for (auto& call : calls) at_once |= call.rank->at_once, call.rank->busy = call.rank->at_once;
  auto all = pieces(std::move(calls));
  if (!launch_host_function()) {
    run_here(std::move(all));
    return at_once ? ncclInProgress : ncclSuccess;
  }
  for (auto& work : all)
    if (auto result = enqueue(std::move(work)); result != ncclSuccess) return result;
  return at_once ? ncclInProgress : ncclSuccess;
}

}  // namespace

std::shared_ptr<Meeting> Rank::meeting() {
  std::lock_guard hold(mutex_);
  return meeting_;
}

void Rank::meet(std::shared_ptr<Meeting> meeting) {
  std::lock_guard hold(mutex_);
  meeting_ = std::move(meeting);
}

const Fault* Rank::strikes(const char* kind, const std::string& operation) const {
  return doubles::strikes(kind, [&](auto& f) { return (f.gpu < 0 || f.gpu == rank) && (f.where.empty() || f.where == operation); });
}

void Rank::hang() const {
  while (!aborted) usleep(1000);
}

bool Rank::exchange(std::vector<Part> parts) {
  auto where = meeting();
  if (!where) return false;
  auto ended = where->exchange(std::move(parts), aborted);
  if (ended == Ended::peer_gone) {
    error = ncclRemoteError;
    hang();  // the kernel on the device goes on waiting until it is aborted
  }
  return ended == Ended::well;
}

ncclResult_t submit(Call call) {
  auto rank = call.rank;
  if (rank->strikes("nccl-dead", call.operation)) kill(getpid(), SIGKILL);
  if (rank->strikes("nccl-hang", call.operation)) rank->hang();
  if (rank->aborted) return ncclInvalidUsage;
  if (depth == 0) {
    std::vector<Call> one;
    one.push_back(std::move(call));
    return start(std::move(one));
  }
  grouped.push_back(std::move(call));
  return ncclSuccess;
}

void begin_group() { ++depth; }

ncclResult_t end_group() {
  if (depth == 0) return ncclInvalidUsage;
  if (--depth > 0 || grouped.empty()) return ncclSuccess;
  return start(std::exchange(grouped, {}));
}

void log(const Rank& rank, const std::string& text) {
  static std::mutex mutex;
  static auto* file = [] {
    auto *level = std::getenv("NCCL_DEBUG"), *path = std::getenv("NCCL_DEBUG_FILE");
    return level && path ? std::fopen(path, "w") : nullptr;
  }();
  std::lock_guard hold(mutex);
  if (!file) return;
  std::fprintf(file, "double:%d:%d [%d] NCCL INFO %s\n", getpid(), getpid(), rank.rank, text.c_str());
  std::fflush(file);
}

}  // namespace vt::doubles
