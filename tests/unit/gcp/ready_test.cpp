#include "providers/gcp/ready.hpp"

#include <gtest/gtest.h>

#include "providers/gcp/host_key.hpp"
#include "providers/ssh_keys.hpp"
#include "tests/unit/gcp/fake_cloud.hpp"

using namespace vt;
using nlohmann::json;
using test::FakeCloud;

namespace {

constexpr const char* kOperations = "GET projects/p/zones/us-central1-b/operations?*clientOperationId*";
constexpr const char* kEndings = "GET projects/p/zones/us-central1-b/operations?*targetId*";
constexpr const char* kInstance = "GET projects/p/zones/us-central1-b/instances/vt-abcdefgh-qrstuvwxyz234567";
constexpr const char* kKeys = "GET */getGuestAttributes?queryPath=hostkeys/";

json list(const json& items) { return {{"kind", "compute#operationList"}, {"items", items}}; }
json instance(const std::string& status) {
  return {{"id", "1234"},
          {"status", status},
          {"networkInterfaces", json::array({{{"networkIP", "10.0.0.2"}, {"accessConfigs", json::array({{{"natIP", "127.0.0.1"}}})}}})}};
}

Error wait(FakeCloud& cloud, Duration time = Duration{30}) {
  auto ready = cloud.provider()->wait_ready(test::layer(), test::row(cloud), Deadline::after(time));
  return ready ? Error{Errc::internal, "ready"} : ready.error();
}

TEST(GcpReady, AStockOutInTheOperationMovesItsZonesToTheFront) {
  FakeCloud cloud;
  auto failed = test::operation("ZONE_RESOURCE_POOL_EXHAUSTED", "no capacity");
  failed["error"]["errors"][0]["errorDetails"] =
      json::parse(R"([{"errorInfo": {"metadatas": {"zonesAvailable": "us-central1-f,us-west1-a"}}}])");
  cloud.on(kOperations, 200, list(json::array({failed})));
  auto provider = cloud.provider();
  auto ready = provider->wait_ready(test::layer(), test::row(cloud), Deadline::after(Duration{100}));
  ASSERT_FALSE(ready);
  EXPECT_EQ(ready.error().code, Errc::capacity);
  std::vector<Candidate> left;
  for (auto& [market, zone] : std::vector<std::pair<std::string, std::string>>{
           {"spot", "us-east1-b"}, {"spot", "us-west1-a"}, {"on-demand", "us-east1-b"}, {"on-demand", "us-central1-f"}}) {
    left.emplace_back().machine = "g4-standard-48";
    left.back().market = market, left.back().zone = zone;
  }
  provider->reorder(left);
  EXPECT_EQ(left[0].zone, "us-west1-a");
  EXPECT_EQ(left[1].market, "spot") << "a dearer market stays behind";
  EXPECT_EQ(left[2].zone, "us-central1-f");
}

TEST(GcpReady, AnInstanceThatGoesWithItsOperationIsNotLost) {
  FakeCloud cloud;
  auto begun = test::operation();
  begun["status"] = "RUNNING";
  cloud.on(kOperations, 200, list(json::array({begun})));
  cloud.on(kOperations, 200, list(json::array({begun})));
  cloud.on(kOperations, 200, list(json::array({test::operation("ZONE_RESOURCE_POOL_EXHAUSTED", "no capacity")})));
  cloud.on(kEndings, 200, list(json::array()));
  cloud.on(kInstance, 200, instance("PROVISIONING"));
  cloud.on(kInstance, 404, test::api_error(404, "notFound", "gone"));
  EXPECT_EQ(wait(cloud, Duration{5000}).code, Errc::capacity);
}

TEST(GcpReady, OtherFailuresOfTheOperationAreTyped) {
  for (auto& [code, expected] : std::map<std::string, Errc>{{"Quota 'GPUS_ALL_REGIONS' exceeded.", Errc::quota},
                                                            {"Quota 'NVIDIA_L4_GPUS' exceeded.", Errc::region_quota}}) {
    FakeCloud cloud;
    cloud.on(kOperations, 200, list(json::array({test::operation("QUOTA_EXCEEDED", code)})));
    EXPECT_EQ(wait(cloud).code, expected);
  }
  FakeCloud cloud;
  cloud.on(kOperations, 200, list(json::array({test::operation("RESOURCE_NOT_READY", "later")})));
  EXPECT_EQ(wait(cloud, Duration{5000}).code, Errc::timeout) << "at once, not at the deadline";
  EXPECT_EQ(cloud.count(kOperations), 1);
}

TEST(GcpReady, APreemptedMachineIsLostAndSaysWhy) {
  for (auto& [operation, words] : std::map<std::string, std::string>{{"compute.instances.preempted", "preempted by Compute Engine at 2026"},
                                                                     {"compute.instances.hostError", "error of Compute Engine's host"},
                                                                     {"compute.instances.automatedDelete", "end of its lease"},
                                                                     {"delete", "deleted on request"}}) {
    FakeCloud cloud;
    cloud.on(kOperations, 200, list(json::array({test::operation()})));
    cloud.on(kInstance, 200, instance("STOPPING"));
    cloud.on(kEndings, 200,
             list({{{"targetId", "1234"}, {"operationType", "insert"}},
                   {{"targetId", "1234"}, {"operationType", operation}, {"insertTime", "2026-11-20T00:00:00Z"}},
                   {{"targetId", "99"}, {"operationType", "compute.instances.preempted"}}}));
    auto error = wait(cloud);
    EXPECT_EQ(error.code, Errc::lost) << operation;
    EXPECT_NE(error.what.find(words), std::string::npos) << error.what;
    auto fate = cloud.provider()->fate(test::row(cloud));
    ASSERT_TRUE(fate);
    EXPECT_NE(fate->find(words), std::string::npos);
  }
}

TEST(GcpReady, NotShownYetIsNotLost) {
  FakeCloud cloud;
  cloud.on(kOperations, 200, list(json::array({test::operation()})));
  cloud.on(kEndings, 200, list(json::array()));
  EXPECT_EQ(wait(cloud).code, Errc::timeout);
  cloud.on(kInstance, 200, instance("STAGING"));
  cloud.on(kInstance, 404, test::api_error(404, "notFound", "gone"));
  EXPECT_EQ(wait(cloud).code, Errc::lost) << "it was there";
}

TEST(GcpReady, SaysHowFarItCame) {
  FakeCloud cloud;
  cloud.on("GET */operations?*", 200, list(json::array()));
  EXPECT_NE(wait(cloud).what.find("not there yet"), std::string::npos);
  cloud.on(kInstance, 200, instance("STAGING"));
  EXPECT_NE(wait(cloud).what.find("STAGING"), std::string::npos);
  FakeCloud running;
  running.on("GET */operations?*", 200, list(json::array()));
  running.on(kInstance, 200, instance("RUNNING"));
  EXPECT_NE(wait(running).what.find("host key"), std::string::npos);
  EXPECT_EQ(running.provider()->fate(test::row(running)).value_or("error"), "");
}

TEST(GcpReady, ARehearsalEntersNoForeignHost) {
  FakeCloud cloud;
  cloud.context.cloud.reach = HttpRules::Reach::loopback;
  cloud.on("GET */operations?*", 200, list(json::array()));
  auto foreign = instance("RUNNING");
  foreign["networkInterfaces"][0]["accessConfigs"][0]["natIP"] = "192.0.2.7";
  cloud.on(kInstance, 200, foreign);
  auto error = wait(cloud, Duration{5000});
  EXPECT_EQ(error.code, Errc::refused) << error.what;
  EXPECT_EQ(cloud.count(kKeys), 0);
}

TEST(GcpReady, LostRepliesAreAskedForAgain) {
  FakeCloud cloud;
  cloud.lose(kOperations, true);
  cloud.on(kOperations, 200, list(json::array({test::operation("QUOTA_EXCEEDED", "Quota 'GPUS_ALL_REGIONS' exceeded.")})));
  EXPECT_EQ(wait(cloud, Duration{5000}).code, Errc::quota);
}

TEST(GcpHostKey, IsTheFingerprintOfWhatTheGuestPublished) {
  FakeCloud cloud;
  auto key = new_ssh_key("host");
  ASSERT_TRUE(key);
  auto base64 = key->public_line.substr(12, key->public_line.find(' ', 12) - 12);
  cloud.on(kKeys, 200,
           {{"queryValue",
             {{"items", json::array({{{"namespace", "hostkeys"}, {"key", "ssh-rsa"}, {"value", "AAAA"}},
                                     {{"namespace", "hostkeys"}, {"key", "ssh-ed25519"}, {"value", base64 + "\n"}}})}}}});
  auto found = gcp::host_key(cloud.api(), test::row(cloud));
  ASSERT_TRUE(found && *found) << found.error().what;
  EXPECT_EQ(**found, key->fingerprint);
}

TEST(GcpHostKey, NotYetIsNoErrorAndRubbishIsOne) {
  FakeCloud nothing;
  auto yet = gcp::host_key(nothing.api(), test::row(nothing));
  ASSERT_TRUE(yet);
  EXPECT_FALSE(*yet);
  for (auto rubbish : {"", "AAAA", "AAAAB3NzaC1yc2EAAAADAQABAAAAgQ==", "!!!!"}) {
    FakeCloud cloud;
    cloud.on(kKeys, 200, {{"queryValue", {{"items", json::array({{{"key", "ssh-ed25519"}, {"value", rubbish}}})}}}});
    EXPECT_EQ(gcp::host_key(cloud.api(), test::row(cloud)).error().code, Errc::host_key) << rubbish;
  }
}

}  // namespace
