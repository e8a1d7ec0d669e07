#pragma once
#include "remote-agent/checks/check.hpp"
#include "remote-agent/checks/gate.hpp"
#include "remote-agent/checks/miscompares.hpp"

namespace vt::checks {

/// Copies between the host's memory and a device's, one way, of data that can be verified where it arrives. The host's side lies on the
/// device's NUMA node where that is known.
class HostCopies {
 public:
  enum class Towards { device, host };
  /// args.mib MiB a copy: 512, on the processor 4.
  static Result<HostCopies> make(gpu::Device&, const Task&, Towards, gpu::Place host = gpu::Place::pinned);

  [[nodiscard]] double bytes() const { return static_cast<double>(host_.bytes()); }
  Status enqueue(int copies, gpu::Stream stream = {});
  /// Puts other data where the copies arrive, so that one that never happened is seen.
  Status clear();
  Result<kernels::Miscompares> verify();
  /// Turns over a bit of what has arrived.
  Status damage();
  /// The NUMA node of the host's side; -1: unknown.
  [[nodiscard]] int host_node() const;

 private:
  HostCopies(gpu::Device& device, Towards towards, gpu::Buffer host, gpu::Buffer there)
      : device_(&device), towards_(towards), host_(std::move(host)), there_(std::move(there)) {}
  [[nodiscard]] const gpu::Buffer& arrives() const { return towards_ == Towards::device ? there_ : host_; }
  [[nodiscard]] const gpu::Buffer& leaves() const { return towards_ == Towards::device ? host_ : there_; }
  [[nodiscard]] std::size_t words() const { return host_.bytes() / sizeof(std::uint64_t); }

  gpu::Device* device_;
  Towards towards_;
  gpu::Buffer host_, there_;
};

}  // namespace vt::checks
