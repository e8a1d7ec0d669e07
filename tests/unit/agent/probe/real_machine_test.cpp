#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "remote-agent/probe/child.hpp"
#include "remote-agent/probe/table.hpp"
#include "remote-agent/probe/words.hpp"
#include "tests/unit/agent/probe/scene.hpp"

namespace vt::probe {
namespace {

using FactMap = std::map<std::string, Fact>;

FactMap by_id(const std::vector<Fact>& facts) {
  FactMap out;
  for (auto& fact : facts) out[fact.id] = fact;
  return out;
}

FactMap from_json(const std::string& text) {
  FactMap out;
  for (auto& line : lines(text))
    if (auto f = nlohmann::json::parse(line, nullptr, false); f.is_array() && f.size() == 3) out[f[0]] = {f[0], f[1], f[2], ""};
  return out;
}

/// Probes for real inside a child that first did `enter`; empty if that was not possible.
FactMap probed_after(const std::function<bool()>& enter) {
  auto said = in_child(
      [&](int out) {
        if (!enter()) return;
        probe_all(Options{}, [&](const Fact& f) { say(out, nlohmann::json{f.id, f.value, f.evidence}.dump() + "\n"); });
      },
      std::chrono::seconds{20});
  return from_json(said.text);
}

FactMap probed_by(const std::string& command) {
  FactMap out;
  std::string text;
  auto pipe = ::popen((command + " 2>/dev/null").c_str(), "r");
  char part[4096];
  for (std::size_t n = 0; (n = ::fread(part, 1, sizeof part, pipe)) > 0;) text.append(part, n);
  ::pclose(pipe);
  return from_json(text);
}

TEST(RealMachine, EveryFactHasEvidenceInUnderASecond) {
  auto start = std::chrono::steady_clock::now();
  auto facts = probe_all(Options{});
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds{1});
  for (auto& fact : facts) {
    EXPECT_FALSE(fact.evidence.empty()) << fact.id;
    EXPECT_TRUE(fact.value.empty() || nlohmann::json::accept(fact.value)) << fact.id << ": " << fact.value;
  }
}

TEST(RealMachine, TwoProbesAgree) {
  auto first = by_id(probe_all(Options{})), second = by_id(probe_all(Options{}));
  for (auto& [id, fact] : first)
    if (id != "gpu.processes" && id != "host.users") { EXPECT_EQ(fact.value, second[id].value) << id; }
}

TEST(RealMachine, KnowsWhatThisProcessCanSeeItself) {
  auto facts = by_id(probe_all(Options{}));
  EXPECT_EQ(facts["host.root"].value, ::geteuid() == 0 ? "true" : "false");
  EXPECT_EQ(facts["cpu.count"].value, std::to_string(::sysconf(_SC_NPROCESSORS_ONLN)));
  EXPECT_EQ(facts["memory"].value, std::to_string(::sysconf(_SC_PHYS_PAGES) / 256 * (::sysconf(_SC_PAGESIZE) / 4096)));
  EXPECT_EQ(facts["tool.df"].value, "true");
}

TEST(RealMachine, LeavesNoFileAndNoProcess) {
  auto temporary = [] {
    std::set<std::string> names;
    for (auto& entry : std::filesystem::directory_iterator("/tmp")) names.insert(entry.path().filename().string());
    return names;
  };
  TempTree home;
  ASSERT_EQ(::chdir(home.root().c_str()), 0);
  auto mounts = Files("").read("/proc/self/mountinfo").text;
  auto before = temporary();
  probe_all(Options{});
  for (auto& name : temporary())
    if (!before.contains(name)) {
      EXPECT_EQ(name.find("probe"), std::string::npos) << name;  // others use /tmp at the same time
    }
  EXPECT_TRUE(home.listing().empty());
  EXPECT_EQ(Files("").read("/proc/self/mountinfo").text, mounts);
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1) << "a child is left";
  ASSERT_EQ(::chdir("/"), 0);
}

TEST(RealMachine, RootOfAUserNamespaceIsNotRootOfTheHost) {
  auto facts = probed_after([] { return ::unshare(CLONE_NEWUSER | CLONE_NEWNS) == 0; });
  if (facts.empty()) GTEST_SKIP() << "user namespaces cannot be made here";
  EXPECT_EQ(facts["caps.initial"].value, "false");
  EXPECT_EQ(facts["kernel.modules"].value, "false");
  EXPECT_EQ(facts["host.reboot"].value, "false");
  EXPECT_EQ(facts["host.bare_metal"].value, "false");
  EXPECT_NE(facts["virt.container"].value, "\"\"");
}

TEST(RealMachine, ALoginWithoutRightsCannot) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can become somebody else";
  constexpr uid_t kNobody = 65534;
  auto facts = probed_after([] { return ::setgid(kNobody) == 0 && ::setuid(kNobody) == 0 && ::setenv("PATH", "/usr/bin:/bin", 1) == 0; });
  ASSERT_FALSE(facts.empty());
  EXPECT_EQ(facts["host.root"].value, "false");
  EXPECT_EQ(facts["caps.effective"].value, "[]");
  EXPECT_EQ(facts["sysctl.write"].value, "false");
  EXPECT_EQ(facts["kernel.modules"].value, "false");
  EXPECT_EQ(facts["kernel.modules"].evidence, "CapEff lacks CAP_SYS_MODULE");
}

/// The body of the test below, run by it inside bubblewrap.
TEST(RealMachine, DISABLED_TellFacts) {
  probe_all(Options{}, [](const Fact& f) { std::printf("%s\n", nlohmann::json{f.id, f.value, f.evidence}.dump().c_str()); });
}

TEST(RealMachine, InASandboxNothingOfTheHostIsPromised) {
  auto self = std::filesystem::read_symlink("/proc/self/exe").string();
  auto facts = probed_by("bwrap --unshare-all --ro-bind / / --dev /dev --proc /proc --cap-drop ALL " + self +
                         " --gtest_also_run_disabled_tests --gtest_filter=RealMachine.DISABLED_TellFacts");
  if (facts.empty()) GTEST_SKIP() << "bubblewrap is missing or not allowed here";
  EXPECT_EQ(facts["caps.effective"].value, "[]");
  EXPECT_EQ(facts["host.reboot"].value, "false");
  EXPECT_NE(facts["host.reboot"].evidence.find("not the initial pid namespace"), std::string::npos) << facts["host.reboot"].evidence;
  EXPECT_EQ(facts["kernel.modules"].value, "false");
  EXPECT_EQ(facts["dmesg.read"].value, "false") << facts["dmesg.read"].evidence;
  EXPECT_EQ(facts["kvm"].value, "false");
  EXPECT_EQ(facts["net.route"].value, "false");
  EXPECT_EQ(facts["net.internet"].value, "false");
  EXPECT_NE(facts["virt.container"].value, "\"\"");
}

}  // namespace
}  // namespace vt::probe
