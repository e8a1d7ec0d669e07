#include "tests/doubles/cuda/image.hpp"

#include <elf.h>

#include <cstdlib>
#include <cstring>
#include <string_view>

namespace vt::doubles {

namespace {

constexpr std::string_view kElf = "\177ELF";
constexpr std::string_view kNvrtc = "vault-test double cubin sm_";

/// A cubin tells its architecture in e_flags: the lowest byte, or the second one since ELF ABI version 8 (CUDA 13).
int sm_of_cubin(const void* image) {
  Elf64_Ehdr head;
  std::memcpy(&head, image, sizeof head);
  constexpr unsigned kByte = 0xff;
  return static_cast<int>(head.e_ident[EI_ABIVERSION] >= 8 ? (head.e_flags >> 8) & kByte : head.e_flags & kByte);
}

int number_after(const char* text, const char* words) {
  auto* at = std::strstr(text, words);
  return at ? std::atoi(at + std::strlen(words)) : 0;
}

CUresult inspect_ptx(const char* text, int device_sm, ImageKind& out, std::string& why) {
  auto* forbidden = std::getenv("CUDA_DISABLE_PTX_JIT");
  if (forbidden && std::string_view(forbidden) == "1") return CUDA_ERROR_JIT_COMPILATION_DISABLED;
  out = {number_after(text, ".target sm_"), true};
  if (out.sm == 0) return why = "ptxas fatal: no .target in this PTX", CUDA_ERROR_INVALID_PTX;
  if (out.sm > device_sm) return why = "ptxas fatal: this PTX is for a newer device", CUDA_ERROR_INVALID_PTX;
  return CUDA_SUCCESS;
}

}  // namespace

CUresult inspect(const void* image, int device_sm, ImageKind& out, std::string& why) {
  auto* text = static_cast<const char*>(image);
  auto begins = [&](std::string_view with) { return std::strncmp(text, with.data(), with.size()) == 0; };
  if (begins(kElf)) out.sm = sm_of_cubin(image);
  else if (begins(kNvrtc)) out.sm = std::atoi(text + kNvrtc.size());
  else if (std::strstr(text, ".version")) return inspect_ptx(text, device_sm, out, why);
  else return CUDA_ERROR_INVALID_IMAGE;
  bool runs = out.sm / 10 == device_sm / 10 && out.sm <= device_sm;
  return runs ? CUDA_SUCCESS : CUDA_ERROR_NO_BINARY_FOR_GPU;
}

}  // namespace vt::doubles
