// Ours of NVRTC against nvrtc.h and against the library.
#include "remote-agent/gpu/nvrtc_abi.hpp"
#include "tests/contract/abi/alike.hpp"
#include "tests/contract/abi/vendor.hpp"

using namespace vt;

#ifdef VT_NVRTC_H
#include <nvrtc.h>

namespace {
#define VT_SAME(name, ...) static_assert(test::kSameCall<decltype(gpu::nvrtc::Functions::name), decltype(&::name)>, #name);
VT_NVRTC_FUNCTIONS(VT_SAME)
#undef VT_SAME
VT_SAME_VALUE(0, NVRTC_SUCCESS);
}  // namespace

TEST(NvrtcAbi, IsThatOfTheHeader) { SUCCEED() << "it would not have been compiled"; }
#else
TEST(NvrtcAbi, IsThatOfTheHeader) { GTEST_SKIP() << "there was no nvrtc.h"; }
#endif

TEST(NvrtcAbi, EveryFunctionIsInTheLibrary) {
  VT_OPEN_VENDOR(library, "libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2");
#define VT_NAME(name, ...) #name,
  EXPECT_EQ(test::missing_in(*library, {VT_NVRTC_FUNCTIONS(VT_NAME)}), "");
#undef VT_NAME
}
