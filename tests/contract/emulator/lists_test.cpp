#include <gtest/gtest.h>

#include "tests/contract/emulator/emulated.hpp"

namespace vt::test {

using nlohmann::json;

namespace {

void make_disks(Emulated& e, const std::string& zone, int count) {
  for (int i = 0; i < count; ++i)
    e.gcp("POST", "zones/" + zone + "/disks", {{"name", "d" + std::to_string(i)}, {"labels", {{"even", i % 2 == 0 ? "yes" : "no"}}}});
}

std::vector<std::string> names(const json& reply) {
  std::vector<std::string> all;
  for (auto& row : reply.value("items", json::array())) all.push_back(row["name"]);
  return all;
}

}  // namespace

TEST(EmulatedLists, AnEmptyOneHasNoItems) {
  Emulated e;
  Answer answer = e.gcp("GET", "zones/us-central1-b/disks");
  EXPECT_EQ(answer.status, 200);
  EXPECT_FALSE(answer.body.contains("items"));
  EXPECT_EQ(e.gcp("GET", "zones/mars-1/disks").status, 404);
}

TEST(EmulatedLists, ComeInPages) {
  Emulated e;
  make_disks(e, "us-central1-b", 5);
  std::vector<std::string> all;
  std::string token;
  int pages = 0;
  do {
    json page = e.gcp("GET", "zones/us-central1-b/disks?maxResults=2" + (token.empty() ? "" : "&pageToken=" + token)).body;
    for (auto& name : names(page)) all.push_back(name);
    token = page.value("nextPageToken", "");
    for (std::size_t at = token.find('='); at != std::string::npos; at = token.find('=')) token.replace(at, 1, "%3D");
    ++pages;
  } while (!token.empty());
  EXPECT_EQ(pages, 3);
  EXPECT_EQ(all, (std::vector<std::string>{"d0", "d1", "d2", "d3", "d4"}));
}

TEST(EmulatedLists, AreFilteredByLabel) {
  Emulated e;
  make_disks(e, "us-central1-b", 4);
  EXPECT_EQ(names(e.gcp("GET", "zones/us-central1-b/disks?filter=labels.even%3Dyes").body), (std::vector<std::string>{"d0", "d2"}));
  EXPECT_EQ(e.gcp("GET", "zones/us-central1-b/disks?filter=nonsense").status, 400);
}

TEST(EmulatedLists, AggregatedOnesNameEveryZone) {
  Emulated e;
  make_disks(e, "us-central1-b", 1);
  make_disks(e, "us-east4-a", 1);
  json items = e.gcp("GET", "aggregated/disks").body["items"];
  EXPECT_EQ(items["zones/us-central1-b"]["disks"].size(), 1U);
  EXPECT_EQ(items["zones/us-east4-a"]["disks"].size(), 1U);
  EXPECT_EQ(items["zones/us-west1-a"]["warning"]["code"], "NO_RESULTS_ON_PAGE");
}

TEST(EmulatedLists, APartialOneSaysSo) {
  const char* plan = R"([{"api":"gcp","call":"list","probability":1,"kind":"partial"}])";
  Emulated e(plan);
  make_disks(e, "us-central1-b", 2);
  EXPECT_EQ(e.gcp("GET", "aggregated/disks").status, 503) << "unless the caller takes parts";
  json parts = e.gcp("GET", "aggregated/disks?returnPartialSuccess=true").body;
  EXPECT_EQ(parts["unreachables"], json::array({"zones/us-central1-b"}));
  EXPECT_FALSE(parts["items"].contains("zones/us-central1-b"));
  json page = e.gcp("GET", "zones/us-central1-b/disks").body;
  EXPECT_EQ(page["items"].size(), 1U);
  EXPECT_TRUE(page.contains("nextPageToken"));
}

TEST(EmulatedLists, ImagesAreFoundByFamily) {
  Emulated e;
  EXPECT_EQ(e.send("GET", "/compute/v1/projects/debian-cloud/global/images/family/debian-12").body["family"], "debian-12");
  EXPECT_TRUE(e.send("GET", "/compute/v1/projects/debian-cloud/zones/-/imageFamilyViews/debian-12").body.contains("image"));
  e.finished(e.gcp("POST", "zones/us-central1-b/disks", {{"name", "d"}}));
  json source = {{"name", "img1"}, {"family", "fam"}, {"sourceDisk", "projects/p/zones/us-central1-b/disks/d"}};
  e.finished(e.gcp("POST", "global/images", source));
  EXPECT_EQ(e.gcp("GET", "global/images/family/fam").body["name"], "img1");
  e.finished(e.gcp("POST", "global/images/img1/deprecate", {{"state", "DEPRECATED"}}));
  EXPECT_EQ(e.gcp("GET", "global/images/family/fam").status, 404);
  e.finished(e.gcp("DELETE", "global/images/img1"));
  EXPECT_EQ(e.gcp("GET", "global/images/img1").status, 404);
}

TEST(EmulatedLists, MachineTypesTellTheirGpus) {
  Emulated e;
  json g4 = e.gcp("GET", "zones/us-central1-b/machineTypes/g4-standard-96").body;
  EXPECT_EQ(g4["accelerators"], json::parse(R"([{"guestAcceleratorType":"nvidia-rtx-pro-6000","guestAcceleratorCount":2}])"));
  json where = e.gcp("GET", "aggregated/machineTypes?filter=name%3Dg4-standard-48").body["items"];
  EXPECT_TRUE(where["zones/us-central1-b"].contains("machineTypes"));
  EXPECT_TRUE(where["zones/us-east4-a"].contains("warning"));
}

}  // namespace vt::test
