#include "orchestrator/model/capability.hpp"

#include <gtest/gtest.h>

using namespace vt;

TEST(Capability, DifferencesIgnoreUnknowns) {
  Capabilities predicted, probed;
  predicted.set({"gpu", Value(1), "the pod has one", FactOrigin::predicted, {}});
  predicted.set({"host.reboot", Value(false), "a pod", FactOrigin::predicted, {}});
  predicted.set({"init.systemd", Value(false), "a pod", FactOrigin::predicted, {}});
  probed.set({"gpu", Value(2), "two nodes", FactOrigin::probed, {}});
  probed.set({"host.reboot", std::nullopt, "unreadable", FactOrigin::probed, {}});
  probed.set({"init.systemd", Value(false), "pid 1 is sshd", FactOrigin::probed, {}});
  auto found = differences(predicted, probed);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].probed.evidence, "two nodes");
}
