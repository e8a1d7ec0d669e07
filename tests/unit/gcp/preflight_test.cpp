#include <gtest/gtest.h>

#include <algorithm>

#include "tests/unit/gcp/fake_cloud.hpp"

using namespace vt;
using nlohmann::json;
using test::FakeCloud;
using Kind = Finding::Kind;
using Weight = Finding::Weight;

namespace {

json quota(const std::string& metric, double limit, double usage = 0) { return {{"metric", metric}, {"limit", limit}, {"usage", usage}}; }
json region(const std::string& name, double spot, double standard) {
  return {{"name", name}, {"quotas", {quota("PREEMPTIBLE_NVIDIA_RTX_PRO_6000_GPUS", spot), quota("NVIDIA_RTX_PRO_6000_GPUS", standard)}}};
}

/// Everything is there, unless a test said otherwise before.
void fill(FakeCloud& cloud) {
  cloud.on("GET projects/p", 200, {{"name", "p"}, {"quotas", json::array({quota("GPUS_ALL_REGIONS", 1)})}});
  cloud.on("GET */machineTypes/*", 200, {{"name", "g4-standard-48"}, {"guestCpus", 48}});
  cloud.on("GET projects/p/regions/us-central1", 200, region("us-central1", 1, 1));
  cloud.on("GET projects/p/regions/us-west1", 200, region("us-west1", 1, 1));
  cloud.on("GET */global/images/family/*", 200, {{"name", "x"}});
  cloud.on("GET */global/networks/default", 200, {{"name", "default"}});
}

std::vector<Finding> look(FakeCloud& cloud, const Options& options = {}) {
  fill(cloud);
  return cloud.provider()->preflight(test::layer(options));
}
const Finding* find(const std::vector<Finding>& findings, Kind kind, Weight weight) {
  auto it = std::find_if(findings.begin(), findings.end(), [&](auto& f) { return f.kind == kind && f.weight == weight; });
  return it == findings.end() ? nullptr : &*it;
}
std::string text(const std::vector<Finding>& findings) {
  std::string all;
  for (auto& finding : findings) all += finding.what + "\n";
  return all;
}

TEST(GcpPreflight, FindsNothingWhereAllIsThere) {
  FakeCloud cloud;
  auto findings = look(cloud);
  EXPECT_TRUE(findings.empty()) << text(findings);
  EXPECT_EQ(cloud.count("GET *"), static_cast<int>(cloud.asked().size())) << "it changes nothing";
}

TEST(GcpPreflight, WrongPlansStopBeforeAnythingIsAsked) {
  FakeCloud cloud;
  EXPECT_TRUE(find(look(cloud, {{"market", {"cheap"}}}), Kind::policy, Weight::stops));
  EXPECT_TRUE(find(look(cloud, {{"project", {"${env.GCP_PROJECT}"}}}), Kind::policy, Weight::stops));
  EXPECT_TRUE(cloud.asked().empty());
}

TEST(GcpPreflight, ProjectsThatCannotBeSeenStop) {
  FakeCloud forbidden;
  forbidden.on("GET projects/p", 403, test::api_error(403, "forbidden", "Required 'compute.projects.get' permission"));
  EXPECT_TRUE(find(look(forbidden), Kind::auth, Weight::stops));
  FakeCloud absent;
  absent.on("GET projects/p", 404, test::api_error(404, "notFound", "The resource 'projects/p' was not found"));
  EXPECT_TRUE(find(look(absent), Kind::not_found, Weight::stops));
  FakeCloud dark;
  dark.lose("GET projects/p", false);
  EXPECT_TRUE(find(look(dark), Kind::network, Weight::stops));
}

TEST(GcpPreflight, AWrongClockStops) {
  FakeCloud cloud;
  cloud.skew = Duration{119'000};
  EXPECT_TRUE(look(cloud).empty());
  cloud.skew = Duration{-121'000};
  auto findings = look(cloud);
  ASSERT_EQ(findings.size(), 1U) << text(findings);
  EXPECT_EQ(findings[0].weight, Weight::stops);
  EXPECT_NE(findings[0].what.find("ahead"), std::string::npos);
}

TEST(GcpPreflight, ZonesThatDoNotOfferItWarnWhileOneDoes) {
  FakeCloud one;
  one.on("GET */zones/us-west1-a/machineTypes/*", 404, test::api_error(404, "notFound", "none"));
  auto findings = look(one);
  ASSERT_EQ(findings.size(), 1U) << text(findings);
  EXPECT_EQ(findings[0].what, "us-west1-a does not offer g4-standard-48");
  EXPECT_EQ(findings[0].weight, Weight::warns);
  FakeCloud none;
  none.on("GET */machineTypes/g4-*", 404, test::api_error(404, "notFound", "none"));
  EXPECT_TRUE(find(look(none), Kind::not_found, Weight::stops));
}

TEST(GcpPreflight, WhereSpotIsImpossibleOnDemandIsUsedIfThePlanAllows) {
  FakeCloud cloud;
  cloud.on("GET projects/p/regions/us-*", 200, region("us-central1", 0, 1));
  auto both = look(cloud, {{"market", {"spot", "on-demand"}}});
  EXPECT_FALSE(find(both, Kind::region_quota, Weight::stops)) << text(both);
  EXPECT_NE(text(both).find("spot is not possible in any zone of the plan, on-demand is what will be used"), std::string::npos);
  EXPECT_TRUE(find(look(cloud), Kind::region_quota, Weight::stops));
}

TEST(GcpPreflight, OneRegionWithoutQuotaOnlyWarns) {
  FakeCloud cloud;
  cloud.on("GET projects/p/regions/us-west1", 200, region("us-west1", 0, 0));
  auto findings = look(cloud);
  ASSERT_EQ(findings.size(), 1U) << text(findings);
  EXPECT_EQ(findings[0].weight, Weight::warns);
}

TEST(GcpPreflight, NoGpuQuotaOverAllRegionsStops) {
  FakeCloud cloud;
  cloud.on("GET projects/p", 200, {{"quotas", json::array({quota("GPUS_ALL_REGIONS", 1, 1)})}});
  auto findings = look(cloud);
  auto finding = find(findings, Kind::quota, Weight::stops);
  ASSERT_TRUE(finding) << text(findings);
  EXPECT_NE(finding->remedy.find("confirmed gone"), std::string::npos);
}

TEST(GcpPreflight, ImageAndNetworkMustExist) {
  FakeCloud cloud;
  cloud.on("GET */global/images/*", 404, test::api_error(404, "notFound", "no image"));
  cloud.on("GET */global/networks/*", 404, test::api_error(404, "notFound", "no network"));
  auto findings = look(cloud);
  EXPECT_TRUE(find(findings, Kind::policy, Weight::stops)) << "the image, missing in every zone";
  EXPECT_TRUE(find(findings, Kind::not_found, Weight::stops)) << "the network";
}

TEST(GcpPreflight, NoPriceNoInstance) {
  FakeCloud cloud;
  cloud.context.prices = cloud.dir.path();
  auto findings = look(cloud);
  ASSERT_TRUE(find(findings, Kind::price, Weight::stops)) << text(findings);
  EXPECT_FALSE(cloud.provider()->quote(test::layer()).known);
}

}  // namespace
