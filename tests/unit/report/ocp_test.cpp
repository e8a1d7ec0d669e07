#include "orchestrator/report/ocp.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "tests/unit/report/fixture.hpp"

namespace vt {
namespace {

using nlohmann::json;

std::vector<json> lines_of(const std::string& text) {
  std::vector<json> out;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    out.push_back(json::parse(line, nullptr, false));
    EXPECT_FALSE(out.back().is_discarded()) << line;
  }
  return out;
}

/// One known artifact per line, numbered from 0, with a time.
void expect_sound(const std::vector<json>& lines) {
  static const std::set<std::string> run{"testRunStart", "testRunEnd", "log", "error"};
  static const std::set<std::string> step{
      "testStepStart", "testStepEnd", "measurement", "measurementSeriesStart", "measurementSeriesElement", "measurementSeriesEnd",
      "diagnosis",     "error",       "log"};
  for (std::size_t i = 0; i < lines.size(); ++i) {
    auto& line = lines[i];
    EXPECT_EQ(line.at("sequenceNumber"), i);
    EXPECT_TRUE(line.at("timestamp").get<std::string>().ends_with("Z"));
    ASSERT_EQ(line.size(), 3U) << line;
    EXPECT_EQ(line.value("schemaVersion", json()), i == 0 ? json({{"major", 2}, {"minor", 0}}) : json());
    for (auto [kind, known] : {std::pair{"testRunArtifact", &run}, std::pair{"testStepArtifact", &step}}) {
      if (!line.contains(kind)) continue;
      for (auto& [key, body] : line[kind].items()) EXPECT_TRUE(key == "testStepId" || known->contains(key)) << key;
    }
  }
}

/// The bodies of that artifact, in order.
std::vector<json> all(const std::vector<json>& lines, const std::string& kind, const std::string& key) {
  std::vector<json> out;
  for (auto& line : lines)
    if (line.contains(kind) && line[kind].contains(key)) out.push_back(line[kind][key]);
  return out;
}

TEST(Ocp, EveryReportIsSoundAndEveryStepEnds) {
  for (auto fill : {fill_broken, fill_rehearsal}) {
    RunBuilder b;
    fill(b);
    auto lines = lines_of(ocp_report(b.view(), b.catalogue));
    ASSERT_GT(lines.size(), 3U);
    expect_sound(lines);
    EXPECT_TRUE(lines[1].at("testRunArtifact").contains("testRunStart"));
    EXPECT_TRUE(lines.back().at("testRunArtifact").contains("testRunEnd"));
    std::string open;
    for (auto& line : lines) {
      if (!line.contains("testStepArtifact")) continue;
      auto& step = line["testStepArtifact"];
      if (step.contains("testStepStart")) {
        EXPECT_EQ(open, "") << "steps do not overlap";
        open = step["testStepId"];
      }
      EXPECT_EQ(step["testStepId"], open);
      if (step.contains("testStepEnd")) open.clear();
    }
    EXPECT_EQ(open, "");
  }
}

TEST(Ocp, MeasurementsSeriesAndDiagnoses) {
  RunBuilder b;
  b.check("gemm.bf16", "BF16 products");
  b.check("os.kernel", "Kernel version");
  auto& value = b.catalogue.checks[0].values.emplace_back();
  value.name = "value", value.type = ValueType::number, value.unit = "TFLOP/s";
  auto& library = b.catalogue.checks[0].values.emplace_back();
  library.name = "library", library.type = ValueType::version;
  b.layer("cube", {"gemm.bf16", "os.kernel"});
  b.start();
  auto j = b.judged("cube", "gemm.bf16", Verdict::fail, Cause::host, "#1: too slow");
  j.values = {{"value", "150.5, 90 TFLOP/s", "at-least 100 TFLOP/s: 50 % of 200 (theory, mh)", "missed", ""},
              {"library", "12.10", "at-least 12.8", "held", ""}};
  Observation seen;
  seen.key = j.key, seen.started = 1'763'634'600'000;
  b.add(j, &seen);
  b.skip("cube", "gpu", "no GPU", {"os.kernel"});
  SeriesRow power;
  power.run = RunBuilder::kRun, power.layer = "cube", power.host = "cube", power.check = "gemm.bf16", power.name = "power",
  power.unit = "W";
  power.count = 2, power.points = {{0, 400}, {1000, 575}};
  ASSERT_TRUE(b.store().add_series({power}));
  b.finish(1);
  auto lines = lines_of(ocp_report(b.view(), b.catalogue));
  expect_sound(lines);
  auto measured = all(lines, "testStepArtifact", "measurement");
  ASSERT_EQ(measured.size(), 3U) << "one per GPU, and the version";
  EXPECT_EQ(measured[1]["value"], 90.0);
  EXPECT_EQ(measured[1]["unit"], "TFLOP/s");
  EXPECT_EQ(measured[1]["validators"][0]["type"], "GREATER_THAN_OR_EQUAL");
  EXPECT_EQ(measured[1]["validators"][0]["value"], 100.0);
  EXPECT_EQ(measured[2]["value"], "12.10") << "a version is no number: 12.1 is another one";
  EXPECT_EQ(measured[2]["metadata"]["rule"], "at-least 12.8");
  EXPECT_EQ(all(lines, "testStepArtifact", "diagnosis").at(0)["type"], "FAIL");
  auto element = all(lines, "testStepArtifact", "measurementSeriesElement").at(1);
  EXPECT_EQ(element["value"], 575.0);
  EXPECT_EQ(element["timestamp"], utc_text(seen.started + 1000)) << "when it was measured, not when it was judged";
  EXPECT_EQ(all(lines, "testStepArtifact", "measurementSeriesEnd").at(0)["totalCount"], 2);
  auto ends = all(lines, "testStepArtifact", "testStepEnd");
  EXPECT_EQ(ends.at(0)["status"], "COMPLETE");
  EXPECT_EQ(ends.at(1)["status"], "SKIP");
  EXPECT_EQ(all(lines, "testRunArtifact", "testRunEnd").at(0), (json{{"status", "COMPLETE"}, {"result", "FAIL"}}));
}

}  // namespace
}  // namespace vt
