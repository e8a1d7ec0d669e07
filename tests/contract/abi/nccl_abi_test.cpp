// Ours of NCCL against nccl.h and against the library.
#include "remote-agent/gpu/nccl_abi.hpp"

#include "remote-agent/gpu/nccl.hpp"
#include "tests/contract/abi/alike.hpp"
#include "tests/contract/abi/vendor.hpp"

using namespace vt;
namespace nccl = gpu::nccl;

#ifdef VT_NCCL_H
#include <nccl.h>

template <>
constexpr bool vt::test::kBeginning<nccl::Config> = true;

namespace {

#define VT_SAME(returned, name, ...) static_assert(test::kSameCall<decltype(nccl::Functions::name), decltype(&::name)>, #name);
VT_NCCL_FUNCTIONS(VT_SAME)
VT_NCCL_OPTIONAL_FUNCTIONS(VT_SAME)
#undef VT_SAME

static_assert(sizeof(nccl::Id) == sizeof(ncclUniqueId) && alignof(nccl::Id) == alignof(ncclUniqueId));
VT_SAME_MEMBER(nccl::Config, size, ncclConfig_t, size);
VT_SAME_MEMBER(nccl::Config, magic, ncclConfig_t, magic);
VT_SAME_MEMBER(nccl::Config, version, ncclConfig_t, version);
VT_SAME_MEMBER(nccl::Config, blocking, ncclConfig_t, blocking);
VT_SAME_MEMBER(nccl::Config, undefined, ncclConfig_t, cgaClusterSize);
VT_SAME_VALUE(nccl::kSuccess, ncclSuccess);
VT_SAME_VALUE(nccl::kUnhandledCuda, ncclUnhandledCudaError);
VT_SAME_VALUE(nccl::kSystem, ncclSystemError);
VT_SAME_VALUE(nccl::kInternal, ncclInternalError);
VT_SAME_VALUE(nccl::kInvalidArgument, ncclInvalidArgument);
VT_SAME_VALUE(nccl::kInvalidUsage, ncclInvalidUsage);
VT_SAME_VALUE(nccl::kRemote, ncclRemoteError);
VT_SAME_VALUE(nccl::kInProgress, ncclInProgress);
VT_SAME_VALUE(gpu::Element::bytes, ncclUint8);
VT_SAME_VALUE(gpu::Element::int32, ncclInt32);
VT_SAME_VALUE(gpu::Element::float32, ncclFloat32);
VT_SAME_VALUE(gpu::Reduction::sum, ncclSum);
VT_SAME_VALUE(gpu::Reduction::max, ncclMax);
VT_SAME_VALUE(gpu::Reduction::min, ncclMin);

TEST(NcclAbi, TheConfigurationIsWhatTheInitializerMakes) {
  ncclConfig_t theirs = NCCL_CONFIG_INITIALIZER;
  nccl::Config ours;
  EXPECT_EQ(ours.magic, theirs.magic);
  EXPECT_EQ(ours.undefined, theirs.cgaClusterSize);
  EXPECT_EQ(ours.version, NCCL_VERSION(2, 14, 0));
  EXPECT_LE(ours.size, theirs.size);
}

TEST(NcclAbi, ConstantsOfTheDoubleAreThoseOfTheHeader) { test::expect_same_constants("nccl", VT_NCCL_H, {"nccl"}); }

}  // namespace
#else
TEST(NcclAbi, TheConfigurationIsWhatTheInitializerMakes) { GTEST_SKIP() << "there was no nccl.h"; }
TEST(NcclAbi, ConstantsOfTheDoubleAreThoseOfTheHeader) { GTEST_SKIP() << "there was no nccl.h"; }
#endif

TEST(NcclAbi, EveryFunctionIsInTheLibrary) {
  VT_OPEN_VENDOR(library, "libnccl.so.2");
#define VT_NAME(returned, name, ...) #name,
  EXPECT_EQ(test::missing_in(*library, {VT_NCCL_FUNCTIONS(VT_NAME) VT_NCCL_OPTIONAL_FUNCTIONS(VT_NAME)}), "");
#undef VT_NAME
}

/// What needs no GPU, called by our types.
TEST(NcclAbi, TheLibraryAnswersOurCalls) {
  VT_OPEN_VENDOR(library, "libnccl.so.2");
  auto opened = gpu::Nccl::open();
  ASSERT_TRUE(opened) << opened.error().what;
  EXPECT_TRUE(opened->version().starts_with("2.")) << opened->version();
  auto text = library->function<decltype(nccl::Functions::ncclGetErrorString)>("ncclGetErrorString");
  EXPECT_STREQ(text(nccl::kRemote), "remote process exited or there was a network error");
}
