#include <gtest/gtest.h>

#include <map>
#include <set>

#include "remote-agent/probe/table.hpp"
#include "tests/unit/agent/probe/scene.hpp"

namespace vt::probe {

std::vector<Case> all_cases() {
  std::vector<Case> out;
  for (auto part : {caps_cases, virt_cases, kernel_cases, containers_cases, gpu_cases, driver_cases, library_cases, hardware_cases,
                    net_os_cases, limits_cases, people_cases})
    for (auto& c : part()) out.push_back(c);
  return out;
}

namespace {

class ProbeCases : public testing::TestWithParam<Probe> {};

void expect_answer(const Case& row) {
  SCOPED_TRACE(row.name);
  Scene scene;
  row.prepare(scene);
  auto before = scene.tree().listing();
  auto answer = row.probe(scene.host());
  EXPECT_EQ(answer.value, row.value) << answer.evidence;
  EXPECT_NE(answer.evidence.find(row.evidence), std::string::npos) << answer.evidence;
  EXPECT_FALSE(answer.evidence.empty());
  EXPECT_EQ(scene.tree().listing(), before);
}

TEST_P(ProbeCases, AnswerWithEvidence) {
  for (auto& row : all_cases())
    if (row.probe == GetParam().run) expect_answer(row);
}

std::string test_name(const testing::TestParamInfo<Probe>& row) {
  std::string out(row.param.id);
  for (auto& c : out)
    if (c == '.') c = '_';
  return out;
}

INSTANTIATE_TEST_SUITE_P(All, ProbeCases, testing::ValuesIn(probes()), test_name);

/// Facts that can always be told, or are never absent.
const std::set<std::string_view> kNeverUnknown = {"host.root"};
const std::set<std::string_view> kNeverAbsent = {"kernel.version"};

TEST(ProbeCaseList, CoversEveryProbeKnownBothWaysAndUnknown) {
  std::map<Answer (*)(const Host&), std::set<std::string>> seen;
  for (auto& c : all_cases()) seen[c.probe].insert(c.value);
  for (auto& probe : probes()) {
    auto values = seen[probe.run];
    bool unknown = values.erase("") > 0;
    EXPECT_TRUE(unknown || kNeverUnknown.contains(probe.id)) << probe.id << " is never tested as unknown";
    EXPECT_GE(values.size(), kNeverAbsent.contains(probe.id) ? 1U : 2U) << probe.id << " is not tested both ways";
  }
}

TEST(ProbeCaseList, HasDistinctNames) {
  std::set<std::string> names;
  for (auto& c : all_cases()) EXPECT_TRUE(names.insert(c.name).second) << c.name;
}

}  // namespace
}  // namespace vt::probe
