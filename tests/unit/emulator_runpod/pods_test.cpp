#include "tests/unit/emulator_runpod/emulated_runpod.hpp"

// Pods over HTTP, as any client of REST v2 sees them.
namespace vt::test {

namespace {

std::string detail(const Answer& answer) { return answer.body.value("detail", ""); }
constexpr const char* kNoCapacity =
    "There are no longer any instances available with the requested specifications. Please refresh and try again.";

TEST(RunpodPods, GoFromProvisioningToAPort) {
  EmulatedRunpod runpod("", 0.02);
  auto made = runpod.send("POST", "pods", pod_body());
  ASSERT_EQ(made.status, 201) << made.reply.body;
  EXPECT_EQ(made.body["status"], "PROVISIONING");
  EXPECT_TRUE(made.body["ssh"]["direct"].is_null());
  EXPECT_TRUE(made.body["runtime"].is_null());
  EXPECT_TRUE(made.body["startedAt"].is_null());
  EXPECT_EQ(made.body["env"]["SECRET"], "s") << "variables are shown to whoever holds the key";
  std::string id = made.body["id"];
  runpod.wait(id, [](auto& pod) { return pod["status"] == "STARTING"; });
  auto running = runpod.wait(id, [](auto& pod) { return pod["status"] == "RUNNING"; });
  EXPECT_EQ(running["actions"], json({"stop", "restart", "terminate"}));
  auto ready = runpod.wait(id, has_port);
  EXPECT_EQ(ready["ssh"]["direct"]["host"], "127.0.0.1");
  EXPECT_EQ(ready["ssh"]["direct"]["username"], "root");
  EXPECT_EQ(ready["runtime"]["gpus"].size(), 1U);
  EXPECT_EQ(ready["runtime"]["ports"][0]["public"], ready["ssh"]["direct"]["port"]);
  EXPECT_NEAR(ready["cost"].get<double>(), 0.43 + 20 * 0.1 / 730, 1e-5);
  EXPECT_EQ(ready["cudaVersion"], "13.0");
}

TEST(RunpodPods, AreGoneWhenDeleted) {
  EmulatedRunpod runpod;
  auto id = runpod.create(pod_body());
  EXPECT_EQ(runpod.send("GET", "pods?status=anything").body["pods"].size(), 1U) << "unknown parameters are ignored";
  auto deleted = runpod.send("DELETE", "pods/" + id);
  EXPECT_EQ(deleted.status, 204);
  EXPECT_EQ(deleted.reply.body, "");
  EXPECT_EQ(runpod.send("GET", "pods/" + id).status, 404);
  EXPECT_EQ(detail(runpod.send("DELETE", "pods/" + id)), "pod not found");
  EXPECT_TRUE(runpod.send("GET", "pods").body["pods"].empty());
  auto thing = runpod.raw().thing("pod", "vt-pod");
  EXPECT_EQ(thing["end"], "deleted");
  EXPECT_EQ(thing["requests"].size(), 2U) << "the one that made it and the one that ended it";
}

TEST(RunpodPods, StopStartAndMoveTheirPort) {
  EmulatedRunpod runpod;
  auto id = runpod.create(pod_body());
  int before = runpod.wait(id, has_port)["ssh"]["direct"]["port"];
  EXPECT_EQ(runpod.send("POST", "pods/" + id + "/action", {{"action", "start"}}).status, 409);
  auto restarted = runpod.send("POST", "pods/" + id + "/action", {{"action", "restart"}});
  EXPECT_EQ(restarted.status, 200);
  EXPECT_EQ(restarted.body["ssh"]["direct"]["port"], before) << "the old port is told for a while";
  runpod.wait(id, [&](auto& pod) { return has_port(pod) && pod["ssh"]["direct"]["port"] != before; });
  auto stopped = runpod.send("POST", "pods/" + id + "/action", {{"action", "stop"}});
  EXPECT_EQ(stopped.body["status"], "EXITED");
  EXPECT_EQ(stopped.body["cost"], 0.0);
  EXPECT_TRUE(stopped.body["ssh"]["direct"].is_null());
  EXPECT_EQ(runpod.send("POST", "pods/" + id + "/action", {{"action", "start"}}).status, 200);
  runpod.wait(id, has_port);
  EXPECT_EQ(runpod.send("POST", "pods/" + id + "/action", {{"action", "terminate"}}).status, 204);
  EXPECT_EQ(runpod.send("GET", "pods/" + id).status, 404);
}

TEST(RunpodPods, AreRefusedWithoutCapacity) {
  EmulatedRunpod runpod;
  auto refused = [&](auto change) {
    json body = pod_body();
    change(body);
    auto answer = runpod.send("POST", "pods", body);
    EXPECT_EQ(answer.status, 400) << answer.reply.body;
    EXPECT_EQ(answer.reply.headers["content-type"], "application/problem+json");
    return detail(answer);
  };
  EXPECT_EQ(refused([](json& b) { b["gpu"].erase("count"); }), kNoCapacity) << "the trap of the default";
  EXPECT_EQ(refused([](json& b) { b["gpu"]["id"] = "NVIDIA B200"; }), kNoCapacity);
  EXPECT_EQ(refused([](json& b) { b["cloud"] = "COMMUNITY"; }), kNoCapacity);
  EXPECT_EQ(refused([](json& b) { b["dataCenterIds"] = {"CA-MTL-3"}; }), kNoCapacity);
  EXPECT_EQ(refused([](json& b) { b["gpu"]["minCudaVersion"] = "13.5"; }), kNoCapacity);
  EXPECT_NE(refused([](json& b) { b["gpu"]["minCudaVersion"] = "12.4", b["gpu"]["allowedCudaVersions"] = {"12.8"}; }), kNoCapacity);
  EXPECT_NE(refused([](json& b) { b["cpu"] = {{"id", "cpu5c"}, {"vcpuCount", 4}}; }), kNoCapacity);
  EXPECT_TRUE(runpod.send("GET", "pods").body["pods"].empty());
}

TEST(RunpodPods, ComeToADataCenterThatFits) {
  EmulatedRunpod runpod;
  json body = pod_body();
  body["dataCenterIds"] = {"US-TX-3"};
  EXPECT_EQ(runpod.send("POST", "pods", body).body["dataCenterId"], "US-TX-3");
  body["gpu"]["minCudaVersion"] = "13.0";
  EXPECT_EQ(runpod.send("POST", "pods", body).status, 400);
}

TEST(RunpodPods, ChangeByPatch) {
  EmulatedRunpod runpod;
  auto id = runpod.create(pod_body());
  EXPECT_EQ(runpod.send("PATCH", "pods/" + id, {{"name", "other"}, {"locked", true}}).body["name"], "other");
  EXPECT_EQ(runpod.send("POST", "pods/" + id + "/action", {{"action", "stop"}}).status, 409) << "it is locked";
  EXPECT_EQ(runpod.send("PATCH", "pods/" + id, {{"gpu", {{"id", "x"}}}}).status, 422);
}

TEST(RunpodPods, WithoutCapacityFundsOrKey) {
  EmulatedRunpod stock(runpod_fault("create", "stockout"));
  EXPECT_EQ(detail(stock.send("POST", "pods", pod_body())), kNoCapacity);
  EmulatedRunpod funds(runpod_fault("create", "quota"));
  EXPECT_EQ(funds.send("POST", "pods", pod_body()).status, 402);
  auto nobody = funds.send("GET", "pods", nullptr, "");
  EXPECT_EQ(nobody.status, 401);
  EXPECT_EQ(detail(nobody), "missing bearer token");
  EXPECT_FALSE(nobody.reply.headers.contains("ratelimit"));
  Emulated strict("", 0.01, false);
  EXPECT_EQ(strict.send("GET", "/v2/pods", nullptr, "rpa_stranger").status, 401);
}

TEST(RunpodPods, TellQuotasAndRefusalsOfTheFront) {
  EmulatedRunpod runpod(runpod_fault("list", "rate", 12));
  auto limited = runpod.send("GET", "pods");
  EXPECT_EQ(limited.status, 429);
  EXPECT_EQ(limited.reply.headers["retry-after"], "12");
  auto listed = runpod.send("GET", "pods");
  EXPECT_EQ(listed.status, 200);
  EXPECT_NE(listed.reply.headers["ratelimit"].find("\"minute\";r="), std::string::npos);
  EXPECT_NE(listed.reply.headers["ratelimit-policy"].find("\"minute\";q="), std::string::npos);
  auto wrong = runpod.send("PUT", "pods", json::object());
  EXPECT_EQ(wrong.status, 405);
  EXPECT_EQ(wrong.body["title"], "Method Not Allowed");
  EXPECT_EQ(runpod.send("GET", "nothing/of/that/name").status, 404);
  EXPECT_EQ(runpod.raw().send("GET", "/v1/pods", nullptr, "rpa_any").status, 410);
}

TEST(RunpodPods, OfStrangersAreShownAndClustersHidden) {
  EmulatedRunpod runpod;
  auto& raw = runpod.raw();
  EXPECT_EQ(raw.send("POST", "/emulator/foreign", {{"api", "runpod"}, {"name", "theirs"}}).status, 201);
  auto member = raw.send("POST", "/emulator/foreign", {{"api", "runpod"}, {"name", "member"}, {"cluster", true}});
  EXPECT_EQ(runpod.send("GET", "pods").body["pods"].size(), 1U);
  EXPECT_EQ(runpod.send("GET", "pods?includeClusterPods=true").body["pods"].size(), 2U);
  EXPECT_EQ(runpod.send("DELETE", "pods/" + member.body["id"].get<std::string>()).status, 409);
}

TEST(RunpodFaults, AreSeenByTheClient) {
  auto waited = [](const std::string& kind, auto holds) {
    EmulatedRunpod runpod(runpod_fault("create", kind));
    auto id = runpod.create(pod_body());
    return runpod.wait(id, holds);
  };
  auto gpuless = waited("no-gpu", has_port);
  EXPECT_EQ(gpuless["runtime"]["gpus"].size(), 0U);
  EXPECT_EQ(gpuless["gpu"]["count"], 1) << "as ordered";
  EXPECT_EQ(waited("old-driver", has_port)["cudaVersion"], "11.8");
  auto stuck = waited("stuck", [](auto& pod) { return pod["status"] == "RUNNING"; });
  EXPECT_TRUE(stuck["ssh"]["direct"].is_null());
}

TEST(RunpodFaults, HideLoseAndKeepPods) {
  EmulatedRunpod late(runpod_fault("create", "late", 50));
  auto id = late.create(pod_body());
  EXPECT_EQ(late.send("GET", "pods/" + id).status, 404);
  EXPECT_TRUE(late.send("GET", "pods").body["pods"].empty());
  late.wait(id, [](auto&) { return true; });

  EmulatedRunpod undead(runpod_fault("delete", "undead", 50));
  id = undead.create(pod_body());
  EXPECT_EQ(undead.send("DELETE", "pods/" + id).status, 204);
  EXPECT_EQ(undead.send("GET", "pods/" + id).status, 200);
  for (int i = 0; i < 300 && undead.send("GET", "pods/" + id).status == 200; ++i) poll(nullptr, 0, 10);
  EXPECT_EQ(undead.raw().thing("pod", "vt-pod")["end"], "deleted");

  EmulatedRunpod broken(runpod_fault("create", "error-after"));
  EXPECT_EQ(broken.send("POST", "pods", pod_body()).status, 500);
  EXPECT_EQ(broken.send("GET", "pods").body["pods"].size(), 1U) << "answered with 500 though it was made";

  EmulatedRunpod vanishing(runpod_fault("create", "vanish", 10));
  id = vanishing.create(pod_body());
  for (int i = 0; i < 300 && vanishing.send("GET", "pods/" + id).status == 200; ++i) poll(nullptr, 0, 10);
  EXPECT_EQ(vanishing.send("GET", "pods/" + id).status, 404);
  EXPECT_EQ(vanishing.raw().thing("pod", "vt-pod")["end"], "vanished");
}

TEST(RunpodBilling, IsWhatTheBooksSay) {
  EmulatedRunpod runpod;
  auto id = runpod.create(pod_body());
  poll(nullptr, 0, 100);
  runpod.send("DELETE", "pods/" + id);
  auto bill = runpod.send("GET", "billing/pods?podId=" + id).body;
  ASSERT_EQ(bill["records"].size(), 1U);
  auto booked = runpod.raw().thing("pod", "vt-pod")["billed"].get<double>() / 1e6;
  EXPECT_GT(booked, 0);
  EXPECT_NEAR(bill["records"][0]["totalAmount"].get<double>(), booked, 1e-9);
  EXPECT_NEAR(bill["metadata"]["totals"]["totalAmount"].get<double>(), booked, 1e-9);
  EXPECT_EQ(bill["metadata"]["query"]["podId"], id);
  EXPECT_TRUE(runpod.send("GET", "billing/pods?podId=other").body["records"].empty());
  EXPECT_EQ(runpod.send("GET", "billing/pods?lastN=3&startTime=2026-01-01T00:00:00Z").status, 400);
}

TEST(RunpodLogs, AreServerSentEvents) {
  EmulatedRunpod runpod;
  auto id = runpod.create(pod_body());
  runpod.wait(id, has_port);
  auto logs = runpod.send("GET", "pods/" + id + "/logs?source=system");
  EXPECT_EQ(logs.status, 200);
  EXPECT_TRUE(logs.reply.headers["content-type"].starts_with("text/event-stream"));
  EXPECT_TRUE(logs.reply.body.starts_with("id: 20")) << logs.reply.body;
  EXPECT_NE(logs.reply.body.find("\"line\":\"start container\""), std::string::npos) << logs.reply.body;
  EXPECT_EQ(runpod.send("GET", "pods/none/logs").status, 404);
}

}  // namespace

}  // namespace vt::test
