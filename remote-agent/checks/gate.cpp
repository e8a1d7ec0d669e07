#include "remote-agent/checks/gate.hpp"

#include <atomic>

#include "kernels/copy.hpp"

namespace vt::checks {

namespace {
/// Far longer than a batch takes to enqueue, and short of every deadline.
constexpr std::uint64_t kLimitNs = 2'000'000'000;

std::atomic_ref<std::uint64_t> flag(const gpu::Buffer& flags, int i) { return std::atomic_ref(flags.as<std::uint64_t>()[i]); }
}  // namespace

Result<Gate> Gate::make(gpu::Device& device) {
  VT_TRY(auto flags, device.allocate(2 * sizeof(std::uint64_t), gpu::Place::pinned));
  VT_TRY(auto start, device.new_mark());
  VT_TRY(auto end, device.new_mark());
  return Gate(device, std::move(flags), start, end);
}

Result<double> Gate::time(const Enqueue& enqueue, gpu::Stream stream, const std::function<void()>& meanwhile) {
  flag(flags_, 0) = 0, flag(flags_, 1) = 0;
  if (!gave_up_) VT_CHECK(device_->launch(VT_NAMED(vt_gate), {1, 1, 1}, stream, flags_.as<kernels::u64>(), kLimitNs));
  auto queued = [&]() -> Status {
    VT_CHECK(device_->mark(start_, stream));
    VT_CHECK(enqueue());
    return device_->mark(end_, stream);
  }();
  flag(flags_, 0) = 1;  // also when something failed: the stream must be able to end
  if (meanwhile && queued) meanwhile();
  auto done = device_->finish(stream);
  VT_CHECK(queued);
  VT_CHECK(done);
  gave_up_ = gave_up_ || flag(flags_, 1) != 0;
  return device_->seconds(start_, end_);
}

}  // namespace vt::checks
