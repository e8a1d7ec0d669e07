// Pods of an ordinary user: the tool makes and destroys them as a user without rights.
#include "tests/contract/provider/child.hpp"

using namespace vt;
using namespace vt::test;

namespace {

constexpr const char* kUser = "31337";  // no machine has it

class PodUser : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (geteuid() != 0) GTEST_SKIP() << "already an ordinary user: the other tests show it";
    std::filesystem::permissions(home_.path, std::filesystem::perms(0777));
    if (pod_tool({}, "", as_user()).status != 2 << 8) GTEST_SKIP() << VT_BIN_DIR << " cannot be reached by another user";
  }
  static std::vector<std::string> as_user(const std::vector<std::string>& inner = {}) {
    std::vector<std::string> wrapper{"setpriv", "--reuid", kUser, "--regid", kUser, "--clear-groups"};
    wrapper.insert(wrapper.end(), inner.begin(), inner.end());
    return wrapper;
  }
  ToolRun tool(const std::string& verb, const std::vector<std::string>& inner = {}) {
    return pod_tool({home_.path, GetParam(), verb, r_.owner.name}, "", as_user(inner));
  }

  PodHome home_;
  Resource r_ = intent("ordinary");
};

TEST_P(PodUser, MakesEntersAndDestroysAPod) {
  if (auto before = tool("preflight"); before.status != 0) GTEST_SKIP() << before.said;
  auto made = tool("create");
  ASSERT_EQ(made.status, 0) << made.said;
  auto provider = home_.make();
  auto ready = provider->wait_ready(pod_layer(), r_, within(20));
  ASSERT_TRUE(ready) << ready.error().what;
  auto& host = ready->hosts[0];
  EXPECT_EQ(ask(host, "id -u"), kUser);
  EXPECT_EQ(ask(host, "sed -n 's/^CapEff:[[:space:]]*//p' /proc/self/status"), "0000000000000000");
  EXPECT_EQ(ask(host, "sed -n 's/^CapBnd:[[:space:]]*//p' /proc/self/status"), "00000000a80425fb");
  EXPECT_EQ(ask(host, "hostname"), r_.owner.name);
  EXPECT_EQ(ask(host, "touch ~/x /tmp/x && echo written"), "written");
  EXPECT_EQ(ask(host, "touch /usr/x /sys/x /x 2>/dev/null; ls -d /usr/x /sys/x /x 2>/dev/null"), "");
  EXPECT_EQ(ask(host, "( : >/proc/sys/kernel/hostname ) 2>/dev/null && echo written || echo refused"), "refused");
  auto gone = tool("destroy");
  EXPECT_EQ(gone.status, 0) << gone.said;
  EXPECT_FALSE(lists(*provider, r_));
  EXPECT_FALSE(has_processes(r_.owner.name));
}

INSTANTIATE_TEST_SUITE_P(By, PodUser, testing::Values("bwrap", "unshare"), [](auto& one) { return std::string(one.param); });

using PodUserRefused = PodUser;

TEST_P(PodUserRefused, PreflightNamesTheSetting) {
  std::string shut = "echo 0 >/proc/sys/user/max_user_namespaces && exec setpriv --inh-caps=-all --ambient-caps=-all \"$@\"";
  auto found = tool("preflight", {"unshare", "--user", "--map-current-user", "--keep-caps", "sh", "-c", shut, "sh"});
  if (found.said.starts_with("unshare:")) GTEST_SKIP() << found.said;
  EXPECT_EQ(WEXITSTATUS(found.status), 1);
  EXPECT_NE(found.said.find("user.max_user_namespaces = 0"), std::string::npos) << found.said;
  EXPECT_NE(found.said.find("sysctl"), std::string::npos) << found.said;
}

INSTANTIATE_TEST_SUITE_P(Any, PodUserRefused, testing::Values(""), [](auto&) { return std::string("backend"); });

}  // namespace
