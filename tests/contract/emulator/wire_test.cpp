#include <gtest/gtest.h>

#include <thread>

#include "tests/contract/emulator/emulated.hpp"

// What breaks on the wire, seen by the real HTTP client.
namespace vt::test {

using nlohmann::json;

namespace {

std::string one(const std::string& kind, const std::string& call, const std::string& more = "") {
  return R"([{"api":"gcp","nth":1,"kind":")" + kind + R"(","call":")" + call + "\"" + more + "}]";
}

bool exists(Emulated& e, const std::string& name) { return e.gcp("GET", std::string(Emulated::kInstances) + "/" + name).status == 200; }

}  // namespace

TEST(EmulatorWire, ALostRequestWasNotExecuted) {
  Emulated e(one("lost-before", "create"));
  Answer answer = e.gcp("POST", Emulated::kInstances, instance_body("vm1"));
  EXPECT_EQ(answer.status, 0);
  EXPECT_TRUE(answer.failure.sent);
  EXPECT_FALSE(exists(e, "vm1"));
  ASSERT_EQ(e.requests().size(), 1U);
  EXPECT_EQ(e.requests()[0]["fault"], "lost-before");
  EXPECT_EQ(e.requests()[0]["status"], 0);
  EXPECT_EQ(e.requests()[0]["name"], "vm1");
  EXPECT_EQ(e.requests()[0]["marks"]["vt-run"], "r1");
  EXPECT_EQ(e.gcp("POST", Emulated::kInstances, instance_body("vm1")).status, 200) << "only the first call";
}

TEST(EmulatorWire, ALostReplyWasExecuted) {
  Emulated e(one("lost-after", "create"));
  EXPECT_EQ(e.gcp("POST", Emulated::kInstances, instance_body("vm1")).status, 0);
  EXPECT_TRUE(exists(e, "vm1"));
}

TEST(EmulatorWire, AnErrorAfterwardsWasExecuted) {
  Emulated e(one("error-after", "create"));
  EXPECT_EQ(e.gcp("POST", Emulated::kInstances, instance_body("vm1")).status, 500);
  EXPECT_TRUE(exists(e, "vm1"));
}

TEST(EmulatorWire, RefusalsWereNotExecuted) {
  for (auto& [kind, status] : std::map<std::string, int>{{"rate", 429}, {"unavailable", 503}, {"expired", 401}, {"conflict", 409}}) {
    Emulated e(one(kind, "create"));
    Answer answer = e.gcp("POST", Emulated::kInstances, instance_body("vm1"));
    EXPECT_EQ(answer.status, status) << kind;
    EXPECT_EQ(answer.body["error"]["code"], status) << kind;
    EXPECT_EQ(answer.reply.headers.contains("retry-after"), status == 429) << kind;
    EXPECT_FALSE(exists(e, "vm1")) << kind;
  }
}

TEST(EmulatorWire, ATruncatedBodyIsNoReply) {
  Emulated e(one("truncated", "get"));
  EXPECT_EQ(e.gcp("GET", "zones/us-central1-b").status, 0);
  EXPECT_EQ(e.gcp("GET", "zones/us-central1-b").status, 200);
}

TEST(EmulatorWire, ATlsAlertIsNoReply) {
  Emulated e(one("tls", "create"));
  Answer answer = e.gcp("POST", Emulated::kInstances, instance_body("vm1"));
  EXPECT_EQ(answer.status, 0);
  EXPECT_FALSE(exists(e, "vm1"));
}

TEST(EmulatorWire, ASlowBodyTakesItsTimeAndArrivesWhole) {
  Emulated e(one("slow", "get", R"(,"seconds":300)"));  // 0.3 s here
  auto start = std::chrono::steady_clock::now();
  Answer answer = e.gcp("GET", "zones/us-central1-b");
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.body["name"], "us-central1-b");
  EXPECT_GE(std::chrono::steady_clock::now() - start, std::chrono::milliseconds(150));
}

TEST(EmulatorWire, TheClockOfTheServerCanBeWrong) {
  Emulated e(one("skew", "get", R"(,"seconds":600)"));
  auto skewed = e.gcp("GET", "zones/us-central1-b").reply.date, right = e.gcp("GET", "zones/us-central1-b").reply.date;
  ASSERT_TRUE(skewed && right);
  EXPECT_NEAR(static_cast<double>(*skewed - *right), 600'000, 5'000);
}

TEST(EmulatorWire, AnUnreachableServerRefusesAndComesBack) {
  Emulated e(one("unreachable", "get", R"(,"seconds":400)"));
  EXPECT_EQ(e.gcp("GET", "zones/us-central1-b").status, 200) << "the call that sets it off is answered";
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  Answer refused = e.gcp("POST", Emulated::kInstances, instance_body("vm1"));
  EXPECT_EQ(refused.status, 0);
  EXPECT_FALSE(refused.failure.sent) << refused.failure.what;
  Answer again;
  for (int tries = 0; tries < 100 && again.status == 0; ++tries) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    again = e.gcp("GET", "zones/us-central1-b");
  }
  EXPECT_EQ(again.status, 200);
}

TEST(EmulatorWire, AResetHitsOnlyAReusedConnection) {
  Emulated e(R"([{"api":"gcp","call":"create","nth":1,"kind":"reset"}])");
  EXPECT_EQ(e.gcp("GET", "zones/us-central1-b").status, 200);
  EXPECT_EQ(e.gcp("POST", Emulated::kInstances, instance_body("vm1")).status, 200)
      << "our client sends what changes something on fresh ones";
}

TEST(EmulatorWire, WhatIsNotThereIsSaidInTheApisWords) {
  Emulated e;
  EXPECT_EQ(e.send("GET", "/compute/v1/nonsense").body["error"]["code"], 404);
  Answer wrong = e.send("PUT", "/compute/v1/projects/p/zones/us-central1-b/instances");
  EXPECT_EQ(wrong.status, 405);
  EXPECT_EQ(wrong.reply.headers["allow"], "POST, GET");
}

}  // namespace vt::test
