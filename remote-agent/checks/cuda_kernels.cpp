#include <chrono>

#include "kernels/images.hpp"
#include "kernels/pattern.hpp"
#include "remote-agent/checks/check.hpp"
#include "remote-agent/gpu/cuda.hpp"
#include "remote-agent/gpu/kernel_loading.hpp"

namespace vt::checks {

namespace {

using Clock = std::chrono::steady_clock;
using gpu::Device;
using gpu::Rung;

/// Names of kernels that are not in what was loaded: loading proves little, as functions are loaded when they are first asked for.
std::string missing_kernels(Device& device) {
  std::string out;
  for (auto& kernel : kernels::all())
    if (!device.fetch(kernel)) out += (out.empty() ? "" : ", ") + std::string(kernel.name);
  return out;
}

constexpr std::uint64_t kWords = 65'536;

/// Words of a stream whose every word the host computes again: how many came out wrong.
Result<std::uint64_t> wrong_words(Device& device, bool fault) {
  constexpr std::uint64_t kSeed = 12;
  VT_TRY(auto words, device.allocate(kWords * sizeof(kernels::u64)));
  VT_TRY(auto copy, device.allocate(words.bytes(), gpu::Place::pinned));
  VT_CHECK(device.launch(VT_NAMED(vt_fill_words), {kWords}, {}, words.as<kernels::u64>(), kWords, kSeed));
  if (fault) VT_CHECK(device.launch(VT_NAMED(vt_flip_bit), {1}, {}, words.as<kernels::u64>(), kWords / 2, 7));
  VT_CHECK(device.copy(copy.as<void>(), words.as<void>(), words.bytes()));
  VT_CHECK(device.finish());
  std::uint64_t wrong = 0;
  for (std::uint64_t i = 0; i < kWords; ++i) wrong += copy.as<kernels::u64>()[i] != kernels::word_at(kSeed, i);
  return wrong;
}

/// What the driver knows and what the kernels are, for whoever reads why they do not load.
std::string versions() {
  auto driver = gpu::cuda::driver();
  if (!driver) return "";
  int known = (*driver)->version;
  auto compiler = std::string(kernels::compiler());
  return " (the driver knows CUDA " + std::to_string(known / 1000) + "." + std::to_string(known % 1000 / 10) + "; " +
         (compiler.empty() ? "this agent was built without nvcc" : "the kernels were compiled with nvcc " + compiler) + ")";
}

/// "ok", or the first thing that is not.
std::string state_of(Device& device, bool fault, nlohmann::json& values) {
  auto missing = missing_kernels(device);
  if (!missing.empty()) return "loaded, but without " + missing;
  auto wrong = wrong_words(device, fault);
  if (!wrong) return "loaded, then " + wrong.error().what;
  values["wrong"] = *wrong;
  return *wrong == 0 ? "ok" : std::to_string(*wrong) + " of " + std::to_string(kWords) + " words are wrong";
}

/// The device again with its kernels loaded in one way only. That way alone is what is loaded, whatever the driver could fall back to.
Outcome on_rung(Rung rung, const Task& task, const Device& on) {
  Outcome out;
  auto start = Clock::now();
  auto opened = gpu::open(on.info().ordinal, rung);
  out.values["ms"] = std::chrono::duration<double, std::milli>(Clock::now() - start).count();
  out.values["rung"] = opened ? (*opened)->rung() : "none";
  out.values["state"] = opened ? state_of(**opened, task.flag("fault"), out.values) : opened.error().what + versions();
  return out;
}

/// The same with what nvcc made, if there was one: an agent without it says nothing about the host.
Outcome on_built_rung(Rung rung, const Task& task, const Device& on) {
  if (kernels::compiler().empty()) return {nlohmann::json::object(), on.info().uuid, "this agent was built without nvcc"};
  return on_rung(rung, task, on);
}

}  // namespace

Outcome native_kernels(const Task& task, Device& device, Reporter&) { return on_built_rung(Rung::native, task, device); }
/// A driver compiles PTX of no newer toolkit than its own; that this agent's is newer is no fault of the host's. Then the state begins
/// with "n/a: ".
Outcome ptx_kernels(const Task& task, Device& device, Reporter&) {
  auto out = on_built_rung(Rung::ptx, task, device);
  auto state = out.values.value("state", "");
  if (state.find("CUDA_ERROR_UNSUPPORTED_PTX_VERSION") != std::string::npos) out.values["state"] = "n/a: " + state;
  return out;
}
Outcome nvrtc_kernels(const Task& task, Device& device, Reporter&) { return on_rung(Rung::nvrtc, task, device); }

}  // namespace vt::checks
