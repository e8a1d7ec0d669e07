#pragma once
#include <functional>
#include <map>
#include <set>
#include <string>

#include "remote-agent/checks/check.hpp"
#include "remote-agent/gpu/open.hpp"

namespace vt::test {

/// The processor as a GPU of a given number, with faults that a test gives it.
class FaultyDevice final : public gpu::Device {
 public:
  explicit FaultyDevice(int ordinal = 0) : inner_(gpu::open_cpu()), info_(inner_->info()) {
    info_.ordinal = ordinal, info_.uuid = "GPU-" + std::string(1, static_cast<char>('a' + ordinal));
  }

  std::function<void()> after_work;                             ///< what the hardware does to memory behind our back
  std::function<bool(const void* to, const void* from)> drops;  ///< copies that never happen and report success
  std::set<std::string, std::less<>> ignored;                   ///< kernels that are launched and do nothing
  std::uint64_t largest = ~0ULL, left = 1ULL << 40;             ///< what an allocation may have; all of them together
  bool peers = true;                                            ///< offers peer access
  std::vector<std::pair<char*, std::size_t>> allocated;         ///< the device memory that is in use, in the order of asking

  [[nodiscard]] const gpu::DeviceInfo& info() const override { return info_; }
  Result<std::uint64_t> free_memory() override { return left; }
  Result<gpu::Buffer> allocate(std::size_t bytes, gpu::Place place) override {
    if (place != gpu::Place::device) return inner_->allocate(bytes, place);
    if (bytes > largest || bytes > left) return fail(Errc::capacity, "out of memory");
    left -= bytes;
    VT_TRY(auto piece, inner_->allocate(bytes, place));
    auto* at = piece.as<char>();
    allocated.emplace_back(at, bytes), held_[at] = std::move(piece);
    return gpu::Buffer(*this, at, bytes, place);
  }
  Result<gpu::Stream> new_stream() override { return inner_->new_stream(); }
  Result<gpu::Mark> new_mark() override { return inner_->new_mark(); }
  Status copy(void* to, const void* from, std::size_t bytes, gpu::Stream stream) override {
    return drops && drops(to, from) ? Status{} : worked(inner_->copy(to, from, bytes, stream));
  }
  Status set(void* at, unsigned char byte, std::size_t bytes, gpu::Stream stream) override {
    return worked(inner_->set(at, byte, bytes, stream));
  }
  Status launch_any(const kernels::AnyKernel& kernel, gpu::Grid grid, gpu::Stream stream, void** arguments) override {
    return ignored.contains(kernel.name) ? Status{} : worked(inner_->launch_any(kernel, grid, stream, arguments));
  }
  Status mark(gpu::Mark mark, gpu::Stream stream) override { return inner_->mark(mark, stream); }
  Status after(gpu::Stream stream, gpu::Mark mark) override { return inner_->after(stream, mark); }
  Status wait(gpu::Mark mark) override { return inner_->wait(mark); }
  Status finish(gpu::Stream stream) override { return inner_->finish(stream); }
  Result<double> seconds(gpu::Mark from, gpu::Mark to) override { return inner_->seconds(from, to); }
  Status reach(gpu::Device& other) override { return peers ? Status{} : fail(Errc::refused, "no peer access to " + other.info().uuid); }
  [[nodiscard]] std::string rung() const override { return "cpu"; }

 private:
  Status worked(Status done) {
    if (after_work) after_work();
    return done;
  }
  void release(void* at, std::size_t bytes, gpu::Place) override {
    left += bytes;
    std::erase_if(allocated, [&](auto& piece) { return piece.first == at; });
    held_.erase(at);
  }

  std::unique_ptr<gpu::Device> inner_;
  std::map<void*, gpu::Buffer> held_;
  gpu::DeviceInfo info_;
};

/// Hears everything and answers nothing, but what a test has put in `told`.
struct QuietReporter final : checks::Reporter {
  void progress(const std::string&, double) override {}
  void metric(const std::string& name, double, const std::string&, const std::string&) override { metrics.push_back(name); }
  void publish(const std::string& key, const std::string&) override { published.push_back(key); }
  std::optional<std::string> await(const std::string& key) override {
    return told.contains(key) ? std::optional(std::string("AA==")) : std::nullopt;
  }
  std::vector<std::string> metrics, published;
  std::set<std::string> told;
};

inline checks::Task cpu_task(nlohmann::json args = nlohmann::json::object()) {
  checks::Task task;
  task.args = std::move(args);
  task.args["device"] = "cpu";
  return task;
}

}  // namespace vt::test
