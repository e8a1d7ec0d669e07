#include "providers/gcp/wish.hpp"

#include <gtest/gtest.h>

#include "tests/unit/gcp/fake_cloud.hpp"

using namespace vt;
using namespace vt::gcp;
using vt::test::layer;

namespace {

std::string problem(Options options) {
  auto wish = wish_of(layer(std::move(options)));
  return wish ? "" : wish.error().what;
}

TEST(GcpWish, FillsWhatTheLayerLeavesOut) {
  auto wish = wish_of(layer());
  ASSERT_TRUE(wish) << wish.error().what;
  EXPECT_EQ(wish->image, "projects/ubuntu-os-accelerator-images/global/images/family/ubuntu-accelerator-2404-amd64-with-nvidia-580");
  EXPECT_EQ(wish->disk_type, "hyperdisk-balanced");
  EXPECT_EQ(wish->disk_gb, 100);
  EXPECT_EQ(wish->network, "default");
  EXPECT_EQ(wish->user, "vault");
  EXPECT_TRUE(wish->public_address);
  EXPECT_EQ(wish->gpu_metric(), "NVIDIA_RTX_PRO_6000_GPUS");

  auto plain = wish_of(layer({{"machine", {"e2-micro"}}, {"market", {}}}));
  ASSERT_TRUE(plain) << plain.error().what;
  EXPECT_EQ(plain->image, "projects/debian-cloud/global/images/family/debian-12");
  EXPECT_EQ(plain->disk_type, "pd-balanced");
  EXPECT_EQ(plain->markets, std::vector<std::string>{"on-demand"});
  EXPECT_EQ(plain->gpu_metric(), "");
}

TEST(GcpWish, NamesImagesInEveryForm) {
  for (auto& [written, path] :
       std::map<std::string, std::string>{{"debian-cloud/debian-12", "projects/debian-cloud/global/images/family/debian-12"},
                                          {"golden", "projects/p/global/images/family/golden"},
                                          {"global/images/golden-7", "projects/p/global/images/golden-7"},
                                          {"projects/q/global/images/golden-7", "projects/q/global/images/golden-7"},
                                          {"projects/q/global/images/family/golden", "projects/q/global/images/family/golden"}}) {
    auto wish = wish_of(layer({{"image", {written}}}));
    ASSERT_TRUE(wish) << written << ": " << wish.error().what;
    EXPECT_EQ(wish->image, path);
  }
}

TEST(GcpWish, RefusesWhatCannotBe) {
  EXPECT_NE(problem({{"machine", {"../x"}}}), "");
  EXPECT_NE(problem({{"zones", {"us-central1"}}}), "");
  EXPECT_NE(problem({{"zones", {}}}), "");
  EXPECT_NE(problem({{"zones", {"us-central1-b", "us-central1-b"}}}), "");
  EXPECT_NE(problem({{"market", {"cheap"}}}), "");
  EXPECT_NE(problem({{"image", {"a/b/c"}}}), "");
  EXPECT_NE(problem({{"image", {"../secret"}}}), "");
  EXPECT_NE(problem({{"disk", {"100"}}}), "");
  EXPECT_NE(problem({{"disk", {"5 GB"}}}), "");
  EXPECT_NE(problem({{"public-address", {"maybe"}}}), "");
  EXPECT_NE(problem({{"user", {"root"}}}), "");
  EXPECT_NE(problem({{"count", {"0"}}}), "");
  EXPECT_NE(problem({{"accelerator", {"nvidia-tesla-t4"}}}), "") << "a G4 brings its GPU";
  EXPECT_NE(problem({{"machine", {"n1-standard-4"}}, {"accelerator", {"nvidia-tesla-t4:3"}}}), "");
  EXPECT_EQ(problem({{"disk-type", {"pd-balanced"}}}),
            "disk-type \"pd-balanced\" cannot be; expected hyperdisk-balanced: g4 machines take no Persistent Disk");
}

TEST(GcpWish, AttachesAcceleratorsToN1Only) {
  auto wish = wish_of(layer({{"machine", {"n1-standard-4"}}, {"accelerator", {"nvidia-tesla-t4:2"}}}));
  ASSERT_TRUE(wish) << wish.error().what;
  EXPECT_EQ(wish->accelerators, (std::vector<Accelerator>{{"nvidia-tesla-t4", 2}}));
  EXPECT_EQ(wish->gpus(), 2);
  EXPECT_EQ(wish->gpu_metric(), "NVIDIA_T4_GPUS");
  EXPECT_EQ(wish->disk_gb, 100) << "a driver needs room there too";
}

TEST(GcpWish, AProjectThatWasNotSetIsNone) {
  EXPECT_EQ(project_of(layer()).value_or(""), "p");
  EXPECT_FALSE(project_of(layer({{"project", {"${env.GCP_PROJECT}"}}})));
  EXPECT_TRUE(wish_of(layer({{"project", {"${env.GCP_PROJECT}"}}}))) << "a forecast needs no project";
}

TEST(GcpMachine, KnowsQuotasOfEveryFamily) {
  for (auto& [type, metric] : std::map<std::string, std::string>{{"g4-standard-96", "NVIDIA_RTX_PRO_6000_GPUS"},
                                                                 {"g2-standard-4", "NVIDIA_L4_GPUS"},
                                                                 {"a2-highgpu-1g", "NVIDIA_A100_GPUS"},
                                                                 {"a2-ultragpu-1g", "NVIDIA_A100_80GB_GPUS"},
                                                                 {"a3-highgpu-8g", "NVIDIA_H100_GPUS"},
                                                                 {"a3-megagpu-8g", "NVIDIA_H100_MEGA_GPUS"},
                                                                 {"a3-ultragpu-8g", "NVIDIA_H200_GPUS"},
                                                                 {"a4-highgpu-8g", "NVIDIA_B200_GPUS"}}) {
    auto machine = machine_of(type);
    EXPECT_EQ(machine.gpu_metric, metric) << type;
    EXPECT_TRUE(machine.brings_gpu) << type;
    EXPECT_EQ(machine.cpu_metric, "") << type;
  }
  EXPECT_EQ(machine_of("n2-standard-4").cpu_metric, "N2_CPUS");
  EXPECT_EQ(machine_of("e2-micro").cpu_metric, "CPUS");
  EXPECT_EQ(machine_of("g2-standard-48").gpus, 4);
  EXPECT_EQ(machine_of("g4-standard-12").gpus, 0) << "a quarter of one";
}

}  // namespace
