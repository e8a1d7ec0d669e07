// What every provider that can run has to keep, whatever it is.
#include <fstream>
#include <map>
#include <ostream>
#include <sstream>

#include "tests/contract/provider/pods.hpp"

using namespace vt;
using namespace vt::test;

namespace {

struct Case {
  std::string name, provider, backend;
  friend std::ostream& operator<<(std::ostream& out, const Case& one) { return out << one.name; }
};

std::string mount_table() {
  std::ifstream in("/proc/self/mountinfo");
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

class ProviderContract : public testing::TestWithParam<Case> {
 protected:
  void SetUp() override {
    layer_ = pod_layer(GetParam().backend);
    layer_.provider = GetParam().provider;
    if (layer_.provider == "local") layer_.hosts.resize(1);
    if (layer_.provider == "bare-metal") use_a_pod_as_the_machine();
    if (IsSkipped() || HasFatalFailure()) return;
    provider_ = find_provider(GetParam().provider)->make({home_.path, &home_.clock});
    if (auto why = cannot(*provider_, layer_); !why.empty()) GTEST_SKIP() << why;
  }

  /// A machine of the user's, for all this provider can tell.
  void use_a_pod_as_the_machine() {
    auto pods = home_.make();
    auto machine = intent("machines");
    if (auto why = cannot(*pods, pod_layer()); !why.empty()) GTEST_SKIP() << why;
    ASSERT_TRUE(std::holds_alternative<Created>(pods->create(pod_layer(), machine)));
    auto made = pods->wait_ready(pod_layer(), machine, within(20));
    ASSERT_TRUE(made) << made.error().what;
    layer_.hosts = {made->hosts[0].access};
    layer_.options.clear();
  }

  /// The hosts, created where the provider creates any.
  Result<Allocation> acquire() {
    if (!provider_->existing_hosts()) { EXPECT_TRUE(std::holds_alternative<Created>(provider_->create(layer_, resource_))); }
    return provider_->wait_ready(layer_, provider_->existing_hosts() ? Resource{} : resource_, within(20));
  }

  PodHome home_;
  Layer layer_;
  Resource resource_ = intent("contract");
  std::unique_ptr<Provider> provider_;
};

TEST_P(ProviderContract, HostsCanBeConnectedTo) {
  auto allocation = acquire();
  ASSERT_TRUE(allocation) << allocation.error().what;
  ASSERT_FALSE(allocation->hosts.empty());
  for (std::size_t i = 0; i < allocation->hosts.size(); ++i) {
    EXPECT_EQ(allocation->hosts[i].rank, static_cast<int>(i));
    EXPECT_EQ(ask(allocation->hosts[i], "echo here"), "here");
  }
}

TEST_P(ProviderContract, WhatWasCreatedIsListedAndWhatWasDestroyedIsNot) {
  ASSERT_TRUE(acquire());
  EXPECT_EQ(lists(*provider_, resource_), !provider_->existing_hosts());
  ASSERT_TRUE(provider_->destroy(resource_));
  ASSERT_TRUE(provider_->destroy(resource_)) << "already gone is accepted";
  EXPECT_FALSE(lists(*provider_, resource_));
  EXPECT_FALSE(lists(*provider_, resource_));
}

TEST_P(ProviderContract, ThingsOfAnotherInstallationAreNotListed) {
  ASSERT_TRUE(acquire());
  auto others = provider_->list_owned("someone2");
  ASSERT_TRUE(others);
  EXPECT_TRUE(others->complete);
  EXPECT_TRUE(others->resources.empty());
}

TEST_P(ProviderContract, DestroyLeavesNothingBehind) {
  std::string before = mount_table();
  ASSERT_TRUE(acquire());
  ASSERT_TRUE(provider_->destroy(resource_));
  EXPECT_EQ(mount_table(), before);
  EXPECT_FALSE(has_processes(resource_.owner.name));
  EXPECT_FALSE(std::filesystem::exists(home_.path + "/pods/" + resource_.owner.name));
  EXPECT_FALSE(std::filesystem::exists("/sys/fs/cgroup/memory/" + pod_mark(resource_.owner.name)));
  EXPECT_FALSE(std::filesystem::exists("/sys/fs/cgroup/" + pod_mark(resource_.owner.name)));
}

/// How to see on a host what a provider predicts of it: a command that prints the fact's value.
const std::map<std::string, std::string>& probes() {
  static const std::string bit = "test $((0x$(sed -n 's/^CapEff:[[:space:]]*//p' /proc/self/status) >> ";
  static const std::map<std::string, std::string> commands{
      {"kernel.modules", bit + "16 & 1)) = 1 && echo yes || echo no"},
      {"host.reboot", bit + "22 & 1)) = 1 && echo yes || echo no"},
      {"init.systemd", "test \"$(cat /proc/1/comm)\" = systemd && echo yes || echo no"},
      {"sysctl.write", "( : >>/proc/sys/kernel/hostname ) 2>/dev/null && echo yes || echo no"},
      {"docker.daemon", "test -S /var/run/docker.sock && echo yes || echo no"},
      {"dmesg.read", "dmesg >/dev/null 2>&1 && echo yes || echo no"},
      {"host.root", "test \"$(id -u)\" = 0 && echo yes || echo no"},
      {"host.bare_metal", "test -e /run/.containerenv && echo no || echo yes"},
      {"virt.container", "tr '\\0' '\\n' </proc/1/environ | sed -n 's/^container=//p'"},
  };
  return commands;
}

TEST_P(ProviderContract, PredictionsHoldOnTheHost) {
  auto allocation = acquire();
  ASSERT_TRUE(allocation) << allocation.error().what;
  auto predicted = provider_->predict(layer_);
  for (auto& [id, fact] : predicted.all()) {
    if (id == "image.build") continue;  // nothing on a host shows it
    EXPECT_FALSE(fact.evidence.empty()) << id;
    ASSERT_TRUE(probes().contains(id)) << id << " is predicted, but nothing here looks at it";
    EXPECT_EQ(ask(allocation->hosts[0], probes().at(id)), fact.value->text()) << id;
  }
}

TEST_P(ProviderContract, CostsNothingHere) {
  auto quote = provider_->quote(layer_);
  EXPECT_TRUE(quote.known);
  EXPECT_EQ(quote.hourly.micro, 0);
  EXPECT_LE(quote.start_low, quote.start_high);
}

/// Only where something is created.
using CreatingProvider = ProviderContract;

TEST_P(CreatingProvider, ListedResourcesCarryTheirWholeOwnership) {
  ASSERT_TRUE(acquire());
  auto listing = provider_->list_owned("contract");
  ASSERT_TRUE(listing);
  ASSERT_EQ(listing->resources.size(), 1U);
  auto& seen = listing->resources[0].owner;
  EXPECT_EQ(seen.name, resource_.owner.name);
  EXPECT_EQ(seen.install, "contract");
  EXPECT_EQ(seen.attempt, resource_.owner.attempt);
  EXPECT_EQ(seen.token, resource_.owner.token);
  EXPECT_EQ(seen.expires, resource_.owner.expires);
  EXPECT_EQ(listing->resources[0].provider, GetParam().provider);
}

INSTANTIATE_TEST_SUITE_P(All, ProviderContract,
                         testing::Values(Case{"local", "local", ""}, Case{"bare_metal", "bare-metal", ""},
                                         Case{"runc", "container", "runc"}, Case{"bwrap", "container", "bwrap"},
                                         Case{"unshare", "container", "unshare"}),
                         [](auto& one) { return one.param.name; });
INSTANTIATE_TEST_SUITE_P(All, CreatingProvider,
                         testing::Values(Case{"runc", "container", "runc"}, Case{"bwrap", "container", "bwrap"},
                                         Case{"unshare", "container", "unshare"}),
                         [](auto& one) { return one.param.name; });

}  // namespace
