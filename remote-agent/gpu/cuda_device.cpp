#include <sys/mman.h>

#include <algorithm>
#include <string_view>
#include <unordered_map>

#include "remote-agent/gpu/cuda_info.hpp"
#include "remote-agent/gpu/kernel_loading.hpp"
#include "remote-agent/gpu/open.hpp"

namespace vt::gpu {

namespace {

using cuda::Driver;

cuda::Address address(const void* pointer) { return reinterpret_cast<cuda::Address>(pointer); }

/// The device's primary context, which CUDA libraries in this process share.
class PrimaryContext {
 public:
  PrimaryContext(const Driver& driver, cuda::DeviceId id, cuda::Context context) : driver_(&driver), id_(id), context_(context) {}
  PrimaryContext(PrimaryContext&& o) noexcept : driver_(o.driver_), id_(o.id_), context_(std::exchange(o.context_, nullptr)) {}
  PrimaryContext& operator=(PrimaryContext&&) = delete;
  ~PrimaryContext() {
    if (context_) driver_->cuDevicePrimaryCtxRelease_v2(id_);
  }
  static Result<PrimaryContext> retain(const Driver& driver, cuda::DeviceId id) {
    cuda::Context context = nullptr;
    VT_CUDA(driver, cuDevicePrimaryCtxRetain, &context, id);
    return PrimaryContext(driver, id, context);
  }
  [[nodiscard]] cuda::Context get() const { return context_; }
  [[nodiscard]] Status use() const {
    VT_CUDA(*driver_, cuCtxSetCurrent, context_);
    return {};
  }

 private:
  const Driver* driver_;
  cuda::DeviceId id_;
  cuda::Context context_;
};

class CudaDevice final : public Device {
 public:
  CudaDevice(const Driver& driver, cuda::DeviceId id, DeviceInfo info, PrimaryContext context, LoadedKernels kernels)
      : cuda_(driver), id_(id), info_(std::move(info)), context_(std::move(context)), kernels_(std::move(kernels)) {}
  ~CudaDevice() override;

  [[nodiscard]] const DeviceInfo& info() const override { return info_; }
  [[nodiscard]] std::string rung() const override { return kernels_.rung; }
  Status use() override { return context_.use(); }
  Result<std::uint64_t> free_memory() override;
  Result<Buffer> allocate(std::size_t bytes, Place place) override;
  Result<Stream> new_stream() override;
  Result<Mark> new_mark() override;
  Status copy(void* to, const void* from, std::size_t bytes, Stream stream) override;
  Status set(void* at, unsigned char byte, std::size_t bytes, Stream stream) override;
  Status fetch(const kernels::AnyKernel& kernel) override;
  Status launch_any(const kernels::AnyKernel& kernel, Grid grid, Stream stream, void** arguments) override;
  Status mark(Mark mark, Stream stream) override;
  Status after(Stream stream, Mark mark) override;
  Status wait(Mark mark) override;
  Status finish(Stream stream) override;
  Result<double> seconds(Mark from, Mark to) override;
  Status reach(Device& other) override;

 private:
  Result<cuda::Function> function(const kernels::AnyKernel& kernel);
  void release(void* at, std::size_t bytes, Place place) override;

