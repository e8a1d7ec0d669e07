#include "providers/registry.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

using namespace vt;

namespace {

bool accepts(const std::string& provider, const std::string& key) {
  auto& options = find_provider(provider)->options;
  return std::any_of(options.begin(), options.end(), [&](auto& o) { return o == key || o == key + "!"; });
}

TEST(Registry, NamesAreUniqueAndFindable) {
  std::set<std::string> names;
  for (auto& entry : provider_registry()) {
    EXPECT_TRUE(names.insert(entry.name).second) << entry.name;
    EXPECT_EQ(find_provider(entry.name), &entry);
    EXPECT_NE(std::string(entry.summary), "");
  }
  EXPECT_EQ(find_provider("azure"), nullptr);
}

TEST(Registry, NoProviderNamesAKeyTwice) {
  for (auto& entry : provider_registry()) {
    std::set<std::string> keys;
    for (auto key : entry.options) {
      if (key.ends_with('!')) key.pop_back();
      EXPECT_TRUE(keys.insert(key).second) << entry.name << " " << key;
    }
  }
}

TEST(Registry, AcceptsTheKeysOfAnImagePlan) {
  for (auto key :
       {"project", "machine", "zones", "market", "build.packer", "build.only", "build.vars.*", "build.rebuild", "build.keep", "test-on"})
    EXPECT_TRUE(accepts("gcp", key)) << key;
  for (auto key : {"gpu", "cloud", "image", "disk", "min-cuda", "ansible.playbook", "ansible.roles", "ansible.idempotent"})
    EXPECT_TRUE(accepts("runpod", key)) << key;
  EXPECT_TRUE(accepts("container", "backend"));
}

TEST(Registry, WhatCannotRunSaysSoBeforeAnythingIsSpent) {
  for (auto& entry : provider_registry()) {
    if (entry.can_run) continue;
    auto provider = entry.make({});
    auto findings = provider->preflight({});
    ASSERT_EQ(findings.size(), 1U) << entry.name;
    EXPECT_EQ(findings[0].kind, Finding::Kind::unsupported);
    EXPECT_EQ(findings[0].weight, Finding::Weight::stops);
    EXPECT_EQ(findings[0].what, std::string(entry.name) + " cannot run yet in this version");
    EXPECT_FALSE(provider->quote({}).known);
    EXPECT_FALSE(provider->existing_hosts());
    EXPECT_TRUE(std::holds_alternative<Refused>(provider->create({}, {})));
    EXPECT_FALSE(provider->list_owned("any"));
  }
}

TEST(Registry, OnlyThesePlansNeedCredentials) {
  for (auto& entry : provider_registry()) {
    auto needs = entry.make({"/tmp", nullptr})->needs_environment();
    EXPECT_EQ(needs, entry.name == std::string("runpod") ? std::vector<std::string>{"RUNPOD_API_KEY"} : std::vector<std::string>{})
        << entry.name;
  }
}

}  // namespace
