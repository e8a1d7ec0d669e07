#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "kernels/images.hpp"
#include "orchestrator/engine/evaluate.hpp"
#include "orchestrator/plan/load.hpp"
#include "tests/scenario/catalogue/cases.hpp"
#include "tests/scenario/catalogue/trial.hpp"
#include "tests/scenario/catalogue/view.hpp"

using namespace vt;
using vt::test::Case;

namespace {

const LoadedCatalogue& shipped() {
  static const auto loaded = load_catalogue(VT_SOURCE_DIR "/plans");
  return loaded;
}

const test::Cases& cases() {
  static const auto read = test::read_cases(VT_SOURCE_DIR "/tests/data/catalogue");
  return read;
}

std::vector<std::string> check_ids() {
  std::vector<std::string> out;
  for (auto& check : shipped().catalogue.checks) out.push_back(check.id);
  return out;
}

/// The case with the capability that decided made unreadable.
Case with_unknown(const Case& c, const std::string& decided) {
  Case out = c;
  for (auto& [id, value] : out.facts)
    if (decided.find(id) != std::string::npos) value = std::nullopt;
  out.verdict = Verdict::error;
  return out;
}

Check without_expectation(Check check, const std::string& value) {
  for (auto& spec : check.values)
    if (spec.name == value) spec.expect.reset();
  return check;
}

std::string told(const test::Tried& t) {
  std::string out = std::string(name(t.stored.verdict)) + ": " + t.stored.reason;
  for (auto& v : t.stored.values) out += "\n  " + v.value + " = " + v.measured + " (" + v.verdict + ")";
  if (t.seen) out += "\n  stdout: " + t.seen->out.head + "\n  stderr: " + t.seen->err.head;
  return out;
}

/// What the cases of one check have shown.
struct Shown {
  std::set<Verdict> verdicts;
  std::set<std::string> held, missed;  ///< names of values
  std::set<std::string> load_bearing;  ///< values without whose expectation a bad case would get another verdict
};

void note_values(const Check& check, const test::Tried& tried, Shown& shown) {
  for (auto& v : tried.stored.values) {
    if (v.verdict == "held") shown.held.insert(v.value);
    if (v.verdict != "missed") continue;
    shown.missed.insert(v.value);
    auto lenient = evaluate(without_expectation(check, v.value), {}, *tried.seen);
    if (lenient.verdict != tried.stored.verdict || lenient.cause != tried.stored.cause) shown.load_bearing.insert(v.value);
  }
}

}  // namespace

class ShippedCheck : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (auto reason = test::why_no_view(); !reason.empty()) GTEST_SKIP() << reason;
  }

  Verdict run(const Check& check, const Case& c, test::TrialStore& store, Shown& shown) {
    auto tried = test::try_check(check, c, ++number_, store);
    if (!tried) {
      ADD_FAILURE() << c.about << ": " << tried.error().what;
      return Verdict::cancelled;
    }
    EXPECT_EQ(name(tried->stored.verdict), name(c.verdict)) << c.about << ": " << told(*tried);
    shown.verdicts.insert(tried->stored.verdict);
    note_values(check, *tried, shown);
    if (c.verdict == Verdict::skip && !tried->stored.capability.empty())
      run(check, with_unknown(c, tried->stored.capability), store, shown);
    return tried->stored.verdict;
  }

 private:
  int number_ = 0;
};

TEST_P(ShippedCheck, IsJudgedAsItsCasesSay) {
  auto& check = *shipped().catalogue.check(GetParam());
  ASSERT_TRUE(cases().count(check.id)) << "no case for " << check.id;
  if (cases().at(check.id).front().nvcc && kernels::images().empty()) GTEST_SKIP() << "there was no nvcc when this was built";
  auto store = test::TrialStore::open();
  ASSERT_TRUE(store) << store.error().what;
  Shown shown;
  for (auto& c : cases().at(check.id)) run(check, c, *store, shown);

  bool judged = false, figures = false;  // figures are held against baselines, which no trial reads
  for (auto& value : check.values) {
    figures |= !value.baseline.empty();
    if (!value.expect) continue;
    judged = true;
    EXPECT_TRUE(shown.held.count(value.name)) << "no case in which " << value.name << " holds";
    EXPECT_TRUE(shown.missed.count(value.name)) << "no case in which " << value.name << " misses";
    EXPECT_TRUE(shown.load_bearing.count(value.name)) << "the expectation on " << value.name << " could be dropped unnoticed";
  }
  bool informs = shown.verdicts.count(Verdict::info) > 0;
  EXPECT_TRUE(judged ? shown.verdicts.count(Verdict::pass) || (figures && informs) : informs) << "no good case";
  if (!check.needs.text().empty()) {
    EXPECT_TRUE(shown.verdicts.count(Verdict::skip)) << "no case without " << check.needs.text();
    EXPECT_TRUE(shown.verdicts.count(Verdict::error)) << "no case with " << check.needs.text() << " unknown";
  }
}

INSTANTIATE_TEST_SUITE_P(Catalogue, ShippedCheck, testing::ValuesIn(check_ids()), [](auto& check) {
  std::string name = check.param;
  std::replace(name.begin(), name.end(), '.', '_');
  return name;
});

TEST(ShippedCatalogue, IsFreeOfProblems) {
  for (auto& problem : shipped().problems) ADD_FAILURE() << problem.text();
}

TEST(ShippedCatalogue, EveryCaseBelongsToACheck) {
  for (auto& [id, list] : cases()) EXPECT_TRUE(shipped().catalogue.check(id)) << id;
}

TEST(ShippedCatalogue, EveryCheckExplainsItselfAndIsInASuite) {
  std::set<std::string> in_suites, requirements;
  for (auto& suite : shipped().catalogue.suites) in_suites.insert(suite.checks.begin(), suite.checks.end());
  for (auto& check : shipped().catalogue.checks) {
    EXPECT_FALSE(check.why.empty() || check.remedy.empty() || check.requirement.empty()) << check.id;
    EXPECT_TRUE(in_suites.count(check.id)) << check.id;
    EXPECT_TRUE(requirements.insert(check.requirement).second) << check.requirement << " is used twice";
  }
}

TEST(ShippedCatalogue, HasTheSuitesThatWerePromised) {
  auto size = [](const char* id) { return shipped().catalogue.suite(id) ? shipped().catalogue.suite(id)->checks.size() : 0; };
  EXPECT_GE(size("os"), 25U);
  EXPECT_GE(size("gpu-stack"), 20U);
  EXPECT_GE(size("containers"), 10U);
  for (auto id : {"gpu.sm", "os.kernel", "driver.version", "driver.modules", "cuda.toolkit", "gpu.count"})
    EXPECT_TRUE(shipped().catalogue.check(id)) << id;
}
