#include <cstring>
#include <string>

#include "tests/doubles/host/host.hpp"

// NVRTC without a compiler: its "machine code" names the architecture, and the double of libcuda finds the kernels in itself. Compiles
// nothing that it is not given: an empty source fails, as do the faults of kind "nvrtc".

namespace {

constexpr int kDone = 0, kInvalidInput = 3, kInvalidProgram = 4, kInvalidOption = 5, kCompilation = 6;

struct Program {
  std::string source, log, code;
};
Program* of(void* program) { return static_cast<Program*>(program); }

int copy_out(const std::string& text, char* to) {
  std::memcpy(to, text.c_str(), text.size() + 1);
  return kDone;
}

}  // namespace

extern "C" {

int nvrtcVersion(int* major, int* minor) {
  *major = vt::doubles::host().cuda / 1000, *minor = vt::doubles::host().cuda % 1000 / 10;
  return kDone;
}

const char* nvrtcGetErrorString(int code) { return code == kDone ? "NVRTC_SUCCESS" : "NVRTC_ERROR_COMPILATION"; }

int nvrtcCreateProgram(void** out, const char* source, const char*, int, const char* const*, const char* const*) {
  if (!source) return kInvalidInput;
  *out = new Program{source, "", ""};
  return kDone;
}

int nvrtcDestroyProgram(void** program) {
  delete of(*program);
  *program = nullptr;
  return kDone;
}

int nvrtcCompileProgram(void* program, int options, const char* const* texts) {
  if (!program) return kInvalidProgram;
  std::string sm;
  for (int i = 0; i < options; ++i)
    for (std::string head : {"--gpu-architecture=sm_", "-arch=sm_"})
      if (std::string_view(texts[i]).starts_with(head)) sm = texts[i] + head.size();
  if (sm.empty()) return kInvalidOption;
  if (of(program)->source.find("__global__") == std::string::npos && of(program)->source.find("VT_KERNEL") == std::string::npos)
    return of(program)->log = "kernels.cu: no kernel in this source\n", kCompilation;
  if (vt::doubles::fault("nvrtc", -1)) return of(program)->log = "kernels.cu(1): error: as the test wants it\n", kCompilation;
  of(program)->code = "vault-test double cubin sm_" + sm;
  return kDone;
}

int nvrtcGetProgramLogSize(void* program, std::size_t* size) { return *size = of(program)->log.size() + 1, kDone; }
int nvrtcGetProgramLog(void* program, char* log) { return copy_out(of(program)->log, log); }
int nvrtcGetCUBINSize(void* program, std::size_t* size) { return *size = of(program)->code.size() + 1, kDone; }
int nvrtcGetCUBIN(void* program, char* code) { return copy_out(of(program)->code, code); }

}  // extern "C"
