#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <deque>
#include <thread>

#include "remote-agent/gpu/open.hpp"

namespace vt::gpu {

namespace {

using Clock = std::chrono::steady_clock;

/// Every call is done when it returns, so streams need no order and marks are times.
class CpuDevice final : public Device {
 public:
  CpuDevice() {
    info_.name = info_.uuid = "cpu";
    info_.multiprocessors = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
    info_.memory = pages(_SC_PHYS_PAGES);
  }
  [[nodiscard]] const DeviceInfo& info() const override { return info_; }
  Result<std::uint64_t> free_memory() override { return pages(_SC_AVPHYS_PAGES); }

  Result<Buffer> allocate(std::size_t bytes, Place place) override {
    auto* at = mmap(nullptr, std::max<std::size_t>(bytes, 1), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED) return fail(Errc::capacity, "no memory for " + std::to_string(bytes) + " bytes");
    return Buffer(*this, at, bytes, place);
  }
  Result<Stream> new_stream() override { return Stream{}; }
  Result<Mark> new_mark() override { return Mark{&marks_.emplace_back()}; }

  Status copy(void* to, const void* from, std::size_t bytes, Stream) override {
    std::memcpy(to, from, bytes);
    return {};
  }
  Status set(void* at, unsigned char byte, std::size_t bytes, Stream) override {
    std::memset(at, byte, bytes);
    return {};
  }
  Status launch_any(const kernels::AnyKernel& kernel, Grid grid, Stream, void** arguments) override {
    constexpr std::uint64_t kWorthAThread = 4096;  // items; starting a thread takes about as long as they do
    auto threads = std::min(grid.items / kWorthAThread + 1, static_cast<std::uint64_t>(info_.multiprocessors));
    std::vector<std::jthread> others;
    for (std::uint64_t i = 1; i < threads; ++i) others.emplace_back([&, i] { share(kernel, arguments, i, threads); });
    share(kernel, arguments, 0, threads);
    return {};
  }
  Status mark(Mark mark, Stream) override {
    *static_cast<Clock::time_point*>(mark.handle) = Clock::now();
    return {};
  }
  Status after(Stream, Mark) override { return {}; }
  Status wait(Mark) override { return {}; }
  Status finish(Stream) override { return {}; }
  Result<double> seconds(Mark from, Mark to) override {
    return std::chrono::duration<double>(*static_cast<Clock::time_point*>(to.handle) - *static_cast<Clock::time_point*>(from.handle))
        .count();
  }
  Status reach(Device&) override { return {}; }
  [[nodiscard]] std::string rung() const override { return "cpu"; }

 private:
  static std::uint64_t pages(int which) {
    return static_cast<std::uint64_t>(std::max(0L, sysconf(which))) * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  }
  static void share(const kernels::AnyKernel& kernel, void** arguments, std::uint64_t index, std::uint64_t count) {
    kernels::lane = {index, count};
    kernel(arguments);
  }
  void release(void* at, std::size_t bytes, Place) override { munmap(at, std::max<std::size_t>(bytes, 1)); }

  DeviceInfo info_;
  std::deque<Clock::time_point> marks_;
};

}  // namespace

std::unique_ptr<Device> open_cpu() { return std::make_unique<CpuDevice>(); }

}  // namespace vt::gpu