  const Driver& cuda_;
  cuda::DeviceId id_;
  DeviceInfo info_;
  PrimaryContext context_;
  LoadedKernels kernels_;
  std::unordered_map<std::string_view, cuda::Function> functions_;
  std::vector<cuda::StreamId> streams_;
  std::vector<cuda::Event> events_;
};

/// Errors do not matter here: of a lost device nothing is left to be given back.
CudaDevice::~CudaDevice() {
  if (!context_.use()) return;
  for (auto* event : events_) cuda_.cuEventDestroy_v2(event);
  for (auto* stream : streams_) cuda_.cuStreamDestroy_v2(stream);
  cuda_.cuModuleUnload(kernels_.module);
}

Result<std::uint64_t> CudaDevice::free_memory() {
  std::size_t free = 0, total = 0;
  VT_CHECK(use());
  VT_CUDA(cuda_, cuMemGetInfo_v2, &free, &total);
  return std::uint64_t{free};
}

Result<Buffer> CudaDevice::allocate(std::size_t bytes, Place place) {
  VT_CHECK(use());
  auto size = std::max<std::size_t>(bytes, 1);
  if (place == Place::pageable) {
    auto* at = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED) return fail(Errc::capacity, "no memory for " + std::to_string(bytes) + " bytes");
    return Buffer(*this, at, bytes, place);
  }
  if (place == Place::pinned) {
    void* at = nullptr;
    VT_CUDA(cuda_, cuMemAllocHost_v2, &at, size);
    return Buffer(*this, at, bytes, place);
  }
  cuda::Address at = 0;
  VT_CUDA(cuda_, cuMemAlloc_v2, &at, size);
  return Buffer(*this, reinterpret_cast<void*>(at), bytes, place);  // NOLINT(performance-no-int-to-ptr): an address, as CUDA gives it
}

void CudaDevice::release(void* at, std::size_t bytes, Place place) {
  if (place == Place::pageable) {
    munmap(at, std::max<std::size_t>(bytes, 1));
    return;
  }
  if (!use()) return;
  if (place == Place::pinned) cuda_.cuMemFreeHost(at);
  else cuda_.cuMemFree_v2(address(at));
}

Result<Stream> CudaDevice::new_stream() {
  VT_CHECK(use());
  cuda::StreamId stream = nullptr;
  VT_CUDA(cuda_, cuStreamCreate, &stream, cuda::kNonBlocking);
  return Stream{streams_.emplace_back(stream)};
}

Result<Mark> CudaDevice::new_mark() {
  VT_CHECK(use());
  cuda::Event event = nullptr;
  VT_CUDA(cuda_, cuEventCreate, &event, 0);
  return Mark{events_.emplace_back(event)};
}

Status CudaDevice::copy(void* to, const void* from, std::size_t bytes, Stream stream) {
  VT_CHECK(use());
  VT_CUDA(cuda_, cuMemcpyAsync, address(to), address(from), bytes, stream.handle);  // unified addresses tell where both are
  return {};
}

Status CudaDevice::set(void* at, unsigned char byte, std::size_t bytes, Stream stream) {
  VT_CHECK(use());
  VT_CUDA(cuda_, cuMemsetD8Async, address(at), byte, bytes, stream.handle);
  return {};
}

Result<cuda::Function> CudaDevice::function(const kernels::AnyKernel& kernel) {
  auto& found = functions_[kernel.name];
  if (found) return found;
  auto name = std::string(kernel.name);
  auto code = cuda_.cuModuleGetFunction(&found, kernels_.module, name.c_str());
  if (code != 0) return fail(cuda::explain(code, "kernel " + name + " (" + rung() + ")"));
  return found;
}

Status CudaDevice::fetch(const kernels::AnyKernel& kernel) {
  VT_CHECK(use());
  VT_TRY([[maybe_unused]] auto* code, function(kernel));
  return {};
}

/// Several blocks for every multiprocessor, so that it has other warps to run while some wait for memory; more only cost time.
unsigned blocks_for(const Grid& grid, int multiprocessors) {
  if (grid.blocks != 0) return grid.blocks;
  constexpr std::uint64_t kPerMultiprocessor = 32;
  auto needed = (grid.items + grid.threads - 1) / grid.threads;
  return static_cast<unsigned>(std::clamp<std::uint64_t>(needed, 1, kPerMultiprocessor * static_cast<std::uint64_t>(multiprocessors)));
}

Status CudaDevice::launch_any(const kernels::AnyKernel& kernel, Grid grid, Stream stream, void** arguments) {
  VT_CHECK(use());
  VT_TRY(auto* code, function(kernel));
  if (grid.cooperative && !cuda_.cuLaunchCooperativeKernel) return fail(Errc::refused, "the driver has no cuLaunchCooperativeKernel");
  auto blocks = blocks_for(grid, info_.multiprocessors);
  auto failed = grid.cooperative ? cuda_.cuLaunchCooperativeKernel(code, blocks, 1, 1, grid.threads, 1, 1, 0, stream.handle, arguments)
                                 : cuda_.cuLaunchKernel(code, blocks, 1, 1, grid.threads, 1, 1, 0, stream.handle, arguments, nullptr);
  if (failed != 0) return fail(cuda::explain(failed, "launch of " + std::string(kernel.name)));
  return {};
}

Status CudaDevice::mark(Mark mark, Stream stream) {
  VT_CHECK(use());
  VT_CUDA(cuda_, cuEventRecord, mark.handle, stream.handle);
  return {};
}

Status CudaDevice::after(Stream stream, Mark mark) {
  VT_CHECK(use());
  VT_CUDA(cuda_, cuStreamWaitEvent, stream.handle, mark.handle, 0);
  return {};
}

Status CudaDevice::wait(Mark mark) {
  VT_CHECK(use());
  VT_CUDA(cuda_, cuEventSynchronize, mark.handle);
  return {};
}

Status CudaDevice::finish(Stream stream) {
  VT_CHECK(use());
  VT_CUDA(cuda_, cuStreamSynchronize, stream.handle);
  return {};
}

Result<double> CudaDevice::seconds(Mark from, Mark to) {
  VT_CHECK(use());
  float milliseconds = 0;
  VT_CUDA(cuda_, cuEventElapsedTime, &milliseconds, from.handle, to.handle);
  return milliseconds / 1e3;
}

Status CudaDevice::reach(Device& other) {
  constexpr cuda::Code kAlreadyOn = 704;
  auto* peer = dynamic_cast<CudaDevice*>(&other);
  if (!peer) return fail(Errc::refused, "no peer access to " + other.info().name);
  if (peer->id_ == id_) return {};
  int possible = 0;
  VT_CUDA(cuda_, cuDeviceCanAccessPeer, &possible, id_, peer->id_);
  if (!possible)
    return fail(Errc::refused,
                "no peer access from GPU " + std::to_string(info_.ordinal) + " to GPU " + std::to_string(peer->info_.ordinal));
  VT_CHECK(use());
  auto code = cuda_.cuCtxEnablePeerAccess(peer->context_.get(), 0);
  return code == kAlreadyOn ? Status{} : cuda::done(code, "cuCtxEnablePeerAccess");
}

}  // namespace

Result<std::unique_ptr<Device>> open(int ordinal, Rung rung) {
  VT_TRY(const auto* driver, cuda::driver());
  VT_TRY(auto id, device_id(*driver, ordinal));
  VT_TRY(auto info, read_info(*driver, id, ordinal));
  VT_TRY(auto context, PrimaryContext::retain(*driver, id));
  VT_CHECK(context.use());
  VT_TRY(auto kernels, load_kernels(*driver, info.sm, rung));
  return std::make_unique<CudaDevice>(*driver, id, std::move(info), std::move(context), std::move(kernels));
}

Result<std::unique_ptr<Device>> open(int ordinal) { return open(ordinal, chosen_rung()); }

}  // namespace vt::gpu
