#include "providers/gcp/operation.hpp"

#include <gtest/gtest.h>

#include "tests/unit/gcp/fake_cloud.hpp"

using namespace vt;
using namespace vt::gcp;
using nlohmann::json;
using test::FakeCloud;

namespace {

json running() { return {{"name", "operation-1"}, {"status", "RUNNING"}, {"targetId", "1234"}}; }
Deadline soon() { return Deadline::after(Duration{2000}); }

TEST(GcpOperation, IsAskedForUntilItIsDone) {
  FakeCloud cloud;
  cloud.on("GET projects/p/zones/z-a/operations/operation-1", 200, running());
  cloud.on("GET projects/p/zones/z-a/operations/operation-1", 200, running());
  cloud.on("GET projects/p/zones/z-a/operations/operation-1", 200, test::operation());
  auto done = finish(cloud.api(), "p", "z-a", running(), soon());
  ASSERT_TRUE(done) << done.error().what;
  EXPECT_TRUE(succeeded(*done));
  EXPECT_EQ(cloud.asked().size(), 3U);
}

TEST(GcpOperation, ALostReplyIsAskedForAgain) {
  FakeCloud cloud;
  cloud.lose("GET *", true);
  cloud.on("GET *", 503, "gateway");
  cloud.on("GET *", 200, test::operation("QUOTA_EXCEEDED", "Quota 'CPUS' exceeded."));
  auto done = finish(cloud.api(), "p", "", running(), soon());
  ASSERT_TRUE(done) << done.error().what;
  EXPECT_FALSE(succeeded(*done));
  EXPECT_EQ(cloud.asked()[0].line, "GET projects/p/global/operations/operation-1");
}

TEST(GcpOperation, EndsAtItsDeadlineAndOnRefusals) {
  FakeCloud cloud;
  cloud.on("GET */operations/operation-1", 200, running());
  auto late = finish(cloud.api(), "p", "z-a", running(), Deadline::after(Duration{20}));
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().code, Errc::timeout);

  FakeCloud refusing;
  refusing.on("GET *", 403, test::api_error(403, "forbidden", "no"));
  EXPECT_EQ(finish(refusing.api(), "p", "z-a", running(), soon()).error().code, Errc::auth);
  EXPECT_EQ(refusing.asked().size(), 1U);
}

TEST(GcpOperation, IsNotWaitedForAfterASecondInterrupt) {
  FakeCloud cloud;
  cloud.context.cloud.pace = 1;
  cloud.context.cloud.urgent = [&] { return cloud.clock.wall_ms > 1'700'000'000'000 + 2500; };
  cloud.on("GET */operations/operation-1", 200, running());
  auto given_up = finish(cloud.api(), "p", "z-a", running(), Deadline::after(Duration{60'000}));
  ASSERT_FALSE(given_up);
  EXPECT_EQ(given_up.error().code, Errc::timeout) << "the row stays open";
  EXPECT_EQ(cloud.asked().size(), 1U) << "it was waited for until then";
  EXPECT_LT(cloud.clock.wall_ms, 1'700'000'000'000 + 2700);
}

TEST(GcpOperation, ATokenIsRenewedOnceForEachRequest) {
  FakeCloud cloud;
  cloud.on("GET *", 401, test::api_error(401, "authError", "Invalid Credentials"));
  cloud.on("GET *", 200, test::operation());
  EXPECT_TRUE(cloud.api().get("projects/p"));
  EXPECT_EQ(cloud.renewals(), 1);

  FakeCloud never;
  never.on("GET *", 401, test::api_error(401, "authError", "Invalid Credentials"));
  EXPECT_EQ(never.api().get("projects/p").error().code, Errc::auth);
  EXPECT_EQ(never.asked().size(), 2U);
}

TEST(GcpOperation, RepliesThatAreNoJsonOfTheApiAreErrors) {
  std::string deep;
  for (int i = 0; i < 100; ++i) deep += "{\"a\":";
  for (auto& body : {std::string("{\"a\":1"), std::string("[]"), std::string("{\"a\":1,\"a\":2}"), deep + "1" + std::string(100, '}')}) {
    FakeCloud cloud;
    cloud.on("GET *", 200, body);
    EXPECT_EQ(cloud.api().get("x").error().code, Errc::transport) << body.substr(0, 20);
  }
}

}  // namespace
