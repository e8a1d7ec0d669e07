#include "providers/gcp/listing.hpp"

#include <gtest/gtest.h>

#include "tests/unit/gcp/fake_cloud.hpp"

using namespace vt;
using nlohmann::json;
using test::FakeCloud;

namespace {

const json kNoImages{{"kind", "compute#imageList"}};
const json kNoDisks{{"kind", "compute#diskAggregatedList"}};
const json kEmptyScope{{"warning", {{"code", "NO_RESULTS_ON_PAGE"}}}};

json page(const json& items) { return {{"kind", "compute#instanceAggregatedList"}, {"items", items}}; }
json vm(const FakeCloud& cloud, const std::string& name, const std::string& install) {
  auto r = test::row(cloud);
  r.owner.install = install;
  return {{"id", "1"}, {"name", name}, {"labels", test::marks(r)}, {"zone", "https://cloud.test/projects/p/zones/us-west1-a"}};
}

Listing list(FakeCloud& cloud, const std::string& install = "abcdefgh") {
  cloud.on("GET */aggregated/disks?*", 200, kNoDisks);
  cloud.on("GET */global/images?*", 200, kNoImages);
  cloud.context.accounts = {"p"};
  auto listing = cloud.provider()->list_owned(install);
  if (!listing) ADD_FAILURE() << listing.error().what;
  return listing.value_or(Listing{});
}

TEST(GcpListing, GathersAllZonesPagesAndKinds) {
  FakeCloud cloud;
  auto first =
      page({{"zones/us-west1-a", {{"instances", json::array({vm(cloud, "vt-a", "abcdefgh")})}}}, {"zones/us-east1-b", kEmptyScope}});
  first["nextPageToken"] = "a/b=";
  cloud.on("GET */aggregated/instances?*pageToken=a%2Fb%3D*", 200,
           page({{"zones/us-east1-b", {{"instances", json::array({vm(cloud, "vt-b", "abcdefgh")})}}}}));
  cloud.on("GET */aggregated/instances?*", 200, first);
  cloud.on("GET */aggregated/disks?*", 200,
           {{"kind", "compute#diskAggregatedList"},
            {"items", {{"zones/us-west1-a", {{"disks", {vm(cloud, "vt-a", "abcdefgh"), vm(cloud, "vt-c", "abcdefgh")}}}}}}});
  cloud.on("GET */global/images?*", 200, {{"kind", "compute#imageList"}, {"items", json::array({vm(cloud, "vt-d", "abcdefgh")})}});
  auto listing = list(cloud);
  EXPECT_TRUE(listing.complete);
  std::vector<std::string> seen;
  for (auto& r : listing.resources) seen.push_back(r.kind + " " + r.owner.name);
  EXPECT_EQ(seen, (std::vector<std::string>{"host vt-a", "host vt-b", "disk vt-a", "disk vt-c", "image vt-d"}));
  auto& r = listing.resources[0];
  EXPECT_EQ(r.account, "p");
  EXPECT_EQ(r.zone, "us-west1-a");
  EXPECT_EQ(r.provider_id, "1");
  EXPECT_EQ(r.owner.expires, test::row(cloud).owner.expires);
  EXPECT_EQ(cloud.count("*returnPartialSuccess*"), 0);
  EXPECT_EQ(cloud.count("GET projects/p/aggregated/instances?maxResults=500&filter=labels.vt-install%3Dabcdefgh*"), 2);
}

TEST(GcpListing, OnlyWhatCarriesTheMarkCounts) {
  FakeCloud cloud;
  auto unmarked = vm(cloud, "vt-x", "abcdefgh");
  unmarked.erase("labels");
  auto instances = page({{"zones/z", {{"instances", {vm(cloud, "vt-a", "abcdefgh"), vm(cloud, "vt-b", "stranger"), unmarked}}}}});
  cloud.on("GET */aggregated/instances?*", 200, instances);
  EXPECT_EQ(list(cloud).resources.size(), 1U) << "even if the filter is not honoured";
  EXPECT_EQ(list(cloud, "").resources.size(), 2U) << "a sweeper sees every installation";
}

TEST(GcpListing, NothingAtAllIsComplete) {
  FakeCloud cloud;
  cloud.on("GET */aggregated/instances?*", 200, page({{"zones/z", kEmptyScope}}));
  EXPECT_TRUE(list(cloud).complete);
}

TEST(GcpListing, WhatIsMissingMakesItIncomplete) {
  auto unreachable = page(json::object()), warned = page({{"zones/z", {{"warning", {{"code", "UNREACHABLE"}}}}}});
  unreachable["unreachables"] = {"zones/us-west1-a"};
  auto top = page(json::object());
  top["warning"] = {{"code", "PARTIAL_SUCCESS"}};
  for (auto& [status, body] :
       std::vector<std::pair<int, json>>{{200, unreachable}, {200, warned}, {200, top}, {200, json::object()}, {503, "gateway"}}) {
    FakeCloud cloud;
    cloud.on("GET */aggregated/instances?*", status, body);
    EXPECT_FALSE(list(cloud).complete) << body;
  }
  FakeCloud second;
  auto first = page({{"zones/z", {{"instances", json::array({vm(second, "vt-a", "abcdefgh")})}}}});
  first["nextPageToken"] = "t";
  second.on("GET */aggregated/instances?*pageToken*", 500, "oops");
  second.on("GET */aggregated/instances?*", 200, first);
  auto listing = list(second);
  EXPECT_FALSE(listing.complete);
  EXPECT_EQ(listing.resources.size(), 1U) << "what was seen may be deleted";
}

TEST(GcpListing, AListThatTurnsInCirclesIsLeft) {
  FakeCloud cloud;
  auto endless = page({{"zones/z", {{"instances", json::array({vm(cloud, "vt-a", "abcdefgh")})}}}});
  endless["nextPageToken"] = "t";
  cloud.on("GET */aggregated/instances?*", 200, endless);
  EXPECT_FALSE(list(cloud).complete);
  EXPECT_EQ(cloud.count("GET */aggregated/instances?*"), 2);
}

TEST(GcpListing, CoversEveryProjectThatIsKnown) {
  FakeCloud cloud;
  cloud.context.accounts = {"old"};
  cloud.context.cloud.environment = [](const std::string& name) { return name == "GCP_PROJECT" ? "now" : ""; };
  cloud.on("GET */aggregated/instances?*", 200, page(json::object()));
  cloud.on("GET */aggregated/disks?*", 200, kNoDisks);
  cloud.on("GET */global/images?*", 200, kNoImages);
  auto provider = cloud.provider();
  provider->create(test::layer(), test::row(cloud));
  ASSERT_TRUE(provider->list_owned("abcdefgh"));
  for (auto project : {"old", "now", "p"})
    EXPECT_EQ(cloud.count("GET projects/" + std::string(project) + "/aggregated/instances?*"), 1) << project;
}

TEST(GcpListing, AThingIsLookedForInItsOwnProjectAlone) {
  FakeCloud cloud;
  cloud.context.accounts = {"unreadable"};
  cloud.on("GET projects/unreadable/*", 403, test::api_error(403, "forbidden", "no"));
  cloud.on("GET */aggregated/instances?*", 200, page(json::object()));
  cloud.on("GET */aggregated/disks?*", 200, kNoDisks);
  cloud.on("GET */global/images?*", 200, kNoImages);
  auto provider = cloud.provider();
  auto near = provider->list_near(test::row(cloud));
  ASSERT_TRUE(near) << near.error().what;
  EXPECT_TRUE(near->complete);
  EXPECT_EQ(cloud.count("GET projects/unreadable/*"), 0);
  auto swept = provider->list_owned("abcdefgh");
  ASSERT_TRUE(swept);
  EXPECT_FALSE(swept->complete) << "a sweep covers both";
  EXPECT_EQ(cloud.count("GET projects/p/aggregated/instances?*"), 2) << "the row's project is remembered";
}

TEST(GcpListing, NothingReadableIsAnError) {
  FakeCloud cloud;
  cloud.on("GET *", 403, test::api_error(403, "forbidden", "no"));
  EXPECT_EQ(cloud.provider()->list_owned("abcdefgh").error().code, Errc::config) << "no project is known";
  cloud.context.accounts = {"p"};
  EXPECT_EQ(cloud.provider()->list_owned("abcdefgh").error().code, Errc::auth);
}

}  // namespace
