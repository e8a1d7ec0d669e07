// Every file in tests/data/broken-plans and every folder in tests/data/broken-catalogues is refused with exactly the
// messages beside it. VT_WRITE_EXPECTED=1 writes those messages instead; read the difference before committing it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "orchestrator/model/text.hpp"
#include "plan_support.hpp"

namespace fs = std::filesystem;
using namespace vt;
using namespace vt::test;

namespace {

std::vector<std::string> broken_plans() {
  std::vector<std::string> names;
  for (auto& entry : fs::directory_iterator(data("broken-plans")))
    if (entry.path().extension() == ".yaml") names.push_back(entry.path().stem().string());
  std::sort(names.begin(), names.end());
  return names;
}

std::vector<std::string> broken_catalogues() {
  std::vector<std::string> names;
  for (auto& entry : fs::directory_iterator(data("broken-catalogues")))
    if (entry.is_directory()) names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

/// "# set: k=v" and "# unset: NAME" at the top of a plan.
PlanInput input_for(const std::string& file) {
  PlanInput input{file, {}, {{"HOME", "/home/tester"}, {"HF_TOKEN", "hf_secret_value"}}};
  for (auto& line : split(read(file), '\n')) {
    if (line.substr(0, 7) == "# set: ") input.set[line.substr(7, line.find('=') - 7)] = line.substr(line.find('=') + 1);
    if (line.substr(0, 9) == "# unset: ") input.environment.erase(line.substr(9));
  }
  return input;
}

void compare(const std::string& file, const std::string& messages) {
  if (std::getenv("VT_WRITE_EXPECTED")) std::ofstream(file, std::ios::binary) << messages;
  EXPECT_FALSE(messages.empty()) << file << ": nothing was refused";
  EXPECT_EQ(messages, read(file)) << file;
}

class BrokenPlan : public testing::TestWithParam<std::string> {};
class BrokenCatalogue : public testing::TestWithParam<std::string> {};

std::string test_name(const testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

}  // namespace

TEST_P(BrokenPlan, IsRefusedWithExactlyTheseMessages) {
  WorkIn here(data("broken-plans"));
  auto loaded = load_plan(input_for(GetParam() + ".yaml"), catalogue().catalogue, providers());
  compare(GetParam() + ".expected", text(loaded.problems));
  EXPECT_EQ(loaded.plan.resolved, "") << "a broken plan must not be usable";
}

TEST_P(BrokenCatalogue, IsRefusedWithExactlyTheseMessages) {
  WorkIn here(data("broken-catalogues"));
  compare(GetParam() + ".expected", text(load_catalogue(GetParam()).problems));
}

INSTANTIATE_TEST_SUITE_P(All, BrokenPlan, testing::ValuesIn(broken_plans()), test_name);
INSTANTIATE_TEST_SUITE_P(All, BrokenCatalogue, testing::ValuesIn(broken_catalogues()), test_name);

TEST(BrokenFiles, AreAllRunAndNoneIsLeftOver) {
  EXPECT_GE(broken_plans().size(), 60U);
  EXPECT_GE(broken_catalogues().size(), 15U);
  for (auto& name : broken_plans()) EXPECT_TRUE(fs::exists(data("broken-plans/" + name + ".expected"))) << name;
  for (auto& entry : fs::directory_iterator(data("broken-plans")))
    if (entry.path().extension() == ".expected") {
      EXPECT_TRUE(fs::exists(fs::path(entry.path()).replace_extension(".yaml"))) << entry.path();
    }
}

TEST(BrokenFiles, EveryMessageHasItsPlaceAndSaysWhatWasExpected) {
  WorkIn here(data("broken-plans"));
  for (auto& name : broken_plans()) {
    for (auto& problem : load_plan(input_for(name + ".yaml"), catalogue().catalogue, providers()).problems) {
      EXPECT_NE(problem.what.find("; expected "), std::string::npos) << problem.text();
      EXPECT_TRUE(problem.where.line > 0 || problem.where.column == 0) << problem.text();
      EXPECT_EQ(problem.text().find("hf_secret_value"), std::string::npos);
      EXPECT_EQ(problem.text().find('\n'), std::string::npos);
    }
  }
}
