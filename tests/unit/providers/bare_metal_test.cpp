#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "providers/registry.hpp"

using namespace vt;

namespace {

class BareMetal : public testing::Test {
 protected:
  BareMetal() {
    char name[] = "/tmp/vt-metal-XXXXXX";
    folder_ = mkdtemp(name);
    host_.address = "cube-01.lan";
    host_.host_key = "SHA256:abc";
  }
  ~BareMetal() override { std::filesystem::remove_all(folder_); }
  std::string file(const std::string& name, mode_t mode) {
    std::ofstream(folder_ + "/" + name) << "x";
    chmod((folder_ + "/" + name).c_str(), mode);
    return folder_ + "/" + name;
  }
  std::vector<Finding> findings() {
    Layer layer;
    layer.hosts = {host_};
    return provider_->preflight(layer);
  }
  void expect_one(Finding::Kind kind, const std::string& part) {
    auto found = findings();
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].kind, kind);
    EXPECT_EQ(found[0].weight, Finding::Weight::stops);
    EXPECT_NE(found[0].what.find(part), std::string::npos) << found[0].what;
    EXPECT_FALSE(found[0].remedy.empty());
  }

  std::string folder_;
  HostSpec host_;
  std::unique_ptr<Provider> provider_ = find_provider("bare-metal")->make({});
};

TEST_F(BareMetal, APinnedHostWithASafeKeyIsFine) {
  host_.identity = file("key", 0600);
  EXPECT_TRUE(findings().empty());
}

TEST_F(BareMetal, AMissingIdentityIsNamed) {
  host_.identity = folder_ + "/none";
  expect_one(Finding::Kind::not_found, folder_ + "/none cannot be read: No such file or directory");
}

TEST_F(BareMetal, AnIdentityOthersCanReadIsRefused) {
  host_.identity = file("key", 0640);
  expect_one(Finding::Kind::auth, "can be read by others");
}

TEST_F(BareMetal, AFolderIsNoIdentity) {
  host_.identity = folder_;
  expect_one(Finding::Kind::auth, "is not a file");
}

TEST_F(BareMetal, AHostWithoutPinnedKeyIsRefused) {
  host_.host_key.clear();
  expect_one(Finding::Kind::policy, "cube-01.lan: no host key is pinned");
}

TEST_F(BareMetal, KnownHostsReplaceTheFingerprint) {
  host_.host_key.clear();
  host_.known_hosts = file("known", 0644);
  EXPECT_TRUE(findings().empty());
  host_.known_hosts = folder_ + "/none";
  expect_one(Finding::Kind::not_found, "known-hosts");
}

TEST_F(BareMetal, OnlySha256FingerprintsArePins) {
  host_.host_key = "MD5:aa:bb";
  expect_one(Finding::Kind::policy, "is not a SHA256: fingerprint");
}

TEST_F(BareMetal, AJumpHostNeedsAPinToo) {
  host_.jump = "user@gate:22";
  expect_one(Finding::Kind::policy, "jump host user@gate:22");
  host_.jump_key = "SHA256:def";
  EXPECT_TRUE(findings().empty());
}

TEST_F(BareMetal, ALayerWithoutHostsIsRefused) {
  EXPECT_EQ(provider_->preflight({}).size(), 1U);
  EXPECT_FALSE(provider_->wait_ready({}, {}, Deadline::after(std::chrono::seconds(1))));
}

TEST_F(BareMetal, EveryHostIsARankInThePlansOrder) {
  Layer layer;
  layer.hosts = {host_, host_};
  layer.hosts[1].address = "cube-02.lan";
  auto allocation = provider_->wait_ready(layer, {}, Deadline::after(std::chrono::seconds(1)));
  ASSERT_TRUE(allocation);
  ASSERT_EQ(allocation->hosts.size(), 2U);
  EXPECT_EQ(allocation->hosts[1].rank, 1);
  EXPECT_EQ(allocation->hosts[1].name, "cube-02.lan");
  EXPECT_EQ(allocation->hosts[1].access.host_key, "SHA256:abc");
  EXPECT_TRUE(allocation->resource.empty());
}

}  // namespace
