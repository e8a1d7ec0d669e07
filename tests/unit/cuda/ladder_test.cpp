#include <gtest/gtest.h>

#include <cstdlib>
#include <vector>

#include "remote-agent/gpu/kernel_loading.hpp"

namespace vt::gpu {
namespace {

const std::vector<kernels::Image> kImages = {{75, false, ""},  {80, false, ""},  {86, false, ""}, {90, false, ""},
                                             {100, false, ""}, {120, false, ""}, {75, true, ""},  {90, true, ""}};

int native(int sm) {
  const auto* image = native_image(kImages, sm);
  return image ? image->sm : 0;
}
int ptx(int sm) {
  const auto* image = ptx_image(kImages, sm);
  return image ? image->sm : 0;
}

TEST(Ladder, MachineCodeRunsOnItsMajorVersionFromItsMinorOneOn) {
  EXPECT_EQ(native(75), 75);
  EXPECT_EQ(native(86), 86);
  EXPECT_EQ(native(87), 86);
  EXPECT_EQ(native(89), 86);
  EXPECT_EQ(native(103), 100);
  EXPECT_EQ(native(120), 120);
  EXPECT_EQ(native(121), 120);
}

TEST(Ladder, MachineCodeOfAnotherMajorVersionIsNoChoice) {
  EXPECT_EQ(native(70), 0);
  EXPECT_EQ(native(110), 0) << "10.x and 12.x do not run on 11.x";
  EXPECT_EQ(native(130), 0);
}

TEST(Ladder, PtxIsTheNewestThatIsNotNewerThanTheDevice) {
  EXPECT_EQ(ptx(70), 0);
  EXPECT_EQ(ptx(75), 75);
  EXPECT_EQ(ptx(89), 75);
  EXPECT_EQ(ptx(120), 90);
}

TEST(Ladder, NothingIsChosenFromNothing) {
  EXPECT_EQ(native_image({}, 120), nullptr);
  EXPECT_EQ(ptx_image({}, 120), nullptr);
}

TEST(Ladder, TheUserMayChooseARung) {
  auto chosen = [](const char* name) {
    setenv("VT_RUNG", name, 1);
    auto out = chosen_rung();
    unsetenv("VT_RUNG");
    return out;
  };
  EXPECT_EQ(chosen("native"), Rung::native);
  EXPECT_EQ(chosen("nvrtc"), Rung::nvrtc);
  EXPECT_EQ(chosen("ptx"), Rung::ptx);
  EXPECT_EQ(chosen("fastest"), Rung::any);
  EXPECT_EQ(chosen_rung(), Rung::any);
}

}  // namespace
}  // namespace vt::gpu
