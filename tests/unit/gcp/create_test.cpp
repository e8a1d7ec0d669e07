#include "providers/gcp/create.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "tests/unit/gcp/fake_cloud.hpp"

using namespace vt;
using nlohmann::json;
using test::api_error;
using test::FakeCloud;
using Kind = Finding::Kind;

namespace {

constexpr const char* kInsert = "POST projects/p/zones/us-central1-b/instances?requestId=uuid-1";

CreateOutcome create(FakeCloud& cloud) { return cloud.provider()->create(test::layer(), test::row(cloud)); }
bool is_refused(const CreateOutcome& outcome, Kind kind) {
  auto refused = std::get_if<Refused>(&outcome);
  return refused != nullptr && refused->kind == kind;
}
json ours(const FakeCloud& cloud) {
  auto r = test::row(cloud);
  return {{"id", "777"}, {"name", r.owner.name}, {"labels", test::marks(r)}};
}

TEST(GcpCreate, SendsOneRequestWithTheStoredId) {
  FakeCloud cloud;
  cloud.on(kInsert, 200, {{"name", "operation-1"}, {"status", "RUNNING"}, {"targetId", "1234"}});
  auto outcome = create(cloud);
  ASSERT_TRUE(std::holds_alternative<Created>(outcome));
  EXPECT_EQ(std::get<Created>(outcome).provider_id, "1234");
  ASSERT_EQ(cloud.asked().size(), 1U);
  auto body = json::parse(cloud.asked()[0].body);
  EXPECT_EQ(body["scheduling"]["maxRunDuration"]["seconds"], "3600000") << "an hour of ours, for a cloud that runs 1000 times faster";
}

TEST(GcpCreate, KeepsTheKeyPrivateAndTheSame) {
  FakeCloud cloud;
  cloud.on(kInsert, 429, api_error(429, "rateLimitExceeded", "slow down"));
  create(cloud);
  create(cloud);
  auto key = cloud.dir / ("keys/" + test::row(cloud).owner.name);
  struct stat info {};
  ASSERT_EQ(stat(key.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 07777, 0600U);
  ASSERT_EQ(stat((cloud.dir / "keys").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 07777, 0700U);
  auto line = test::read_file(key + ".pub");
  EXPECT_NE(line.find("ssh-ed25519 "), std::string::npos);
  for (auto& asked : cloud.asked())
    EXPECT_EQ(json::parse(asked.body)["metadata"]["items"][0]["value"], "vault:" + line.substr(0, line.size() - 1));
  EXPECT_EQ(cloud.asked().size(), 2U);
}

TEST(GcpCreate, ClearRefusalsAreTyped) {
  struct Case {
    int status;
    const char *reason, *message;
    Kind kind;
  };
  for (auto& [status, reason, message, kind] :
       std::initializer_list<Case>{{400, "badRequest", "no", Kind::policy},
                                   {400, "invalid", "Machine type does not exist in zone us-central1-b", Kind::not_found},
                                   {403, "forbidden", "Required 'compute.instances.create' permission", Kind::auth},
                                   {403, "quotaExceeded", "Quota 'GPUS_ALL_REGIONS' exceeded", Kind::quota},
                                   {403, "rateLimitExceeded", "Rate Limit Exceeded", Kind::rate},
                                   {404, "notFound", "The resource 'projects/p' was not found", Kind::policy},
                                   {412, "conditionNotMet", "Constraint violated", Kind::policy}}) {
    FakeCloud cloud;
    cloud.on(kInsert, status, api_error(status, reason, message));
    EXPECT_TRUE(is_refused(create(cloud), kind)) << status << " " << reason;
    EXPECT_EQ(cloud.count("POST *"), 1);
  }
}

TEST(GcpCreate, TurnedAwayUnreadComesBackWhenToldTo) {
  FakeCloud cloud;
  cloud.on(kInsert, 429, "later");
  cloud.header("retry-after", "12");
  auto outcome = create(cloud);
  ASSERT_TRUE(is_refused(outcome, Kind::rate));
  EXPECT_EQ(std::get<Refused>(outcome).retry_after, Duration{12}) << "12 s in the cloud's time";
}

TEST(GcpCreate, EverythingUnclearIsAmbiguousAndNotRepeated) {
  for (auto& [status, body] : std::vector<std::pair<int, json>>{{200, "{\"cut"},
                                                                {200, json::object()},
                                                                {302, ""},
                                                                {400, "<html>"},
                                                                {403, json::object()},
                                                                {408, ""},
                                                                {409, api_error(409, "resourceInUseByAnotherResource", "in use")},
                                                                {500, api_error(500, "internalError", "oops")},
                                                                {503, "gateway"}}) {
    FakeCloud cloud;
    cloud.on(kInsert, status, body);
    EXPECT_TRUE(std::holds_alternative<Ambiguous>(create(cloud))) << status << " " << body;
    EXPECT_EQ(cloud.count("POST *"), 1) << status;
  }
  FakeCloud cut;
  cut.lose(kInsert, true);
  EXPECT_TRUE(std::holds_alternative<Ambiguous>(create(cut)));
  EXPECT_EQ(cut.asked().size(), 1U);
}

TEST(GcpCreate, NothingSentIsNoNetwork) {
  FakeCloud cloud;
  cloud.lose(kInsert, false);
  EXPECT_TRUE(is_refused(create(cloud), Kind::network));
}

TEST(GcpCreate, ARefusedTokenIsRenewedAndTheRequestSentAgain) {
  FakeCloud cloud;
  cloud.on(kInsert, 401, api_error(401, "authError", "Invalid Credentials"));
  cloud.on(kInsert, 200, {{"targetId", "1234"}});
  EXPECT_TRUE(std::holds_alternative<Created>(create(cloud)));
  EXPECT_EQ(cloud.renewals(), 1);
  EXPECT_EQ(cloud.asked()[0].body, cloud.asked()[1].body);
}

TEST(GcpCreate, ANameThatIsTakenByUsIsAdopted) {
  auto taken = api_error(409, "alreadyExists", "The resource already exists");
  FakeCloud cloud;
  cloud.on(kInsert, 409, taken);
  cloud.on("GET */instances/vt-*", 200, ours(cloud));
  auto outcome = create(cloud);
  ASSERT_TRUE(std::holds_alternative<Created>(outcome));
  EXPECT_EQ(std::get<Created>(outcome).provider_id, "777");

  FakeCloud strange;
  strange.on(kInsert, 409, taken);
  auto other = ours(strange);
  other["labels"]["vt-token"] = "somebodyelse";
  strange.on("GET */instances/vt-*", 200, other);
  EXPECT_TRUE(is_refused(create(strange), Kind::policy));

  FakeCloud hidden;
  hidden.on(kInsert, 409, taken);
  EXPECT_TRUE(std::holds_alternative<Ambiguous>(create(hidden))) << "404 on what is said to exist";
}

TEST(GcpCreate, RefusesRowsThatAreNotWhole) {
  FakeCloud cloud;
  auto r = test::row(cloud);
  r.zone = "";
  EXPECT_TRUE(is_refused(cloud.provider()->create(test::layer(), r), Kind::policy));
  r = test::row(cloud);
  r.owner.name = "vt-../../x";
  EXPECT_TRUE(is_refused(cloud.provider()->create(test::layer(), r), Kind::policy));
  r = test::row(cloud);
  r.owner.expires = cloud.clock.wall();
  EXPECT_TRUE(is_refused(cloud.provider()->create(test::layer(), r), Kind::policy));
  EXPECT_TRUE(cloud.asked().empty());
}

}  // namespace
