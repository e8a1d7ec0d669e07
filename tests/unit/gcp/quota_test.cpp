#include "providers/gcp/quota.hpp"

#include <gtest/gtest.h>

#include "tests/unit/gcp/fake_cloud.hpp"

using namespace vt;
using namespace vt::gcp;
using nlohmann::json;

namespace {

json region(const json& quotas) { return {{"name", "us-central1"}, {"quotas", quotas}}; }
json quota(const std::string& metric, double limit, double usage) { return {{"metric", metric}, {"limit", limit}, {"usage", usage}}; }

const std::string kGpu = "NVIDIA_RTX_PRO_6000_GPUS", kSpot = "PREEMPTIBLE_" + kGpu;

Wish wish(const std::string& machine = "g4-standard-48") { return wish_of(test::layer({{"machine", {machine}}})).take(); }
std::string words(const QuotaVerdict& verdict) {
  std::string all;
  for (auto& finding : verdict.findings) all += finding.what + " -> " + finding.remedy + "\n";
  return all;
}
bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(GcpQuota, EnoughSaysNothing) {
  auto verdict = judge_region(region(json::array({quota(kSpot, 1, 0)})), wish(), "spot", 48);
  EXPECT_TRUE(verdict.possible);
  EXPECT_EQ(words(verdict), "");
}

TEST(GcpQuota, MissingIsUnknownAndNeitherNoneNorEnough) {
  auto verdict = judge_region(region(json::array()), wish(), "spot", 48);
  EXPECT_TRUE(verdict.possible);
  EXPECT_TRUE(has(words(verdict), "unknown whether " + kSpot)) << words(verdict);
  EXPECT_EQ(verdict.findings[0].weight, Finding::Weight::warns);
}

TEST(GcpQuota, NoSpotQuotaRulesSpotOut) {
  auto verdict = judge_region(region(json::array({quota(kSpot, 0, 0), quota(kGpu, 8, 0)})), wish(), "spot", 48);
  EXPECT_FALSE(verdict.possible);
  EXPECT_TRUE(has(words(verdict), "spot is not possible there"));
}

TEST(GcpQuota, ALimitedRunOnDemandMayDrawOnPreemptibleQuota) {
  auto verdict = judge_region(region(json::array({quota(kSpot, 1, 0), quota(kGpu, 0, 0)})), wish(), "on-demand", 48);
  EXPECT_TRUE(verdict.possible);
  EXPECT_TRUE(has(words(verdict), kSpot + " has room"));
  EXPECT_FALSE(judge_region(region(json::array({quota(kSpot, 1, 1), quota(kGpu, 0, 0)})), wish(), "on-demand", 48).possible);
}

TEST(GcpQuota, AnEarlierMachineMayStillCount) {
  auto verdict = judge_region(region(json::array({quota(kSpot, 1, 1)})), wish(), "spot", 48);
  EXPECT_FALSE(verdict.possible);
  EXPECT_TRUE(has(words(verdict), "1 of 1 in use")) << words(verdict);
  EXPECT_TRUE(has(words(verdict), "confirmed gone")) << words(verdict);
  EXPECT_TRUE(verdict.findings[0].passes) << "it may be waited for";
  auto none = judge_region(region(json::array({quota(kSpot, 0, 0)})), wish(), "spot", 48);
  EXPECT_FALSE(has(words(none), "confirmed gone"));
  EXPECT_FALSE(none.findings[0].passes);
}

TEST(GcpQuota, SeveralGpusNeedSeveral) {
  EXPECT_FALSE(judge_region(region(json::array({quota(kSpot, 1, 0)})), wish("g4-standard-96"), "spot", 96).possible);
  EXPECT_TRUE(judge_region(region(json::array({quota(kSpot, 2, 0)})), wish("g4-standard-96"), "spot", 96).possible);
}

TEST(GcpQuota, SeveralMachinesNeedSeveral) {
  auto three = wish_of(test::layer({{"count", {"3"}}})).take();
  EXPECT_FALSE(judge_region(region(json::array({quota(kSpot, 2, 0)})), three, "spot", 48).possible);
  EXPECT_TRUE(judge_region(region(json::array({quota(kSpot, 3, 0)})), three, "spot", 48).possible);
  EXPECT_FALSE(judge_project({{"quotas", json::array({quota("GPUS_ALL_REGIONS", 2, 0)})}}, three).possible);
  auto plain = wish_of(test::layer({{"machine", {"e2-standard-2"}}, {"count", {"3"}}})).take();
  EXPECT_FALSE(judge_region(region(json::array({quota("CPUS", 5, 0)})), plain, "spot", 2).possible);
  EXPECT_TRUE(judge_region(region(json::array({quota("CPUS", 6, 0)})), plain, "spot", 2).possible);
}

TEST(GcpQuota, VcpusCountOnlyWhereTheFamilyNeedsThem) {
  EXPECT_EQ(words(judge_region(region(json::array({quota(kSpot, 1, 0), quota("CPUS", 0, 0)})), wish(), "spot", 48)), "");
  EXPECT_FALSE(judge_region(region(json::array({quota("CPUS", 1, 0)})), wish("e2-standard-2"), "spot", 2).possible);
  EXPECT_FALSE(
      judge_region(region(json::array({quota("CPUS", 8, 0), quota("N2_CPUS", 0, 0)})), wish("n2-standard-4"), "on-demand", 4).possible);
  EXPECT_EQ(words(judge_region(region(json::array({quota("CPUS", 8, 0)})), wish("e2-standard-2"), "spot", 2)), "");
}

TEST(GcpQuota, TheLimitOverAllRegionsStops) {
  auto none = judge_project({{"quotas", json::array({quota("GPUS_ALL_REGIONS", 0, 0)})}}, wish());
  EXPECT_FALSE(none.possible);
  EXPECT_EQ(none.findings[0].kind, Finding::Kind::quota);
  EXPECT_EQ(none.findings[0].weight, Finding::Weight::stops);
  EXPECT_TRUE(judge_project({{"quotas", json::array({quota("GPUS_ALL_REGIONS", 1, 0)})}}, wish()).findings.empty());
  EXPECT_TRUE(has(words(judge_project(json::object(), wish())), "unknown"));
  EXPECT_TRUE(judge_project(json::object(), wish("e2-micro")).findings.empty());
}

}  // namespace
