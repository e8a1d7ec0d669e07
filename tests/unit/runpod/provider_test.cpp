#include <gtest/gtest.h>
#include <sys/stat.h>

#include "tests/unit/runpod/fake_api.hpp"

namespace vt {
namespace {

using test::http_reply;
using test::json;
using test::lost;
using test::pod_json;
using test::problem;
using test::read_file;
using test::Scene;

constexpr auto kList = "GET pods?includeClusterPods=true";
constexpr auto kCatalogue = "GET catalog/gpus?include=AVAILABILITY&product=POD&count=1&cloud=SECURE";

class RunPodProvider : public testing::Test, protected Scene {
 protected:
  [[nodiscard]] std::string key_file() const { return folder / ("keys/" + resource.owner.name); }
  static mode_t mode_of(const std::string& path) {
    struct stat about {};
    return stat(path.c_str(), &about) == 0 ? about.st_mode & 07777 : 0;
  }
  static json list_of(const std::vector<json>& pods) { return {{"pods", pods}}; }
};

TEST_F(RunPodProvider, AsksForExactlyOnePod) {
  layer.options = {{"gpu", {"NVIDIA L4"}}, {"gpus", {"2"}}, {"image", {"nvidia/cuda:1"}}, {"disk", {"50 GB"}}, {"min-cuda", {"12.8"}}};
  resource.zone = "US-TX-3", resource.market = "COMMUNITY";
  context.cloud.pace = 1;
  auto made = provider();
  api->script["POST pods"] = {http_reply(201, pod_json("new1", "PROVISIONING"))};
  auto outcome = made->create(layer, resource);
  ASSERT_TRUE(std::holds_alternative<Created>(outcome));
  EXPECT_EQ(std::get<Created>(outcome).provider_id, "new1");
  ASSERT_EQ(api->asked.size(), 1U);
  EXPECT_EQ(api->asked[0].bearer, "canary-key");
  auto body = json::parse(api->asked[0].body);
  EXPECT_EQ(body["name"], resource.owner.name);
  EXPECT_EQ(body["image"], "nvidia/cuda:1");
  EXPECT_EQ(body["gpu"], (json{{"id", "NVIDIA L4"}, {"count", 2}, {"minCudaVersion", "12.8"}}));
  EXPECT_EQ(body["cloud"], "COMMUNITY");
  EXPECT_EQ(body["dataCenterIds"], json::array({"US-TX-3"}));
  EXPECT_EQ(body["disk"], 50);
  EXPECT_EQ(body["ports"], json::array({"22/tcp"}));
  EXPECT_EQ(body["startSsh"], false);
  EXPECT_TRUE(body["args"].get<std::string>().starts_with("sh -c '"));
  EXPECT_EQ(body.size(), 10U) << "RunPod refuses fields it does not know";
  auto& env = body["env"];
  EXPECT_EQ(env["VT_INSTALL"], "aaaaaaaa");
  EXPECT_EQ(env["VT_ATTEMPT"], "bbbbbbbbbbbbbbbb");
  EXPECT_EQ(env["VT_TOKEN"], "token");
  EXPECT_EQ(env["VT_EXPIRES"], "1700003600");
  EXPECT_EQ(env["VT_LEASE"], "3600");
  EXPECT_EQ(env["VT_RUN"], "run7");
  EXPECT_EQ(env["VT_API"], "http://127.0.0.1:1/v2");
  EXPECT_EQ(env["VT_BOOT_GRACE"], "600");
  EXPECT_EQ(env["VT_TICK"], "15");
  EXPECT_TRUE(env["VT_CLIENT_KEY"].get<std::string>().starts_with("ssh-ed25519 "));
  EXPECT_LE(env.size(), 50U);
  EXPECT_EQ(api->asked[0].body.find("canary-key"), std::string::npos);
}

TEST_F(RunPodProvider, ANumberOfGpusIsAlwaysSaidAndAPlaceOnlyIfAsked) {
  auto made = provider();
  api->script["POST pods"] = {http_reply(201, pod_json("new1"))};
  (void)made->create(layer, resource);
  auto body = json::parse(api->asked[0].body);
  EXPECT_EQ(body["gpu"], (json{{"id", "NVIDIA L4"}, {"count", 1}}));
  EXPECT_FALSE(body.contains("dataCenterIds"));
}

TEST_F(RunPodProvider, TheKeysAreKeptBeforeThePodIsAskedFor) {
  auto made = provider();
  api->script["POST pods"] = {lost(true)};
  EXPECT_TRUE(std::holds_alternative<Ambiguous>(made->create(layer, resource)));
  EXPECT_EQ(mode_of(key_file()), 0600U);
  EXPECT_EQ(mode_of(key_file() + ".host"), 0600U);
  EXPECT_EQ(mode_of(folder / "keys"), 0700U);
  EXPECT_TRUE(read_file(key_file()).starts_with("-----BEGIN OPENSSH PRIVATE KEY-----"));
  EXPECT_TRUE(read_file(key_file() + ".host").starts_with("SHA256:"));
  EXPECT_EQ(read_file(key_file() + ".host").find("canary"), std::string::npos);
}

TEST_F(RunPodProvider, WhatWasRefusedLeavesNoKeys) {
  auto made = provider();
  api->script["POST pods"] = {problem(402, "insufficient balance")};
  EXPECT_TRUE(std::holds_alternative<Refused>(made->create(layer, resource)));
  EXPECT_EQ(mode_of(key_file()), 0U);
  EXPECT_EQ(mode_of(key_file() + ".host"), 0U);
}

TEST_F(RunPodProvider, WithoutAKeyNothingIsAsked) {
  environment["RUNPOD_API_KEY"] = "  ";
  auto made = provider();
  auto outcome = made->create(layer, resource);
  ASSERT_TRUE(std::holds_alternative<Refused>(outcome));
  EXPECT_EQ(std::get<Refused>(outcome).kind, Finding::Kind::auth);
  EXPECT_EQ(made->list_owned("aaaaaaaa").error().code, Errc::auth);
  EXPECT_EQ(made->destroy(resource).error().code, Errc::auth);
  EXPECT_EQ(made->preflight(layer).front().kind, Finding::Kind::auth);
  EXPECT_TRUE(api->asked.empty());
}

TEST_F(RunPodProvider, AcceptedAndGoneAreBothFine) {
  auto made = provider();
  api->script["POST pods"] = {http_reply(201, pod_json("pod1"))};
  (void)made->create(layer, resource);
  api->script["DELETE pods/pod1"] = {http_reply(204, "")};
  EXPECT_TRUE(made->destroy(resource));
  EXPECT_EQ(mode_of(key_file()), 0U) << "nobody logs in any more";
  api->script["DELETE pods/pod1"] = {problem(404, "pod not found")};
  api->script[kList] = {http_reply(200, list_of({}))};
  EXPECT_TRUE(made->destroy(resource));
}

TEST_F(RunPodProvider, AnUnclearDeletionIsAnError) {
  auto made = provider();
  for (auto& [reply, code] : std::vector<std::pair<HttpResult, Errc>>{{problem(500, "oops"), Errc::transport},
                                                                      {problem(429, "slow down"), Errc::transport},
                                                                      {lost(true), Errc::transport},
                                                                      {lost(false), Errc::transport},
                                                                      {problem(409, "cluster member"), Errc::refused},
                                                                      {problem(403, "no"), Errc::auth}}) {
    api->script["DELETE pods/pod1"] = {reply};
    auto asked = made->destroy(resource);
    ASSERT_FALSE(asked);
    EXPECT_EQ(asked.error().code, code);
  }
}

TEST_F(RunPodProvider, WhatHasNoKnownIdIsFoundByNameAndToken) {
  auto forged = pod_json("forged"), other = pod_json("other");
  forged["env"]["VT_TOKEN"] = "another", other["name"] = "vt-aaaaaaaa-cccccccccccccccc";
  resource.provider_id.clear();
  auto made = provider();
  api->script[kList] = {http_reply(200, list_of({forged, pod_json("one"), other, pod_json("two")}))};
  api->script["DELETE pods/one"] = api->script["DELETE pods/two"] = {http_reply(204, "")};
  EXPECT_TRUE(made->destroy(resource));
  EXPECT_EQ(api->times("DELETE pods/one"), 1);
  EXPECT_EQ(api->times("DELETE pods/two"), 1) << "a request that something on the way sent twice";
  EXPECT_EQ(api->asked.size(), 3U) << "nobody else's";
  api->script[kList] = {http_reply(200, list_of({}))};
  EXPECT_TRUE(made->destroy(resource));
  api->script[kList] = {lost(true)};
  EXPECT_FALSE(made->destroy(resource));
}

TEST_F(RunPodProvider, AnotherAccountsNotFoundIsNoProof) {
  auto made = provider();
  api->script["POST pods"] = {http_reply(201, pod_json("pod1"))};
  (void)made->create(layer, resource);
  environment["RUNPOD_API_KEY"] = "canary-of-another-account";
  made = provider();
  api->script["DELETE pods/pod1"] = {problem(404, "pod not found")};
  auto asked = made->destroy(resource);
  ASSERT_FALSE(asked);
  EXPECT_EQ(asked.error().code, Errc::auth);
  EXPECT_EQ(asked.error().what.find("canary"), std::string::npos);
  api->script["DELETE pods/pod1"] = {http_reply(204, "")};
  EXPECT_TRUE(made->destroy(resource)) << "a new key of the same account";
}

TEST_F(RunPodProvider, TheKeysStayUntilThePodIsGone) {
  auto made = provider();
  api->script["POST pods"] = {http_reply(201, pod_json("pod1"))};
  (void)made->create(layer, resource);
  api->script["DELETE pods/pod1"] = {http_reply(204, "")};
  api->script["GET pods/pod1"] = {http_reply(200, pod_json("pod1"))};
  EXPECT_TRUE(made->destroy(resource));
  EXPECT_NE(mode_of(key_file() + ".host"), 0U) << "accepted is not gone";
  api->script["DELETE pods/pod1"] = {problem(404, "pod not found")};
  api->script[kList] = {http_reply(200, list_of({}))};
  EXPECT_TRUE(made->destroy(resource));
  EXPECT_EQ(mode_of(key_file() + ".host"), 0U);
}

TEST_F(RunPodProvider, AnotherAccountsListIsNotComplete) {
  auto made = provider();
  api->script["POST pods"] = {lost(true)};
  (void)made->create(layer, resource);
  environment["RUNPOD_API_KEY"] = "canary-of-another-account";
  made = provider();
  api->script[kList] = {http_reply(200, list_of({}))};
  EXPECT_FALSE(made->list_owned("aaaaaaaa")->complete);
  EXPECT_FALSE(made->list_near(resource)->complete);
  auto other = resource;
  other.owner.name = "vt-aaaaaaaa-cccccccccccccccc";
  EXPECT_TRUE(made->list_near(other)->complete) << "of that one nothing speaks against this account";
  api->script[kList] = {http_reply(200, list_of({pod_json("pod1")})), http_reply(200, list_of({}))};
  EXPECT_TRUE(made->list_owned("aaaaaaaa")->complete) << "a new key of the same account";
  EXPECT_TRUE(made->list_owned("aaaaaaaa")->complete) << "which is noted";
  EXPECT_TRUE(made->list_near(resource)->complete);
}

TEST_F(RunPodProvider, KeysOfPodsThatWentUnnoticedAreForgottenInTheEnd) {
  auto made = provider();
  api->script["POST pods"] = {http_reply(201, pod_json("pod1"))};
  (void)made->create(layer, resource);
  api->script[kList] = {http_reply(200, list_of({}))};
  auto made_at = SystemClock().wall();
  manual.wall_ms = made_at;
  ASSERT_TRUE(made->list_owned("aaaaaaaa"));
  EXPECT_NE(mode_of(key_file()), 0U) << "it may still appear";
  manual.wall_ms = made_at + made->late_appearance().count() + 5000;
  ASSERT_TRUE(made->list_owned("aaaaaaaa"));
  EXPECT_EQ(mode_of(key_file()), 0U);
}

TEST_F(RunPodProvider, ListsWhatCarriesOurMark) {
  auto stranger = pod_json("stranger"), neighbour = pod_json("neighbour");
  stranger["name"] = "training", stranger["env"] = {{"HF_TOKEN", "x"}};
  neighbour["name"] = "vt-dddddddd-eeeeeeeeeeeeeeee", neighbour["env"] = json::object();
  auto made = provider();
  api->script[kList] = {http_reply(200, list_of({stranger, pod_json("ours", "EXITED"), neighbour}))};
  auto listing = made->list_owned("aaaaaaaa");
  ASSERT_TRUE(listing) << listing.error().what;
  EXPECT_TRUE(listing->complete);
  ASSERT_EQ(listing->resources.size(), 1U);
  EXPECT_EQ(listing->resources[0].provider_id, "ours");
  EXPECT_EQ(listing->resources[0].owner.token, "token");
  EXPECT_EQ(made->list_owned("")->resources.size(), 2U);
}

TEST_F(RunPodProvider, OnlyAWholeListIsComplete) {
  auto made = provider();
  api->script[kList] = {http_reply(200, list_of({pod_json("ours"), json{{"name", "half"}}}))};
  auto listing = made->list_owned("aaaaaaaa");
  ASSERT_TRUE(listing);
  EXPECT_FALSE(listing->complete);
  EXPECT_EQ(listing->resources.size(), 1U);
  auto text = list_of({pod_json("ours")}).dump();
  for (auto& reply : std::vector<HttpResult>{http_reply(200, text.substr(0, text.size() - 1)), http_reply(200, "{}"), http_reply(200, "[]"),
                                             http_reply(200, "{\"pods\":{}}"), http_reply(206, text), problem(503, "x"), lost(true)}) {
    api->script[kList] = {reply};
    EXPECT_FALSE(made->list_owned("aaaaaaaa"));
  }
}

TEST_F(RunPodProvider, TellsWhatBecameOfAPod) {
  auto made = provider();
  api->script["GET pods/pod1"] = {http_reply(200, pod_json("pod1"))};
  EXPECT_EQ(made->fate(resource).value(), "");
  api->script["GET pods/pod1"] = {http_reply(200, pod_json("pod1", "EXITED"))};
  EXPECT_EQ(made->fate(resource).value(), "RunPod shows the pod as EXITED");
  api->script["GET pods/pod1"] = {problem(404, "pod not found")};
  EXPECT_TRUE(made->fate(resource)->starts_with("RunPod does not know the pod any more"));
  api->script["GET pods/pod1"] = {problem(502, "x")};
  EXPECT_FALSE(made->fate(resource));
}

TEST_F(RunPodProvider, AddsUpWhatRunPodBilled) {
  auto made = provider();
  std::string call = "GET billing/pods?bucketSize=hour&podId=pod1&startTime=2023-11-14T21:13:20Z&endTime=2023-11-14T23:13:20Z";
  api->script[call] = {http_reply(200, json{{"records",
                                             {{{"podId", "pod1"}, {"totalAmount", 0.5}},
                                              {{"podId", "pod1"}, {"totalAmount", 0.25}},
                                              {{"podId", "other"}, {"totalAmount", 9}}}}})};
  auto billed = made->billed(resource);
  ASSERT_TRUE(billed) << billed.error().what;
  EXPECT_EQ((*billed)->micro, 750'000);
  api->script[call] = {http_reply(200, json{{"records", json::array()}})};
  EXPECT_FALSE(made->billed(resource)->has_value()) << "not billed yet is not free";
  api->script[call] = {http_reply(200, "{}")};
  EXPECT_FALSE(made->billed(resource));
}

TEST_F(RunPodProvider, AsksNobodyForAQuote) {
  auto made = provider();
  EXPECT_FALSE(made->quote(layer).known);
  EXPECT_EQ(made->quote(layer).market, "SECURE");
  EXPECT_TRUE(api->asked.empty());
  EXPECT_FALSE(made->existing_hosts());
  EXPECT_EQ(made->needs_environment(), std::vector<std::string>{"RUNPOD_API_KEY"});
  EXPECT_EQ(made->confirm_spacing(), Duration{20});
}

class RunPodPreflight : public RunPodProvider {
 protected:
  std::vector<Finding> findings(const HttpResult& list, const HttpResult& catalogue) {
    auto made = provider();
    api->script[kList] = {list};
    api->script[kCatalogue] = {catalogue};
    auto out = made->preflight(layer);
    for (auto& asked : api->asked) EXPECT_TRUE(asked.call.starts_with("GET ")) << "nothing is changed";
    return out;
  }
  static HttpReply gpus(const std::string& id, double price, const std::string& stock) {
    return http_reply(200, json{{"gpus", {{{"id", id}, {"price", {{"secure", price}, {"community", 0}}}, {"availability", stock}}}}});
  }
  HttpReply pods(EpochMs skew = 0) {
    auto reply = http_reply(200, list_of({}));
    reply.date = manual.wall_ms + skew;
    return reply;
  }
};

TEST_F(RunPodPreflight, FindsNothingWhereAllIsWell) {
  EXPECT_TRUE(findings(pods(), gpus("NVIDIA L4", 0.43, "LOW")).empty());
  EXPECT_TRUE(findings(pods(120'000), gpus("NVIDIA L4", 0.43, "LOW")).empty());
}

TEST_F(RunPodPreflight, TellsWhatStandsInTheWay) {
  using Kind = Finding::Kind;
  using Weight = Finding::Weight;
  struct Case {
    HttpResult list, catalogue;
    Kind kind;
    Weight weight;
    std::string what;
  };
  for (auto& c : std::vector<Case>{
           {problem(401, "bad key"), pods(), Kind::auth, Weight::stops, "RunPod does not accept the key: HTTP status 401: bad key"},
           {lost(false, "no route"), pods(), Kind::network, Weight::stops, "RunPod cannot be asked: no route"},
           {problem(410, "gone"), pods(), Kind::policy, Weight::stops, "RunPod refuses: HTTP status 410: gone"},
           {pods(-121'000), gpus("NVIDIA L4", 0.43, "LOW"), Kind::policy, Weight::stops,
            "this machine's clock and RunPod's are 2m01s apart"},
           {pods(), problem(503, "later"), Kind::network, Weight::stops, "RunPod cannot be asked: HTTP status 503: later"},
           {pods(), gpus("NVIDIA L40S", 0.8, "LOW"), Kind::not_found, Weight::stops, "RunPod has no GPU \"NVIDIA L4\""},
           {pods(), gpus("NVIDIA L4", 0, "LOW"), Kind::price, Weight::stops, "RunPod shows no price for NVIDIA L4 on SECURE"},
           {pods(), gpus("NVIDIA L4", 0.43, "NONE"), Kind::stock_out, Weight::warns,
            "RunPod has none of NVIDIA L4 just now as the plan wants them"}}) {
    auto found = findings(c.list, c.catalogue);
    ASSERT_EQ(found.size(), 1U) << c.what;
    EXPECT_EQ(found[0].kind, c.kind) << c.what;
    EXPECT_EQ(found[0].weight, c.weight) << c.what;
    EXPECT_EQ(found[0].what, c.what);
    EXPECT_FALSE(found[0].remedy.empty());
  }
}

TEST_F(RunPodPreflight, AReplyWithoutADateWarns) {
  auto found = findings(http_reply(200, list_of({})), gpus("NVIDIA L4", 0.43, "LOW"));
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].weight, Finding::Weight::warns);
  EXPECT_EQ(found[0].what, "the clock of RunPod's server could not be read: its reply has no date");
}

TEST_F(RunPodPreflight, NamesWhatMayHaveBeenMeant) {
  layer.options["gpu"] = {"RTX 4090"};
  auto found = findings(pods(), gpus("NVIDIA GeForce RTX 4090", 0.7, "HIGH"));
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].remedy, "perhaps: NVIDIA GeForce RTX 4090");
}

TEST_F(RunPodPreflight, OneUnknownGpuOfSeveralOnlyWarns) {
  layer.options["gpu"] = {"NVIDIA L5", "NVIDIA L4"};
  auto found = findings(pods(), gpus("NVIDIA L4", 0.43, "HIGH"));
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].kind, Finding::Kind::not_found);
  EXPECT_EQ(found[0].weight, Finding::Weight::warns);
}

}  // namespace
}  // namespace vt
