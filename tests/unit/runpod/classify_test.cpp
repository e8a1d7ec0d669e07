// The table of what RunPod's answers to a create mean, row by row.
#include <gtest/gtest.h>

#include "providers/runpod/api.hpp"
#include "tests/unit/runpod/fake_api.hpp"

namespace vt {
namespace {

using Kind = Finding::Kind;
using test::http_reply;
using test::json;
using test::lost;
using test::problem;

CreateOutcome classify(const HttpResult& result, double pace = 1) {
  CloudAccess cloud;
  cloud.pace = pace;
  return runpod::classify_create(result, cloud);
}
std::optional<Kind> refusal(const HttpResult& result) {
  auto outcome = classify(result);
  auto refused = std::get_if<Refused>(&outcome);
  return refused ? std::optional(refused->kind) : std::nullopt;
}
bool ambiguous(const HttpResult& result) { return std::holds_alternative<Ambiguous>(classify(result)); }

TEST(RunPodCreate, APodWithAnIdIsMade) {
  for (int status : {200, 201, 202}) {
    auto outcome = classify(http_reply(status, test::pod_json("7h9k2m4n6p", "PROVISIONING")));
    ASSERT_TRUE(std::holds_alternative<Created>(outcome)) << status;
    EXPECT_EQ(std::get<Created>(outcome).provider_id, "7h9k2m4n6p");
  }
}

TEST(RunPodCreate, ASuccessThatNamesNoPodIsUnclear) {
  for (std::string body : {"", "{}", "[]", "null", R"({"id":""})", R"({"id":7})", R"({"id":"a/../b"})", R"({"id":"a?b"})",
                           R"({"id":"pod1")", R"({"id":"pod1","id":"pod2"})", "<html>ok</html>"})
    EXPECT_TRUE(ambiguous(http_reply(201, body))) << body;
  std::string deep = R"({"id":"pod1","x":)" + std::string(100, '[') + std::string(100, ']') + "}";
  EXPECT_TRUE(ambiguous(http_reply(201, deep)));
  for (std::string part : {"{\"a\":", "[", "[{\"a\":"}) {
    std::string bomb = R"({"id":"pod1","x":)";
    for (int i = 0; i < 1'000'000; ++i) bomb += part;
    EXPECT_TRUE(ambiguous(http_reply(201, bomb))) << part;
  }
}

TEST(RunPodCreate, NoCapacityIsToldByItsWords) {
  for (auto text : {"There are no longer any instances available with the requested specifications. Please refresh and try again.",
                    "There are no longer any instances available with enough disk space.",
                    "There are no instances available with the request specifications. Please try again later.",
                    "This machine does not have the resources to deploy your pod. Please try a different machine",
                    "There are not enough free GPUs on the host machine to start this pod.", "THERE ARE NO LONGER ANY INSTANCES AVAILABLE"})
    EXPECT_EQ(refusal(problem(400, text)), Kind::stock_out) << text;
  auto reported = R"({"detail":"There are no longer any instances available with the requested specifications.","status":400})";
  EXPECT_EQ(refusal(http_reply(400, reported)), Kind::stock_out) << "as users saw it, without a title";
}

TEST(RunPodCreate, ABrokenRuleStops) {
  EXPECT_EQ(refusal(problem(400, "minCudaVersion and allowedCudaVersions are mutually exclusive")), Kind::policy);
  auto body = R"({"title":"Unprocessable Entity","status":422,"detail":"Request validation failed.","errors":["$: missing property 'x'"]})";
  auto outcome = classify(http_reply(422, body));
  ASSERT_TRUE(std::holds_alternative<Refused>(outcome));
  EXPECT_EQ(std::get<Refused>(outcome).kind, Kind::policy);
  EXPECT_EQ(std::get<Refused>(outcome).what, "HTTP status 422: Request validation failed.; $: missing property 'x'");
  EXPECT_EQ(refusal(problem(422, "There are no longer any instances available")), Kind::policy) << "422 never walks on";
  for (int status : {404, 405, 410}) EXPECT_EQ(refusal(problem(status, "no")), Kind::policy) << status;
}

TEST(RunPodCreate, A400ThatRunPodDidNotWordIsUnclear) {
  EXPECT_TRUE(ambiguous(http_reply(400, "<html>Bad Request</html>")));
  EXPECT_TRUE(ambiguous(http_reply(400, R"({"detail":"bad","status":500})")));
  EXPECT_TRUE(ambiguous(http_reply(400, R"({"status":400})")));
  EXPECT_TRUE(ambiguous(problem(400, "Something went wrong. Please try again later or contact support.")));
}

TEST(RunPodCreate, ARefusalInStrangeWordsIsUnclear) {
  for (int status : {401, 402, 403, 404, 405, 410, 415, 422}) {
    EXPECT_TRUE(ambiguous(http_reply(status, "<html>no</html>"))) << status;
    EXPECT_TRUE(ambiguous(http_reply(status, ""))) << status;
    EXPECT_TRUE(ambiguous(http_reply(status, json{{"detail", "no"}, {"status", 500}}))) << status;
    EXPECT_FALSE(ambiguous(http_reply(status, json{{"title", "No"}, {"status", status}}))) << status;
  }
  EXPECT_TRUE(ambiguous(http_reply(400, R"({"detail":"no instances available","status":502})")));
  EXPECT_TRUE(ambiguous(http_reply(404, "error code: 1010"))) << "the front says that with 403";
}

TEST(RunPodCreate, MoneyAndRights) {
  EXPECT_EQ(refusal(problem(402, "insufficient balance")), Kind::funds);
  EXPECT_EQ(refusal(problem(401, "missing bearer token")), Kind::auth);
  EXPECT_EQ(refusal(problem(403, "access denied")), Kind::auth);
  EXPECT_EQ(refusal(http_reply(403, "error code: 1010")), Kind::auth);
}

TEST(RunPodCreate, TurnedAwayUnreadComesBackWhenToldTo) {
  auto wait = [](const std::string& header, double pace) {
    auto reply = problem(429, "rate limit exceeded");
    if (!header.empty()) reply.headers["retry-after"] = header;
    auto outcome = classify(reply, pace);
    EXPECT_EQ(std::get<Refused>(outcome).kind, Kind::rate);
    return std::get<Refused>(outcome).retry_after.count();
  };
  EXPECT_EQ(wait("12", 1), 12'000);
  EXPECT_EQ(wait("12", 0.01), 120);
  EXPECT_EQ(wait("", 1), 10'000);
  EXPECT_EQ(wait("soon", 1), 10'000);
  EXPECT_EQ(wait("86400", 1), 600'000) << "nobody waits a day for a call";
}

TEST(RunPodCreate, EverythingElseMayHaveMadeAPod) {
  for (int status : {100, 301, 302, 307, 408, 409, 418, 499, 500, 502, 503, 504, 520, 524})
    EXPECT_TRUE(ambiguous(problem(status, "There are no longer any instances available"))) << status;
  EXPECT_TRUE(ambiguous(lost(true)));
}

TEST(RunPodCreate, WhatWasNotSentMadeNothing) {
  EXPECT_EQ(refusal(lost(false)), Kind::network);
  EXPECT_EQ(refusal(tl::unexpected(HttpFailure{false, true, "not https"})), Kind::policy);
}

TEST(RunPodCreate, AStrangersWordsAreMadeSafeAndShort) {
  auto outcome = classify(problem(402, "\x1b[31mpay" + std::string(5000, 'x')));
  auto& what = std::get<Refused>(outcome).what;
  EXPECT_EQ(what.find('\x1b'), std::string::npos);
  EXPECT_LT(what.size(), 500U);
}

TEST(RunPodReads, ErrorsAreTyped) {
  EXPECT_EQ(runpod::read_error(problem(401, "")).code, Errc::auth);
  EXPECT_EQ(runpod::read_error(problem(403, "")).code, Errc::auth);
  EXPECT_EQ(runpod::read_error(problem(404, "")).code, Errc::not_found);
  EXPECT_EQ(runpod::read_error(problem(409, "cluster member")).code, Errc::refused);
  EXPECT_EQ(runpod::read_error(problem(410, "")).code, Errc::refused);
  for (int status : {302, 408, 429, 500, 503}) EXPECT_EQ(runpod::read_error(problem(status, "")).code, Errc::transport) << status;
  EXPECT_EQ(runpod::read_error(problem(409, "cluster member")).what, "HTTP status 409: cluster member");
}

}  // namespace
}  // namespace vt
