#include <gtest/gtest.h>

#include <thread>

#include "tests/contract/emulator/emulated.hpp"

namespace vt::test {

using nlohmann::json;

namespace {

const std::string kAll = Emulated::kInstances, kOne = kAll + "/vm1";

/// Waits until the thing's entry in the books satisfies `done`.
template <class Done>
json until(Emulated& e, const std::string& kind, const std::string& name, Done done) {
  json row;
  for (int tries = 0; tries < 500; ++tries) {
    row = e.thing(kind, name);
    if (row.is_object() && done(row)) return row;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  ADD_FAILURE() << kind << " " << name << ": " << row;
  return row;
}

json until_gone(Emulated& e, const std::string& kind, const std::string& name) {
  return until(e, kind, name, [](const json& row) { return row["gone"] != 0; });
}

std::string message(const Answer& answer) { return answer.body.value("/error/message"_json_pointer, ""); }

std::string fault(const char* kind, const char* call = "create") {
  return std::string(R"([{"api":"gcp","nth":1,"kind":")") + kind + R"(","call":")" + call + "\"}]";
}

}  // namespace

TEST(EmulatedInstances, LiveAndDieWithTheirDisk) {
  Emulated e;
  json op = e.finished(e.gcp("POST", kAll, instance_body("vm1")));
  EXPECT_FALSE(op.contains("error"));
  json vm = e.gcp("GET", kOne).body;
  EXPECT_EQ(vm["status"], "RUNNING");
  EXPECT_TRUE(vm["id"].is_string());
  EXPECT_EQ(vm["networkInterfaces"][0]["accessConfigs"][0]["natIP"].get<std::string>().substr(0, 4), "127.");
  EXPECT_EQ(e.gcp("GET", "zones/us-central1-b/disks/vm1").body["users"][0], vm["selfLink"]);
  until(e, "instance", "vm1", [](const json& row) { return row["ready"] != 0; });
  Answer first = e.gcp("DELETE", kOne);
  EXPECT_EQ(e.gcp("DELETE", kOne).status, 200) << "asking again changes nothing";
  e.finished(first);
  EXPECT_EQ(e.gcp("GET", kOne).status, 404);
  json gone = until_gone(e, "instance", "vm1");
  EXPECT_EQ(gone["end"], "deleted");
  EXPECT_EQ(gone["hourly"], 134'023 + 5'000);
  EXPECT_GE(gone["billed"], gone["hourly"].get<std::int64_t>() / 60);
  EXPECT_EQ(gone["requests"].size(), 3U);
  until_gone(e, "disk", "vm1");
  EXPECT_EQ(e.gcp("DELETE", kOne).status, 404);
}

TEST(EmulatedInstances, BodiesAreHeldAgainstTheFieldTables) {
  Emulated e;
  json body = instance_body("vm1");
  body["scheduling"]["maxRunTime"] = 5;
  Answer unknown = e.gcp("POST", kAll, body);
  EXPECT_EQ(unknown.status, 400);
  EXPECT_NE(message(unknown).find("Unknown name \"maxRunTime\" at 'resource.scheduling'"), std::string::npos) << message(unknown);
  body = instance_body("vm1");
  body["disks"][0]["initializeParams"]["diskSizeGb"] = "large";
  Answer wrong = e.gcp("POST", kAll, body);
  EXPECT_EQ(message(wrong), "Invalid value at 'resource.disks[0].initialize_params.disk_size_gb' (TYPE_INT64), \"large\"");
  body = instance_body("vm1");
  body.erase("machineType");
  EXPECT_NE(message(e.gcp("POST", kAll, body)).find("resource.machineType"), std::string::npos);
  EXPECT_EQ(e.gcp("POST", kAll, "{not json").status, 400);
}

TEST(EmulatedInstances, TheTrapsOfG4AreThere) {
  Emulated e;
  json body = g4_body("vm1");
  body["disks"][0]["initializeParams"].erase("diskType");
  EXPECT_EQ(message(e.gcp("POST", kAll, body)), "pd-standard disk type cannot be used by g4-standard-48 machine type.");
  body = g4_body("vm1");
  body.erase("scheduling");
  EXPECT_EQ(message(e.gcp("POST", kAll, body)), "Instances with guest accelerators do not support live migration.");
  body = g4_body("vm1");
  EXPECT_EQ(e.gcp("POST", "zones/us-central1-c/instances", body).status, 400) << "not offered there";
  body["scheduling"]["maxRunDuration"] = {{"seconds", "600"}};
  EXPECT_EQ(e.gcp("POST", kAll, body).status, 400) << "maxRunDuration needs an action";
  EXPECT_EQ(e.gcp("POST", kAll, g4_body("vm1")).status, 200);
}

TEST(EmulatedInstances, AStockOutIsToldByTheOperation) {
  Emulated e(fault("stockout"));
  json op = e.finished(e.gcp("POST", kAll, g4_body("vm1")));
  EXPECT_EQ(op["httpErrorStatusCode"], 503);
  json error = op["error"]["errors"][0];
  EXPECT_EQ(error["code"], "ZONE_RESOURCE_POOL_EXHAUSTED_WITH_DETAILS");
  EXPECT_EQ(error["errorDetails"][2]["errorInfo"]["metadatas"]["zonesAvailable"], "us-central1-a,us-central1-f");
  EXPECT_EQ(e.gcp("GET", kOne).status, 404);
  EXPECT_TRUE(e.thing("instance", "vm1").is_null());
  EXPECT_TRUE(e.thing("disk", "vm1").is_null());
}

TEST(EmulatedInstances, QuotaIsToldByTheOperationAndByTheProject) {
  Emulated e;
  json body = g4_body("vm0");
  body["machineType"] = "zones/us-central1-b/machineTypes/g4-standard-384";
  EXPECT_FALSE(e.finished(e.gcp("POST", kAll, body)).contains("error"));
  json op = e.finished(e.gcp("POST", kAll, g4_body("vm1")));
  EXPECT_EQ(op["httpErrorMessage"], "FORBIDDEN");
  EXPECT_EQ(op["error"]["errors"][0]["message"], "Quota 'NVIDIA_RTX_PRO_6000_GPUS' exceeded.  Limit: 8.0 in region us-central1.");
  json quota = e.send("GET", "/compute/v1/projects/p").body["quotas"][0];
  EXPECT_EQ(quota, json({{"metric", "GPUS_ALL_REGIONS"}, {"limit", 16.0}, {"usage", 8.0}}));
  EXPECT_EQ(e.gcp("GET", "regions/us-east1").body.dump().find("RTX_PRO"), std::string::npos) << "the metric is not told everywhere";
}

TEST(EmulatedInstances, ARequestIdIsGoodForOneInstance) {
  Emulated e;
  std::string id = "?requestId=6f1c3a52-2f43-4c28-a1b0-9d1a4f6f7a11";
  Answer first = e.gcp("POST", kAll + id, instance_body("vm1")), second = e.gcp("POST", kAll + id, instance_body("vm1"));
  EXPECT_EQ(first.body["id"], second.body["id"]);
  EXPECT_EQ(first.body["clientOperationId"], "6f1c3a52-2f43-4c28-a1b0-9d1a4f6f7a11");
  EXPECT_EQ(e.gcp("POST", kAll, instance_body("vm1")).status, 409);
  EXPECT_EQ(e.gcp("POST", kAll + "?requestId=1", instance_body("vm2")).status, 400);
  EXPECT_EQ(
      e.gcp("GET", "zones/us-central1-b/operations?filter=clientOperationId=6f1c3a52-2f43-4c28-a1b0-9d1a4f6f7a11").body["items"].size(),
      1U);
}

TEST(EmulatedInstances, ADiskOfTheSameNameIsAttachedWithoutAWord) {
  Emulated e;
  e.finished(e.gcp("POST", "zones/us-central1-b/disks", {{"name", "vm1"}, {"sizeGb", "77"}}));
  e.finished(e.gcp("POST", kAll, instance_body("vm1")));
  EXPECT_EQ(e.gcp("GET", kOne).body["disks"][0]["diskSizeGb"], "77");
  EXPECT_EQ(e.gcp("DELETE", "zones/us-central1-b/disks/vm1").status, 400) << "in use";
}

TEST(EmulatedInstances, EndByThemselvesAtTheirMaxRunDuration) {
  Emulated e;
  json body = instance_body("vm1");
  body["scheduling"] = {{"maxRunDuration", {{"seconds", "60"}}}, {"instanceTerminationAction", "DELETE"}, {"automaticRestart", false}};
  e.finished(e.gcp("POST", kAll, body));
  json gone = until_gone(e, "instance", "vm1");
  EXPECT_EQ(gone["end"], "expired");
  EXPECT_GE(gone["metered"], 60'000);
  EXPECT_EQ(until_gone(e, "disk", "vm1")["end"], "expired");
}

TEST(EmulatedInstances, PreemptionLeavesARecordAndAStoppedInstance) {
  Emulated e;
  json body = instance_body("vm1");
  body["scheduling"] = {{"provisioningModel", "SPOT"}, {"preemptible", true}, {"automaticRestart", false}};
  e.finished(e.gcp("POST", kAll, body));
  std::string id = e.thing("instance", "vm1")["id"];
  EXPECT_EQ(e.send("POST", "/emulator/preempt", {{"id", id}}).status, 200);
  json records = e.gcp("GET", "zones/us-central1-b/operations?filter=operationType=%22compute.instances.preempted%22").body["items"];
  ASSERT_EQ(records.size(), 1U);
  EXPECT_EQ(records[0]["targetId"], id);
  std::string status;
  for (int tries = 0; tries < 300 && status != "TERMINATED"; ++tries) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    status = e.gcp("GET", kOne).body["status"];
  }
  EXPECT_EQ(status, "TERMINATED");
  EXPECT_EQ(e.thing("instance", "vm1")["gone"], 0) << "its disk and name are still there";
  EXPECT_EQ(e.send("POST", "/emulator/preempt", {{"id", "1"}}).status, 404);
}

TEST(EmulatedInstances, FaultsOfTheirLives) {
  Emulated late(fault("late"), 0.01);
  EXPECT_EQ(late.gcp("POST", kAll, instance_body("vm1")).status, 200);
  EXPECT_EQ(late.gcp("GET", kOne).status, 404);
  for (int tries = 0; tries < 300 && late.gcp("GET", kOne).status != 200; ++tries)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  EXPECT_EQ(late.gcp("GET", kOne).status, 200);

  Emulated vanish(fault("vanish"));
  EXPECT_EQ(vanish.gcp("POST", kAll, instance_body("vm1")).status, 200);
  EXPECT_EQ(until_gone(vanish, "instance", "vm1")["end"], "vanished");

  Emulated undead(fault("undead", "delete"), 0.01);
  undead.finished(undead.gcp("POST", kAll, instance_body("vm1")));
  undead.finished(undead.gcp("DELETE", kOne));
  EXPECT_EQ(undead.gcp("GET", kOne).status, 200) << "answered, but it is still there";
  until_gone(undead, "instance", "vm1");
}

TEST(EmulatedInstances, LabelsAndMetadataNeedTheirFingerprint) {
  Emulated e;
  e.finished(e.gcp("POST", kAll, instance_body("vm1")));
  json vm = e.gcp("GET", kOne).body, labels = {{"labels", {{"x", "y"}}}, {"labelFingerprint", vm["labelFingerprint"]}};
  EXPECT_EQ(e.gcp("POST", kOne + "/setLabels", labels).status, 200);
  EXPECT_EQ(e.gcp("POST", kOne + "/setLabels", labels).status, 412) << "the fingerprint has changed";
  EXPECT_EQ(e.thing("instance", "vm1")["marks"], json({{"x", "y"}}));
  EXPECT_EQ(e.gcp("POST", kOne + "/setMetadata", {{"items", json::array()}}).status, 412);
}

TEST(EmulatedInstances, AStrangersAreInTheListAndInTheBooks) {
  Emulated e;
  Answer made =
      e.send("POST", "/emulator/foreign", {{"api", "gcp"}, {"project", "p"}, {"name", "theirs"}, {"labels", {{"vt-install", "other"}}}});
  ASSERT_EQ(made.status, 201) << made.reply.body;
  EXPECT_EQ(e.gcp("GET", kAll).body["items"][0]["name"], "theirs");
  EXPECT_EQ(e.thing("instance", "theirs")["foreign"], true);
}

}  // namespace vt::test
