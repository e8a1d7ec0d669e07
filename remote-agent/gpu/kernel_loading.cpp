#include "remote-agent/gpu/kernel_loading.hpp"

#include <array>
#include <cstdlib>
#include <map>

#include "remote-agent/gpu/nvrtc.hpp"

namespace vt::gpu {

namespace {

using kernels::Image;

/// The driver compiles if it is PTX, and says why not.
Result<cuda::Module> load_image(const cuda::Driver& driver, std::string_view image) {
  std::array<char, 2048> log{};
  std::array<int, 2> options{cuda::error_log, cuda::error_log_bytes};
  auto* bytes = reinterpret_cast<void*>(log.size());  // NOLINT(performance-no-int-to-ptr): a number in its place, as the API has it
  std::array<void*, 2> values{log.data(), bytes};
  cuda::Module out = nullptr;
  auto code = driver.cuModuleLoadDataEx(&out, image.data(), options.size(), options.data(), values.data());
  if (code == 0) return out;
  auto error = cuda::explain(code, "cuModuleLoadDataEx");
  log.back() = 0;
  if (log.front()) error.what += "; it says: " + std::string(log.data());
  return fail(error);
}

Result<LoadedKernels> load_native(const cuda::Driver& driver, int sm) {
  const auto* image = native_image(kernels::images(), sm);
  if (!image) return fail(Errc::refused, "no machine code for sm_" + std::to_string(sm) + " is in this agent");
  VT_TRY(auto module, load_image(driver, image->bytes));
  return LoadedKernels{module, "native sm_" + std::to_string(image->sm)};
}

Result<LoadedKernels> load(const cuda::Driver& driver, const Compiled& compiled, int sm) {
  VT_TRY(auto module, load_image(driver, compiled.code));
  return LoadedKernels{module, "NVRTC " + compiled.compiler + " sm_" + std::to_string(sm)};
}

Result<LoadedKernels> load_compiled(const cuda::Driver& driver, int sm) {
  VT_TRY(auto compiled, compile_kernels(driver.version, sm));
  return load(driver, compiled, sm);
}

/// Compiling takes seconds, and a process's GPUs are mostly of one kind.
Result<LoadedKernels> load_compiled_once(const cuda::Driver& driver, int sm) {
  static std::map<int, Compiled> known;
  auto found = known.find(sm);
  if (found == known.end()) {
    VT_TRY(auto compiled, compile_kernels(driver.version, sm));
    found = known.emplace(sm, std::move(compiled)).first;
  }
  return load(driver, found->second, sm);
}

Result<LoadedKernels> load_ptx(const cuda::Driver& driver, int sm) {
  const auto* image = ptx_image(kernels::images(), sm);
  if (!image) return fail(Errc::refused, "no PTX for sm_" + std::to_string(sm) + " or older is in this agent");
  VT_TRY(auto module, load_image(driver, image->bytes));
  return LoadedKernels{module, "PTX compute_" + std::to_string(image->sm)};
}

/// Of those that `fits` the one for the newest device.
template <class Fits>
const Image* newest(std::span<const Image> images, const Fits& fits) {
  const Image* best = nullptr;
  for (auto& image : images)
    if (fits(image) && (!best || image.sm > best->sm)) best = &image;
  return best;
}

}  // namespace

Rung chosen_rung() {
  auto* text = std::getenv("VT_RUNG");
  std::string_view name = text ? text : "";
  if (name == "native") return Rung::native;
  if (name == "nvrtc") return Rung::nvrtc;
  return name == "ptx" ? Rung::ptx : Rung::any;
}

const Image* native_image(std::span<const Image> images, int sm) {
  return newest(images, [&](auto& image) { return !image.ptx && image.sm / 10 == sm / 10 && image.sm <= sm; });
}

const Image* ptx_image(std::span<const Image> images, int sm) {
  return newest(images, [&](auto& image) { return image.ptx && image.sm <= sm; });
}

Result<LoadedKernels> load_kernels(const cuda::Driver& driver, int sm, Rung rung) {
  struct Step {
    Rung rung;
    Result<LoadedKernels> (*load)(const cuda::Driver&, int);
  };
  // Who asks for this rung alone wants to see it compile.
  const Step ladder[] = {
      {Rung::native, load_native}, {Rung::nvrtc, rung == Rung::any ? load_compiled_once : load_compiled}, {Rung::ptx, load_ptx}};
  Error trouble{Errc::refused, ""};
  for (auto& step : ladder) {
    if (rung != Rung::any && rung != step.rung) continue;
    auto loaded = step.load(driver, sm);
    if (loaded || loaded.error().code == Errc::lost) return loaded;
    trouble.what += (trouble.what.empty() ? "" : "; ") + loaded.error().what;
  }
  return fail(trouble);
}

}  // namespace vt::gpu
