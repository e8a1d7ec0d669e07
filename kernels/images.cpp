#include "kernels/images.hpp"

#include <iterator>

// What the build made, as bytes in the read-only section: a zero after each, because the driver reads PTX as a C string.
#define VT_BYTES(symbol, file)         \
  asm(".pushsection .rodata\n"         \
      ".balign 64\n" #symbol           \
      ":\n"                            \
      ".incbin \"" file "\"\n" #symbol \
      "_end: .byte 0\n"                \
      ".popsection\n")

// The list is read several times: for its bytes, their names, and the table.
#define VT_COMPILER(version)
#define VT_SOURCE(file) VT_BYTES(vt_kernel_source, file);
#define VT_IMAGE(sm, ptx, file) VT_BYTES(vt_kernel_image_##sm##_##ptx, file);
#include VT_IMAGES
#undef VT_SOURCE
#undef VT_IMAGE

#define VT_SOURCE(file) extern const char vt_kernel_source[], vt_kernel_source_end[];
#define VT_IMAGE(sm, ptx, file) extern const char vt_kernel_image_##sm##_##ptx[], vt_kernel_image_##sm##_##ptx##_end[];
extern "C" {
#include VT_IMAGES
}
#undef VT_COMPILER
#undef VT_SOURCE
#undef VT_IMAGE

namespace vt::kernels {

namespace {

std::string_view between(const char* begin, const char* end) { return {begin, static_cast<std::size_t>(end - begin)}; }

}  // namespace

std::span<const Image> images() {
#define VT_COMPILER(version)
#define VT_SOURCE(file)
#define VT_IMAGE(sm, ptx, file) {sm, ptx, between(vt_kernel_image_##sm##_##ptx, vt_kernel_image_##sm##_##ptx##_end)},
  static const Image all[] = {
#include VT_IMAGES
      {0, false, {}}};  // so that it is an array also without images
#undef VT_COMPILER
#undef VT_SOURCE
#undef VT_IMAGE
  return {all, std::size(all) - 1};
}

std::string_view compiler() {
#define VT_COMPILER(version) version
#define VT_SOURCE(file)
#define VT_IMAGE(sm, ptx, file)
  return
#include VT_IMAGES
      ;
}

std::string_view source() { return between(vt_kernel_source, vt_kernel_source_end); }

}  // namespace vt::kernels
