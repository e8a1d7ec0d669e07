#include <gtest/gtest.h>

#include "kernels/pattern.hpp"
#include "remote-agent/gpu/open.hpp"

namespace vt::gpu {
namespace {

using kernels::u64;

class CpuKernels : public testing::Test {
 protected:
  static constexpr u64 kWords = 10'000, kSeed = 5;
  u64 wrong() {
    auto report = device_->allocate(sizeof(kernels::Miscompares));
    EXPECT_TRUE(
        device_->launch(VT_NAMED(vt_verify_words), {kWords}, {}, words_.as<u64>(), kWords, kSeed, report->as<kernels::Miscompares>()));
    return report->as<kernels::Miscompares>()->count;
  }

  std::unique_ptr<Device> device_ = open_cpu();
  Buffer words_ = std::move(device_->allocate(kWords * sizeof(u64))).take();
};

TEST_F(CpuKernels, ComputeWhatTheyComputeOnAGpu) {
  ASSERT_TRUE(device_->launch(VT_NAMED(vt_fill_words), {kWords}, {}, words_.as<u64>(), kWords, kSeed));
  EXPECT_EQ(wrong(), 0U);
  EXPECT_EQ(words_.as<u64>()[kWords - 1], kernels::word_at(kSeed, kWords - 1));
  ASSERT_TRUE(device_->launch(VT_NAMED(vt_flip_bit), {1}, {}, words_.as<u64>(), u64{77}, u64{3}));
  EXPECT_EQ(wrong(), 1U);
}

}  // namespace
}  // namespace vt::gpu
