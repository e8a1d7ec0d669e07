#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "orchestrator/model/text.hpp"
#include "providers/emulator/emulator.hpp"
#include "tests/support/temp_dir.hpp"

// Google's own client is satisfied by the emulated Compute Engine.
namespace vt::test {

using nlohmann::json;

namespace {

class Gcloud : public ::testing::Test {
 protected:
  void SetUp() override {
    if (shell("command -v gcloud >/dev/null") != 0) GTEST_SKIP() << "gcloud is not installed";
    emulator::Options options;
    options.folder = folder_ / "emulator", options.pace = 0.01, options.hosts = emulator::HostKind::none, options.any_token = true;
    auto started = emulator::Emulator::start(options);
    ASSERT_TRUE(started) << started.error().what;
    emulator_ = std::move(started).take();
  }

  /// `gcloud compute …`; its exit status. What it prints is in out() and err().
  int gcloud(const std::string& arguments) {
    return shell("env -i PATH=\"$PATH\" HOME=" + shell_quote(folder_.path()) + " CLOUDSDK_CONFIG=" + shell_quote(folder_ / "config") +
                 " CLOUDSDK_API_ENDPOINT_OVERRIDES_COMPUTE=" + emulator_->address() + "/compute/v1/ CLOUDSDK_AUTH_ACCESS_TOKEN=any" +
                 " CLOUDSDK_CORE_PROJECT=p CLOUDSDK_CORE_DISABLE_PROMPTS=1 CLOUDSDK_CORE_DISABLE_USAGE_REPORTING=1" +
                 " CLOUDSDK_COMPONENT_MANAGER_DISABLE_UPDATE_CHECK=1 gcloud compute " + arguments + " --format=json >" +
                 shell_quote(folder_ / "out") + " 2>" + shell_quote(folder_ / "err"));
  }
  /// The same, and what it printed as JSON.
  json result(const std::string& arguments) {
    EXPECT_EQ(gcloud(arguments), 0) << arguments << ": " << err();
    return json::parse(read_file(folder_ / "out"), nullptr, false);
  }
  [[nodiscard]] std::string err() const { return read_file(folder_ / "err"); }

  TempDir folder_;
  std::unique_ptr<emulator::Emulator> emulator_;
};

}  // namespace

TEST_F(Gcloud, CreatesListsDescribesAndDeletesAnInstance) {
  json made = result("instances create vm1 --machine-type=e2-standard-4 --zone=us-central1-b --labels=run=abc");
  ASSERT_EQ(made.size(), 1U);
  EXPECT_EQ(made[0]["status"], "RUNNING");
  json listed = result("instances list --filter=labels.run=abc");
  ASSERT_EQ(listed.size(), 1U);
  EXPECT_EQ(listed[0]["id"], made[0]["id"]);
  EXPECT_EQ(result("instances describe vm1 --zone=us-central1-b")["networkInterfaces"][0]["name"], "nic0");
  result("instances add-metadata vm1 --zone=us-central1-b --metadata=a=b");
  EXPECT_EQ(result("instances describe vm1 --zone=us-central1-b")["metadata"]["items"][0], json({{"key", "a"}, {"value", "b"}}));
  EXPECT_EQ(gcloud("instances create vm1 --machine-type=e2-standard-4 --zone=us-central1-b"), 1);
  EXPECT_NE(err().find("already exists"), std::string::npos) << err();
  result("instances delete vm1 --zone=us-central1-b --quiet");
  EXPECT_EQ(result("instances list"), json::array());
  EXPECT_EQ(gcloud("instances describe vm1 --zone=us-central1-b"), 1);
  EXPECT_NE(err().find("was not found"), std::string::npos) << err();
}

TEST_F(Gcloud, CreatesG4SpotTheWayItShouldBeDone) {
  json made = result(
      "instances create gpu --machine-type=g4-standard-48 --zone=us-central1-b --provisioning-model=SPOT --max-run-duration=2h "
      "--instance-termination-action=DELETE --boot-disk-type=hyperdisk-balanced --boot-disk-size=100GB "
      "--image-family=ubuntu-accelerator-2404-amd64-with-nvidia-580 --image-project=ubuntu-os-accelerator-images");
  ASSERT_EQ(made.size(), 1U);
  EXPECT_EQ(made[0]["scheduling"]["provisioningModel"], "SPOT");
  EXPECT_EQ(made[0]["scheduling"]["maxRunDuration"]["seconds"], "7200");
  EXPECT_EQ(gcloud("instances create gpu2 --machine-type=g4-standard-48 --zone=us-central1-b --maintenance-policy=TERMINATE"), 1);
  EXPECT_NE(err().find("pd-standard disk type cannot be used by g4-standard-48"), std::string::npos) << err();
}

TEST_F(Gcloud, CreatesFindsListsAndDeletesAnImage) {
  result("instances create vm1 --machine-type=e2-standard-4 --zone=us-central1-b");
  EXPECT_EQ(gcloud("images create img1 --source-disk=vm1 --source-disk-zone=us-central1-b"), 1) << "its disk is in use";
  result("images create img1 --source-disk=vm1 --source-disk-zone=us-central1-b --family=fam --force");
  EXPECT_EQ(result("images describe-from-family fam")["name"], "img1");
  json listed = result("images list --no-standard-images");
  ASSERT_EQ(listed.size(), 1U);
  EXPECT_EQ(listed[0]["family"], "fam");
  result("images delete img1 --quiet");
  EXPECT_EQ(gcloud("images describe img1"), 1);
}

TEST_F(Gcloud, WorksOnTwoInstancesAtOnceThroughABatch) {
  json made = result("instances create a1 b1 --machine-type=e2-small --zone=us-central1-b");
  EXPECT_EQ(made.size(), 2U);
  result("instances delete a1 b1 --zone=us-central1-b --quiet");
  EXPECT_EQ(result("instances list"), json::array());
}

TEST_F(Gcloud, ReadsTheCatalogue) {
  EXPECT_EQ(result("machine-types describe g4-standard-48 --zone=us-central1-b")["guestCpus"], 48);
  EXPECT_EQ(result("regions describe us-central1")["status"], "UP");
  EXPECT_FALSE(result("zones list").empty());
}

}  // namespace vt::test
