// The process that makes or destroys a pod is killed at every point where it touches the world.
#include <signal.h>

#include "tests/contract/provider/child.hpp"

using namespace vt;
using namespace vt::test;

namespace {

#ifdef VT_FAILPOINTS

struct Crash {
  const char* backend;
  const char* failpoint;
  friend std::ostream& operator<<(std::ostream& out, const Crash& one) { return out << one.backend << " " << one.failpoint; }
};

class PodCrash : public testing::TestWithParam<Crash> {
 protected:
  void SetUp() override {
    provider_ = home_.make();
    if (auto why = cannot(*provider_, pod_layer(GetParam().backend)); !why.empty()) GTEST_SKIP() << why;
  }
  ToolRun tool(const std::string& verb, const std::string& failpoint = "") {
    return pod_tool({home_.path, GetParam().backend, verb, r_.owner.name}, failpoint);
  }

  PodHome home_;
  Resource r_ = intent("crashes2");
  std::unique_ptr<Provider> provider_;
};

TEST_P(PodCrash, NothingIsLeftAfterListingAndDestroying) {
  std::string point = GetParam().failpoint;
  bool destroying = point.starts_with("container.destroy");
  if (destroying) {
    auto made = tool("create");
    ASSERT_EQ(made.status, 0) << made.said;
  }
  auto killed = tool(destroying ? "destroy" : "create", point);
  ASSERT_TRUE(WIFSIGNALED(killed.status) && WTERMSIG(killed.status) == SIGKILL) << point << " was not reached: " << killed.said;

  bool something = has_processes(r_.owner.name) || std::filesystem::exists(home_.path + "/pods/" + r_.owner.name);
  EXPECT_EQ(lists(*provider_, r_), something);
  ASSERT_TRUE(provider_->destroy(r_));
  EXPECT_FALSE(lists(*provider_, r_));
  EXPECT_FALSE(lists(*provider_, r_));
  EXPECT_FALSE(has_processes(r_.owner.name));
  EXPECT_FALSE(std::filesystem::exists(home_.path + "/pods/" + r_.owner.name));
  EXPECT_FALSE(std::filesystem::exists("/sys/fs/cgroup/memory/" + pod_mark(r_.owner.name)));
}

using PodOrphan = PodCrash;

TEST_P(PodOrphan, OutlivesItsMakerAndCanBeAdopted) {
  auto killed = tool("create", GetParam().failpoint);
  ASSERT_TRUE(WIFSIGNALED(killed.status)) << killed.said;
  auto ready = provider_->wait_ready(pod_layer(), r_, within(20));
  ASSERT_TRUE(ready) << ready.error().what;
  EXPECT_EQ(ask(ready->hosts[0], "hostname"), r_.owner.name);
}

/// Each spawn of creating is a point of its own: the trial of the backend, then the launch.
std::vector<Crash> crashes() {
  std::vector<Crash> all;
  for (auto backend : {"runc", "bwrap", "unshare"})
    for (auto point : {"container.create=kill", "key.write=kill@1", "key.write=kill@2", "process.spawn=kill@1", "process.spawn=kill@2",
                       "container.created=kill", "container.destroy=kill", "container.destroyed=kill"})
      all.push_back({backend, point});
  return all;
}
std::string crash_name(const testing::TestParamInfo<Crash>& info) {
  std::string name = std::string(info.param.backend) + "_" + info.param.failpoint;
  for (auto& c : name)
    if (!isalnum(static_cast<unsigned char>(c))) c = '_';
  return name;
}
INSTANTIATE_TEST_SUITE_P(At, PodCrash, testing::ValuesIn(crashes()), crash_name);
INSTANTIATE_TEST_SUITE_P(At, PodOrphan,
                         testing::Values(Crash{"runc", "container.created=kill"}, Crash{"bwrap", "container.created=kill"},
                                         Crash{"unshare", "container.created=kill"}),
                         crash_name);

#endif

}  // namespace
