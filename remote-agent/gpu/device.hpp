#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "kernels/kernel.hpp"
#include "orchestrator/model/result.hpp"

/// What checks compute on: a CUDA device, or this machine's processor in its place. The same check code runs on both.
namespace vt::gpu {

struct DeviceInfo {
  std::string name;  ///< "NVIDIA GeForce RTX 5090"; "cpu"
  std::string uuid;  ///< "GPU-…"; "cpu"
  std::string pci;   ///< "0000:41:00.0"; empty for the CPU
  int ordinal = 0;
  int sm = 0;  ///< 120 = compute capability 12.0; 0 for the CPU
  int multiprocessors = 1;
  std::uint64_t memory = 0;  ///< bytes
  std::uint64_t l2 = 0;      ///< bytes
  int numa_node = -1;
  [[nodiscard]] bool is_cpu() const { return sm == 0; }
};

class Device;

enum class Place { device, pinned, pageable };

/// Memory of a device, or host memory that it can copy from and to. Freed with the object; the device must live longer.
class Buffer {
 public:
  Buffer() = default;
  Buffer(Device& device, void* at, std::size_t bytes, Place place) : device_(&device), at_(at), bytes_(bytes), place_(place) {}
  Buffer(Buffer&& o) noexcept : device_(std::exchange(o.device_, nullptr)), at_(o.at_), bytes_(o.bytes_), place_(o.place_) {}
  Buffer& operator=(Buffer&& o) noexcept {
    std::swap(device_, o.device_), std::swap(at_, o.at_), std::swap(bytes_, o.bytes_), std::swap(place_, o.place_);
    return *this;
  }
  ~Buffer();

  /// As a kernel takes it. Host code may follow the pointer only if `place` is not device.
  template <class T>
  [[nodiscard]] T* as() const {
    return static_cast<T*>(at_);
  }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }
  [[nodiscard]] Place place() const { return place_; }
  explicit operator bool() const { return device_ != nullptr; }

 private:
  Device* device_ = nullptr;
  void* at_ = nullptr;
  std::size_t bytes_ = 0;
  Place place_ = Place::device;
};

/// An order of work. The default one is the device's own; others are made by the device and end with it.
struct Stream {
  void* handle = nullptr;
};
/// A moment in a stream's work. Made by the device and ends with it; may be set again.
struct Mark {
  void* handle = nullptr;
};

/// How many threads. {} lets the device choose for `items`. Cooperative: all blocks run at the same time and may wait for each other, or
/// the launch is refused.
struct Grid {
  std::uint64_t items = 1;
  unsigned blocks = 0, threads = 256;
  bool cooperative = false;
};

/// One device, in this process. Not for several threads at once. All work is asynchronous unless it says otherwise; an error may
/// show in a later call. Errors: Errc::lost when the device is gone or its context is spoilt (nothing more can be done in this
/// process), Errc::capacity when memory is short, Errc::refused for the rest; the text names the CUDA error and what it means.
class Device {
 public:
  virtual ~Device() = default;
  Device() = default;
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  [[nodiscard]] virtual const DeviceInfo& info() const = 0;
  /// Makes this the current device of the calling thread, for libraries that ask CUDA which that is (NCCL, cublasLt).
  virtual Status use() { return {}; }
  /// Bytes free now.
  virtual Result<std::uint64_t> free_memory() = 0;
  virtual Result<Buffer> allocate(std::size_t bytes, Place place = Place::device) = 0;
  virtual Result<Stream> new_stream() = 0;
  virtual Result<Mark> new_mark() = 0;

  /// Between any two of device, pinned and pageable memory of this process, also of two devices.
  virtual Status copy(void* to, const void* from, std::size_t bytes, Stream stream = {}) = 0;
  virtual Status set(void* at, unsigned char byte, std::size_t bytes, Stream stream = {}) = 0;
  /// Whether the kernel is in what was loaded, without launching it.
  virtual Status fetch(const kernels::AnyKernel& /*kernel*/) { return {}; }
  virtual Status launch_any(const kernels::AnyKernel& kernel, Grid grid, Stream stream, void** arguments) = 0;
  virtual Status mark(Mark mark, Stream stream = {}) = 0;
  /// Later work of `stream` waits for the mark.
  virtual Status after(Stream stream, Mark mark) = 0;
  /// Waits until the mark is passed. There is no deadline here: whoever started this process ends it.
  virtual Status wait(Mark mark) = 0;
  /// Waits for all work of the stream and tells its errors.
  virtual Status finish(Stream stream = {}) = 0;
  /// Seconds between two passed marks of this device.
  virtual Result<double> seconds(Mark from, Mark to) = 0;

  /// Lets this device reach the memory of another one. Errc::refused: no peer access between the two.
  virtual Status reach(Device& other) = 0;
  /// The rung of the ladder on which its kernels were loaded: "native sm_120", "NVRTC 12.8 sm_120", "PTX compute_75"; "cpu".
  [[nodiscard]] virtual std::string rung() const = 0;

  template <class... P>
  Status launch(const kernels::Kernel<P...>& kernel, Grid grid, Stream stream, std::type_identity_t<P>... arguments) {
    void* pointers[] = {const_cast<void*>(static_cast<const void*>(&arguments))..., nullptr};
    return launch_any(kernel.any(), grid, stream, pointers);
  }

 private:
  friend class Buffer;
  virtual void release(void* at, std::size_t bytes, Place place) = 0;
};

inline Buffer::~Buffer() {
  if (device_) device_->release(at_, bytes_, place_);
}

using Devices = std::vector<std::unique_ptr<Device>>;

}  // namespace vt::gpu
