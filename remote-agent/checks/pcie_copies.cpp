#include "remote-agent/checks/pcie_copies.hpp"

#include <algorithm>
#include <cstring>

#include "remote-agent/checks/mem_taken.hpp"
#include "remote-agent/checks/numa_home.hpp"

namespace vt::checks {

namespace {
constexpr std::uint64_t kSeedDown = 21, kSeedUp = 22;
std::uint64_t seed_of(HostCopies::Towards towards) { return towards == HostCopies::Towards::device ? kSeedDown : kSeedUp; }
}  // namespace

Result<HostCopies> HostCopies::make(gpu::Device& device, const Task& task, Towards towards, gpu::Place place) {
  NumaHome home(device.info().numa_node);
  auto mib = std::clamp(task.number("mib", task.on_cpu() ? 4 : 512), 1.0, 65536.0);
  VT_TRY(auto bytes, fitting(device, static_cast<std::size_t>(mib) * 1024 * 1024));
  VT_TRY(auto host, device.allocate(bytes, place));
  VT_TRY(auto there, device.allocate(bytes));
  std::memset(host.as<void>(), 0, bytes);  // its pages come to be here, on this node
  HostCopies out(device, towards, std::move(host), std::move(there));
  VT_CHECK(fill_words(device, out.leaves(), out.words(), seed_of(towards)));
  return out;
}

Status HostCopies::enqueue(int copies, gpu::Stream stream) {
  for (int i = 0; i < copies; ++i) VT_CHECK(device_->copy(arrives().as<void>(), leaves().as<void>(), host_.bytes(), stream));
  return {};
}

Status HostCopies::clear() {
  constexpr unsigned char kOther = 0x5A;
  if (towards_ == Towards::host) {
    std::memset(host_.as<void>(), kOther, host_.bytes());
    return {};
  }
  VT_CHECK(device_->set(there_.as<void>(), kOther, there_.bytes()));
  return device_->finish();
}

Result<kernels::Miscompares> HostCopies::verify() { return verify_words(*device_, arrives(), words(), seed_of(towards_)); }
Status HostCopies::damage() { return checks::damage(*device_, arrives(), words() / 3); }
int HostCopies::host_node() const { return numa_node_of(host_.as<void>()); }

}  // namespace vt::checks
