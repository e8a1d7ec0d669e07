#include "providers/emulator/faults.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "orchestrator/model/text.hpp"

namespace vt::emulator {

namespace {

Faults plan(const std::string& text, std::uint64_t seed = 1) {
  auto faults = Faults::make(text, seed);
  EXPECT_TRUE(faults) << faults.error().what;
  return std::move(faults).take();
}

}  // namespace

TEST(EmulatorFaults, TheTableIsInTheOrderOfTheKinds) {
  for (std::size_t i = 0; i < fault_infos().size(); ++i)
    EXPECT_EQ(static_cast<std::size_t>(fault_infos()[i].kind), i) << fault_infos()[i].name;
  EXPECT_EQ(fault_infos().back().kind, FaultKind::tls);
}

TEST(EmulatorFaults, MeetTheNthCallOfTheirKindOnly) {
  Faults faults = plan(R"([{"api":"gcp","call":"create","nth":2,"kind":"lost-after"}])");
  EXPECT_FALSE(faults.meet(Api::gcp, CallKind::create, false).has(FaultKind::lost_after));
  EXPECT_FALSE(faults.meet(Api::runpod, CallKind::create, false).has(FaultKind::lost_after));
  EXPECT_FALSE(faults.meet(Api::gcp, CallKind::list, false).has(FaultKind::lost_after));
  EXPECT_TRUE(faults.meet(Api::gcp, CallKind::create, false).has(FaultKind::lost_after));
  EXPECT_FALSE(faults.meet(Api::gcp, CallKind::create, false).has(FaultKind::lost_after));
}

TEST(EmulatorFaults, NeverMeetControlRoutes) {
  Faults faults = plan(R"([{"probability":1,"kind":"unavailable"}])");
  EXPECT_TRUE(faults.meet(Api::none, CallKind::none, false).text().empty());
  EXPECT_EQ(faults.meet(Api::gcp, CallKind::token, false).text(), "unavailable");
}

TEST(EmulatorFaults, AResetWaitsForAReusedConnection) {
  Faults faults = plan(R"([{"call":"get","nth":1,"kind":"reset"}])");
  EXPECT_FALSE(faults.meet(Api::gcp, CallKind::get, false).has(FaultKind::reset));
  EXPECT_TRUE(faults.meet(Api::gcp, CallKind::get, true).has(FaultKind::reset));
}

TEST(EmulatorFaults, LengthComesFromThePlanOrTheTable) {
  Faults faults = plan(R"([{"nth":1,"kind":"late"},{"nth":1,"kind":"slow","seconds":3}])");
  FaultSet met = faults.meet(Api::gcp, CallKind::create, false);
  EXPECT_EQ(met.length(FaultKind::late), std::chrono::seconds(info(FaultKind::late).seconds));
  EXPECT_EQ(met.length(FaultKind::slow), std::chrono::seconds(3));
  EXPECT_EQ(met.text(), "late slow");
}

TEST(EmulatorFaults, ChanceIsTheSameForTheSameSeed) {
  auto hits = [](std::uint64_t seed) {
    Faults faults = plan(R"([{"probability":0.3,"kind":"rate"}])", seed);
    std::string text;
    for (int i = 0; i < 200; ++i) text += faults.meet(Api::gcp, CallKind::get, false).has(FaultKind::rate) ? 'x' : '.';
    return text;
  };
  EXPECT_EQ(hits(5), hits(5));
  EXPECT_NE(hits(5), hits(6));
  std::string five = hits(5);
  EXPECT_NEAR(static_cast<double>(std::count(five.begin(), five.end(), 'x')), 60, 30);
}

TEST(EmulatorFaults, RandomPlansAreReproducibleAndReadBack) {
  std::set<std::string> different;
  std::map<std::string, int> kinds;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    std::string text = plan("random", seed).json();
    EXPECT_EQ(plan("random", seed).json(), text);
    EXPECT_EQ(plan(text, 99).json(), text) << "what is printed is a plan";
    different.insert(text);
    for (auto& row : fault_infos())
      if (text.find(std::string("\"") + row.name + "\"") != std::string::npos) ++kinds[row.name];
  }
  EXPECT_GT(different.size(), 290U);
  EXPECT_EQ(kinds.size(), fault_infos().size()) << "every kind is drawn";
}

TEST(EmulatorFaults, ABrokenPlanIsRefused) {
  for (const char* text : {"{", R"([{"kind":"lost-before"}])", R"([{"kind":"nonsense","nth":1}])",
                           R"([{"kind":"late","nth":1,"call":"dance"}])", R"({"seed":1})", R"([{"kind":"late","nth":"one"}])"})
    EXPECT_FALSE(Faults::make(text, 1)) << text;
  EXPECT_TRUE(plan("").meet(Api::gcp, CallKind::create, false).text().empty());
}

}  // namespace vt::emulator
