#include "orchestrator/cost/cost_report.hpp"

#include <gtest/gtest.h>

#include <random>

namespace vt {
namespace {

constexpr EpochMs kStart = 1'700'000'000'000, kHour = 3'600'000;

CostRow closed(const std::string& run, const std::string& layer, Money cost, Duration lived = Duration{kHour}) {
  CostRow row;
  auto& r = row.resource;
  r.run = run, r.layer = layer, r.provider = "runpod", r.state = ResourceState::gone;
  r.created = kStart, r.closed = kStart + lived.count(), r.cost = cost;
  row.plan = "blackwell";
  return row;
}

std::string text(const CostReport& report) {
  std::string out;
  for (auto& line : report.lines)
    out += line.what + " " + exact_text(line.cost) + " " + std::to_string(line.resources) + (line.open ? " live" : "") + "\n";
  return out + "= " + exact_text(report.total);
}

Money sum(const CostReport& report) {
  Money out;
  for (auto& line : report.lines) out += line.cost;
  return out;
}

TEST(CostReport, AddsUpByWhatIsAskedFor) {
  auto other = closed("r2", "pod", Money{5});
  other.plan = "", other.resource.provider = "gcp";
  std::vector<CostRow> rows{closed("r1", "pod", Money{3'000'001}), closed("r1", "rack", Money{2}), other};
  EXPECT_EQ(text(cost_report(rows, {}, CostBy::plan, kStart)), "blackwell $3.000003 2\n(run r2) $0.000005 1\n= $3.000008");
  EXPECT_EQ(text(cost_report(rows, {}, CostBy::layer, kStart)),
            "blackwell/pod $3.000001 1\n(run r2)/pod $0.000005 1\nblackwell/rack $0.000002 1\n= $3.000008");
  EXPECT_EQ(text(cost_report(rows, {}, CostBy::provider, kStart)), "runpod $3.000003 2\ngcp $0.000005 1\n= $3.000008");
  EXPECT_EQ(text(cost_report({}, {}, CostBy::plan, kStart)), "= $0.000000");
}

TEST(CostReport, CountsOpenRowsUntilNowAndRefusedOnesNothing) {
  auto live = closed("r1", "pod", Money{0});
  live.resource.state = ResourceState::ambiguous, live.resource.closed = 0, live.resource.hourly = Money{690'000};
  auto refused = closed("r1", "pod", Money{0});
  refused.resource.state = ResourceState::refused, refused.resource.hourly = Money{690'000};
  auto report = cost_report({live, refused}, {}, CostBy::plan, kStart + kHour);
  EXPECT_EQ(text(report), "blackwell $0.690000 2 live\n= $0.690000");
  EXPECT_EQ(report.open, 1);
}

TEST(CostReport, SharesAHostsCostOutByTheTimeEachCheckTook) {
  auto row = closed("r1", "pod", Money{3'600'000});
  std::vector<CheckTime> times{{"r1", "pod", "pod", "os.kernel", kStart + 1000, Duration{600'000}},
                               {"r1", "pod", "pod", "gpu.burn", kStart + 700'000, Duration{1'800'000}},
                               {"r1", "pod", "pod", "os.kernel", kStart + 2'600'000, Duration{300'000}},
                               {"r1", "rack", "rack", "os.kernel", kStart + 1000, Duration{900'000}},
                               {"r2", "pod", "pod", "os.kernel", kStart + 1000, Duration{900'000}}};
  EXPECT_EQ(text(cost_report({row}, times, CostBy::check, kStart)),
            "gpu.burn $1.800000 1\n(provisioning and teardown) $0.900000 1\nos.kernel $0.900000 1\n= $3.600000");
}

TEST(CostReport, ChargesTheHostACheckRanOn) {
  auto stuck = closed("r1", "pod", Money{100}, Duration{60'000}), good = closed("r1", "pod", Money{1'000'000});
  good.resource.created = kStart + 70'000, good.resource.closed = kStart + 70'000 + kHour;
  std::vector<CheckTime> times{{"r1", "pod", "pod", "gpu.burn", kStart + 80'000, Duration{kHour / 2}}};
  EXPECT_EQ(text(cost_report({stuck, good}, times, CostBy::check, kStart)),
            "(provisioning and teardown) $0.500100 2\ngpu.burn $0.500000 1\n= $1.000100");
  auto first = closed("r1", "rack", Money{1'000'000}), second = first;
  first.hosts = {"rack-0"}, second.hosts = {"rack-1"};
  times = {{"r1", "rack", "rack-1", "gpu.burn", kStart, Duration{kHour}}};
  EXPECT_EQ(text(cost_report({first, second}, times, CostBy::check, kStart)),
            "(provisioning and teardown) $1.000000 2\ngpu.burn $1.000000 1\n= $2.000000");
}

TEST(CostReport, ChecksSideBySideShareTheWholeHostAndNoMore) {
  std::vector<CheckTime> times{{"r1", "pod", "pod", "a.a", kStart, Duration{kHour}}, {"r1", "pod", "pod", "b.b", kStart, Duration{kHour}}};
  EXPECT_EQ(text(cost_report({closed("r1", "pod", Money{1'000'001})}, times, CostBy::check, kStart)),
            "a.a $0.500000 1\nb.b $0.500000 1\n(provisioning and teardown) $0.000001 1\n= $1.000001");
}

TEST(CostReport, EveryViewHasTheSameTotalAndItsLinesAddUpToIt) {
  std::mt19937 random(7);
  auto up_to = [&](std::int64_t most) { return std::uniform_int_distribution<std::int64_t>(0, most)(random); };
  for (int round = 0; round < 50; ++round) {
    std::vector<CostRow> rows;
    std::vector<CheckTime> times;
    for (int i = 0; i < 20; ++i) {
      auto run = "r" + std::to_string(up_to(3)), layer = "l" + std::to_string(up_to(2));
      rows.push_back(closed(run, layer, Money{up_to(9'999'999)}, Duration{up_to(kHour)}));
      if (i % 5 == 0) rows.back().resource.state = ResourceState::ready, rows.back().resource.closed = 0;
      rows.back().resource.hourly = Money{up_to(88'000'000)};
      times.push_back({run, layer, layer, "c." + std::to_string(up_to(4)), kStart + up_to(kHour), Duration{up_to(kHour)}});
    }
    auto total = cost_report(rows, times, CostBy::plan, kStart + 2 * kHour).total;
    for (auto by : {CostBy::plan, CostBy::layer, CostBy::provider, CostBy::check}) {
      auto report = cost_report(rows, times, by, kStart + 2 * kHour);
      EXPECT_EQ(report.total, total) << name(by);
      EXPECT_EQ(sum(report), total) << name(by);
      for (auto& line : report.lines) EXPECT_GE(line.cost.micro, 0) << name(by) << " " << line.what;
    }
  }
}

TEST(Billed, AgreesWithinAPercentOrACent) {
  auto agrees = [](std::int64_t recorded, std::int64_t billed) { return Billed{"n", "p", Money{recorded}, Money{billed}, ""}.agrees(); };
  EXPECT_TRUE(agrees(0, 10'000));
  EXPECT_FALSE(agrees(0, 10'001));
  EXPECT_TRUE(agrees(100'000'000, 99'000'000));
  EXPECT_FALSE(agrees(100'000'000, 98'999'999));
  EXPECT_FALSE((Billed{"n", "p", Money{0}, {}, ""}.agrees()));
}

TEST(ExactText, ShowsEveryMicroDollar) {
  EXPECT_EQ(exact_text(Money{4'213'456}), "$4.213456");
  EXPECT_EQ(exact_text(Money{-1}), "-$0.000001");
}

}  // namespace
}  // namespace vt
