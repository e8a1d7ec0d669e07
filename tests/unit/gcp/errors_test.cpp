#include "providers/gcp/errors.hpp"

#include <gtest/gtest.h>

#include "tests/unit/gcp/fake_cloud.hpp"

using namespace vt;
using namespace vt::gcp;
using Kind = Finding::Kind;
using test::api_error;
using test::operation;

namespace {

TEST(GcpErrors, OperationsAreReadByTheirCode) {
  struct Case {
    const char *code, *message;
    Kind kind;
    Errc errc;
  };
  for (auto& [code, message, kind, errc] : std::initializer_list<Case>{
           {"ZONE_RESOURCE_POOL_EXHAUSTED", "any text", Kind::stock_out, Errc::capacity},
           {"ZONE_RESOURCE_POOL_EXHAUSTED_WITH_DETAILS", "'NULL:0/NULL:0'", Kind::stock_out, Errc::capacity},
           {"UNSUPPORTED_OPERATION", "preempted during creation", Kind::stock_out, Errc::capacity},
           {"GPU_STOCKOUT", "", Kind::stock_out, Errc::capacity},
           {"QUOTA_EXCEEDED", "Quota 'GPUS_ALL_REGIONS' exceeded.  Limit: 0.0 globally.", Kind::quota, Errc::quota},
           {"QUOTA_EXCEEDED", "Quota 'CPUS_ALL_REGIONS' exceeded.", Kind::quota, Errc::quota},
           {"QUOTA_EXCEEDED", "Quota 'CPUS' exceeded.  Limit: 24.0 in region us-west1.", Kind::region_quota, Errc::region_quota},
           {"RESOURCE_NOT_READY", "", Kind::unready, Errc::transport},
           {"INVALID_FIELD_VALUE", "Machine type x does not exist in zone us-west1-c", Kind::not_found, Errc::capacity},
           {"SOMETHING_NEW", "never seen", Kind::policy, Errc::refused}}) {
    auto refusal = refusal_of_operation(operation(code, message));
    EXPECT_EQ(refusal.kind, kind) << code << " " << message;
    EXPECT_EQ(as_error(refusal).code, errc) << code << " " << message;
    EXPECT_NE(refusal.what.find(code), std::string::npos);
  }
}

TEST(GcpErrors, RepliesAreReadByReasonThenStatus) {
  struct Case {
    int status;
    const char *reason, *message;
    Kind kind;
  };
  for (auto& [status, reason, message, kind] : std::initializer_list<Case>{
           {401, "authError", "Invalid Credentials", Kind::auth},
           {403, "forbidden", "Required 'compute.instances.create' permission for 'projects/p'", Kind::auth},
           {403, "accessNotConfigured", "Compute Engine API has not been used in project 1 before or it is disabled.", Kind::auth},
           {403, "forbidden", "This API method requires billing to be enabled.", Kind::funds},
           {403, "quotaExceeded", "Quota 'NVIDIA_L4_GPUS' exceeded. Limit: 1.0 in region us-central1.", Kind::region_quota},
           {403, "quotaExceeded", "Quota 'GPUS_ALL_REGIONS' exceeded. Limit: 0.0 globally.", Kind::quota},
           {403, "rateLimitExceeded", "Rate Limit Exceeded", Kind::rate},
           {403, "userRateLimitExceeded", "User Rate Limit Exceeded", Kind::rate},
           {400, "invalid", "Invalid value for field 'resource.machineType': 'zones/z/machineTypes/x'.", Kind::not_found},
           {400, "invalid", "Machine type is not available in zone us-west1-c", Kind::not_found},
           {400, "badRequest", "hyperdisk-balanced disk type cannot be used by n2-standard-16 machine type.", Kind::policy},
           {404, "notFound", "The resource 'projects/p/zones/z/machineTypes/g4-standard-48' was not found", Kind::not_found},
           {404, "notFound", "The resource 'projects/p/zones/europe-west3-c' was not found", Kind::not_found},
           {404, "notFound", "The resource 'projects/p/global/images/family/none' was not found", Kind::policy},
           {412, "conditionNotMet", "Constraint constraints/compute.vmExternalIpAccess violated", Kind::policy},
           {429, "anything", "", Kind::rate},
           {503, "backendError", "", Kind::unready}}) {
    auto refusal = refusal_of_reply(status, api_error(status, reason, message).dump());
    EXPECT_EQ(refusal.kind, kind) << status << " " << reason << " " << message;
    EXPECT_TRUE(refusal.well_formed());
  }
}

TEST(GcpErrors, ABodyThatIsNotTheApisIsNotWellFormed) {
  for (auto body : {"", "<html>403</html>", "{}", R"({"error": "no"})", R"({"error": {"code": 500, "errors": [{"reason": "x"}]}})"}) {
    auto refusal = refusal_of_reply(403, body);
    EXPECT_FALSE(refusal.well_formed()) << body;
    EXPECT_EQ(refusal.kind, Kind::auth) << body;
  }
}

TEST(GcpErrors, AStockOutSaysWhereThereIsRoom) {
  auto done = operation("ZONE_RESOURCE_POOL_EXHAUSTED_WITH_DETAILS", "none");
  done["error"]["errors"][0]["errorDetails"] = nlohmann::json::parse(R"([{"help": {"links": []}},
    {"errorInfo": {"reason": "resource_availability", "metadatas": {"zonesAvailable": "us-central1-a,us-central1-f"}}}])");
  EXPECT_EQ(refusal_of_operation(done).zones, (std::vector<std::string>{"us-central1-a", "us-central1-f"}));
  done["error"]["errors"][0]["errorDetails"][1]["errorInfo"]["metadatas"]["zonesAvailable"] = "";
  EXPECT_TRUE(refusal_of_operation(done).zones.empty());
}

TEST(GcpErrors, MessagesCannotDriveATerminal) {
  EXPECT_EQ(refusal_of_operation(operation("X", "\x1b[2J")).what.find('\x1b'), std::string::npos);
}

}  // namespace
