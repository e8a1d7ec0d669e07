#include <gtest/gtest.h>

#include "providers/gcp/instance_key.hpp"
#include "tests/unit/gcp/fake_cloud.hpp"

using namespace vt;
using nlohmann::json;
using test::FakeCloud;

namespace {

constexpr const char* kZone = "projects/p/zones/us-central1-b/";
constexpr const char* kName = "vt-abcdefgh-qrstuvwxyz234567";

std::string line(const std::string& method, const std::string& path) { return method + " " + kZone + path; }
json thing(const Resource& r) { return {{"id", "55"}, {"name", r.owner.name}, {"labels", test::marks(r)}}; }

TEST(GcpDestroy, DeletesByIdThenTheDiskThatStayed) {
  FakeCloud cloud;
  auto r = test::row(cloud);
  cloud.on(line("DELETE", "instances/1234"), 200, {{"name", "operation-1"}, {"status", "RUNNING"}});
  cloud.on(line("GET", "operations/operation-1"), 200, test::operation());
  cloud.on(line("GET", std::string("disks/") + kName), 200, thing(r));
  cloud.on(line("DELETE", std::string("disks/") + kName), 200, test::operation());
  ASSERT_TRUE(gcp::instance_key(cloud.dir.path(), kName));
  auto destroyed = cloud.provider()->destroy(r);
  ASSERT_TRUE(destroyed) << destroyed.error().what;
  EXPECT_EQ(cloud.count("DELETE *"), 2);
  EXPECT_EQ(test::read_file(gcp::key_path(cloud.dir.path(), kName)), "") << "nobody logs in any more";
}

TEST(GcpDestroy, NotThereIsDone) {
  FakeCloud cloud;
  EXPECT_TRUE(cloud.provider()->destroy(test::row(cloud)));
}

TEST(GcpDestroy, WithoutAnIdOnlyWhatShowsOurTokenIsDeleted) {
  FakeCloud cloud;
  auto r = test::row(cloud);
  r.provider_id = "";
  auto strange = thing(r);
  strange["labels"]["vt-token"] = "somebodyelse";
  cloud.on(line("GET", std::string("instances/") + kName), 200, strange);
  cloud.on(line("GET", std::string("disks/") + kName), 200, strange);
  EXPECT_TRUE(cloud.provider()->destroy(r));
  EXPECT_EQ(cloud.count("DELETE *"), 0);

  FakeCloud own;
  own.on(line("GET", std::string("instances/") + kName), 200, thing(r));
  own.on(line("DELETE", std::string("instances/") + kName), 200, test::operation());
  EXPECT_TRUE(own.provider()->destroy(r));
  EXPECT_EQ(own.count("DELETE *"), 1);
}

TEST(GcpDestroy, AnIdOfTheDiskDoesNotHideTheInstance) {
  FakeCloud cloud;
  auto r = test::row(cloud);
  r.provider_id = "999";  // of the disk
  cloud.on(line("GET", std::string("instances/") + kName), 200, thing(r));
  cloud.on(line("DELETE", std::string("instances/") + kName), 200, test::operation());
  EXPECT_TRUE(cloud.provider()->destroy(r));
  EXPECT_EQ(cloud.count(line("DELETE", std::string("instances/") + kName)), 1);
}

TEST(GcpDestroy, DisksAndImagesOfOursGoToo) {
  FakeCloud cloud;
  auto disk = test::row(cloud), image = test::row(cloud);
  disk.kind = "disk", image.kind = "image", image.zone = "";
  cloud.on(line("GET", std::string("disks/") + kName), 200, thing(disk));
  cloud.on(line("DELETE", std::string("disks/") + kName), 200, test::operation());
  cloud.on(std::string("GET projects/p/global/images/") + kName, 200, thing(image));
  cloud.on(std::string("DELETE projects/p/global/images/") + kName, 200, test::operation());
  EXPECT_TRUE(cloud.provider()->destroy(disk));
  EXPECT_TRUE(cloud.provider()->destroy(image));
  EXPECT_EQ(cloud.count("DELETE *"), 2);
  EXPECT_EQ(cloud.count("* projects/p/zones/*/instances/*"), 0);
}

TEST(GcpDestroy, WhatDoesNotAnswerOrFailsIsAnError) {
  FakeCloud cut;
  cut.lose("DELETE *", true);
  EXPECT_EQ(cut.provider()->destroy(test::row(cut)).error().code, Errc::transport);
  FakeCloud failed;
  failed.on("DELETE *", 200, test::operation("RESOURCE_IN_USE_BY_ANOTHER_RESOURCE", "in use"));
  EXPECT_FALSE(failed.provider()->destroy(test::row(failed)));
  FakeCloud cloud;
  auto r = test::row(cloud);
  r.account = "";
  EXPECT_EQ(cloud.provider()->destroy(r).error().code, Errc::config);
}

}  // namespace
