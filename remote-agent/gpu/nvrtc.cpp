#include "remote-agent/gpu/nvrtc.hpp"

#include <algorithm>
#include <vector>

#include "kernels/images.hpp"
#include "remote-agent/gpu/library.hpp"
#include "remote-agent/gpu/nvrtc_abi.hpp"

namespace vt::gpu {

namespace {

using nvrtc::Functions, nvrtc::Program;

/// Newest first. Its file is named after the major version since CUDA 12.
std::vector<std::string> names_for(int driver_version) {
  std::vector<std::string> out = {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2"};
  constexpr int kThirteen = 13'000, kTwelve = 12'000;
  if (driver_version != 0 && driver_version < kThirteen) out.erase(out.begin());
  if (driver_version != 0 && driver_version < kTwelve) out.erase(out.begin());
  return out;
}

Result<Functions> open_nvrtc(int driver_version) {
  VT_TRY(auto library, open_library(names_for(driver_version)));
  Functions out;
#define VT_TAKE(name, ...)                                  \
  out.name = library.function<int (*)(__VA_ARGS__)>(#name); \
  if (!out.name) return fail(Errc::refused, library.path() + " has no " #name);
  VT_NVRTC_FUNCTIONS(VT_TAKE)
#undef VT_TAKE
  return out;
}

/// The beginning of what the compiler said, in one line.
std::string log_of(const Functions& library, Program program) {
  constexpr std::size_t kMost = 600;
  std::size_t size = 0;
  if (library.nvrtcGetProgramLogSize(program, &size) != 0 || size == 0) return "";
  std::string log(size, '\0');
  if (library.nvrtcGetProgramLog(program, log.data()) != 0) return "";
  log.resize(std::min({log.find('\0'), log.size(), kMost}));
  std::replace(log.begin(), log.end(), '\n', ' ');
  return log;
}

Result<std::string> compile(const Functions& library, Program program, int sm) {
  auto architecture = "--gpu-architecture=sm_" + std::to_string(sm);
  const char* options[] = {architecture.c_str(), "--std=c++17"};
  if (auto code = library.nvrtcCompileProgram(program, std::size(options), options))
    return fail(Errc::refused, "NVRTC error " + std::to_string(code) + " for sm_" + std::to_string(sm) + ": " + log_of(library, program));
  std::size_t size = 0;
  if (library.nvrtcGetCUBINSize(program, &size) != 0 || size == 0) return fail(Errc::refused, "NVRTC made no machine code");
  std::string out(size, '\0');
  if (library.nvrtcGetCUBIN(program, out.data()) != 0) return fail(Errc::refused, "NVRTC does not hand out its machine code");
  return out;
}

}  // namespace

Result<Compiled> compile_kernels(int driver_version, int sm) {
  VT_TRY(auto library, open_nvrtc(driver_version));
  int major = 0, minor = 0;
  if (library.nvrtcVersion(&major, &minor) != 0) return fail(Errc::refused, "NVRTC does not tell its version");
  std::string source(kernels::source());
  Program program = nullptr;
  if (library.nvrtcCreateProgram(&program, source.c_str(), "kernels.cu", 0, nullptr, nullptr) != 0)
    return fail(Errc::refused, "NVRTC takes no source");
  auto code = compile(library, program, sm);
  library.nvrtcDestroyProgram(&program);
  if (!code) return fail(code.error());
  return Compiled{std::move(code).take(), std::to_string(major) + "." + std::to_string(minor)};
}

}  // namespace vt::gpu
