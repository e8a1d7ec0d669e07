#include "remote-agent/checks/disk_io.hpp"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <mutex>
#include <optional>
#include <thread>

#include "kernels/pattern.hpp"
#include "remote-agent/checks/samples.hpp"

namespace vt::checks {

namespace {

using Clock = std::chrono::steady_clock;

double microseconds(Clock::time_point since) { return std::chrono::duration<double, std::micro>(Clock::now() - since).count(); }

/// What the threads of one phase share.
struct Phase {
  Phase(const Scratch& of, Access what) : file(of), access(what) {}
  const Scratch& file;
  Access access;
  std::atomic<std::uint64_t> operations = 0, wrong = 0;
  std::mutex mutex;
  std::optional<Error> error;
  std::vector<float> latencies;  ///< µs

  Status operate(const DiskBuffer& buffer, std::uint64_t offset) {
    auto start = Clock::now();
    VT_CHECK(access == Access::write ? file.write(buffer, offset) : file.read(buffer, offset));
    last_us = static_cast<float>(microseconds(start));
    if (access == Access::read) wrong += file.wrong_words(buffer, offset);
    operations++;
    return {};
  }
  void end(const Status& status, const std::vector<float>& own) {
    std::lock_guard hold(mutex);
    if (!status && !error) error = status.error();
    latencies.insert(latencies.end(), own.begin(), own.end());
  }
  static thread_local float last_us;
};
thread_local float Phase::last_us = 0;

/// Runs `depth` threads; each asks `next` for an offset until there is none.
template <class Next>
Result<IoFigures> run(const Scratch& file, const IoPlan& plan, std::size_t bytes, Next next) {
  Phase phase(file, plan.access);
  auto start = Clock::now();
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < std::max(1, plan.depth); t++)
      threads.emplace_back([&, t] {
        DiskBuffer buffer(bytes);
        std::vector<float> latencies;
        Status status;
        for (std::uint64_t offset = 0; status && agent::boot_ms() < plan.stop_at && next(t, offset);) {
          status = phase.operate(buffer, offset);
          latencies.push_back(Phase::last_us);
        }
        phase.end(status, latencies);
      });
  }
  if (phase.error) return fail(*phase.error);
  VT_CHECK(file.settle());
  auto seconds = std::max(microseconds(start) / 1e6, 1e-6);
  IoFigures out;
  out.bytes = phase.operations * bytes, out.wrong = phase.wrong;
  out.per_second = static_cast<double>(phase.operations) / seconds, out.bytes_per_second = static_cast<double>(out.bytes) / seconds;
  out.p50_us = percentile(phase.latencies, 0.50), out.p99_us = percentile(phase.latencies, 0.99);
  return out;
}

}  // namespace

Result<IoFigures> sequential(const Scratch& file, const IoPlan& plan) {
  std::atomic<std::uint64_t> block = 0;
  return run(file, plan, kDiskBlock, [&](int, std::uint64_t& offset) {
    auto mine = block++;
    offset = mine * kDiskBlock;
    return mine < plan.mib;
  });
}

Result<IoFigures> random_pages(const Scratch& file, const IoPlan& plan) {
  auto pages = plan.mib * (kDiskBlock / kDiskPage);
  std::vector<std::uint64_t> count(static_cast<std::size_t>(std::max(1, plan.depth)));
  return run(file, plan, kDiskPage, [&](int thread, std::uint64_t& offset) {
    auto& n = count[static_cast<std::size_t>(thread)];
    offset = kernels::word_at(static_cast<std::uint64_t>(thread), n++) % pages * kDiskPage;
    return true;
  });
}

Result<IoFigures> synced_pages(const Scratch& file, int count, std::int64_t stop_at) {
  DiskBuffer page(kDiskPage);
  std::vector<float> latencies;
  auto start = Clock::now();
  for (int i = 0; i < count && agent::boot_ms() < stop_at; i++) {
    VT_CHECK(file.write(page, static_cast<std::uint64_t>(i) * kDiskPage));
    auto before = Clock::now();
    if (fsync(file.fd()) != 0) return fail(Errc::refused, std::string("cannot write: ") + std::strerror(errno));
    latencies.push_back(static_cast<float>(microseconds(before)));
  }
  IoFigures out;
  out.bytes = latencies.size() * kDiskPage;
  out.per_second = static_cast<double>(latencies.size()) / std::max(microseconds(start) / 1e6, 1e-6);
  out.p50_us = percentile(latencies, 0.50), out.p99_us = percentile(latencies, 0.99);
  return out;
}

Result<WrittenAndRead> written_and_read(const Scratch& file, std::uint64_t mib, bool fault, std::int64_t stop_at) {
  WrittenAndRead out;
  VT_TRY(out.write, sequential(file, {Access::write, mib, 4, stop_at}));
  if (fault) VT_CHECK(file.corrupt(out.write.bytes / 2));
  VT_TRY(out.read, sequential(file, {Access::read, mib, 4, stop_at}));
  if (out.read.bytes < mib * kDiskBlock) return fail(Errc::timeout, "not all of it was written and read back in time");
  return out;
}

}  // namespace vt::checks
