#include <cstdlib>
#include <fstream>
#include <sstream>

#include "orchestrator/report/formats.hpp"
#include "orchestrator/report/text.hpp"
#include "tests/unit/report/fixture.hpp"

namespace vt {
namespace {

struct Scenario {
  const char* name;
  void (*fill)(RunBuilder&);
};
constexpr Scenario kScenarios[] = {{"quickstart", fill_quickstart}, {"broken", fill_broken}, {"rehearsal", fill_rehearsal}};

/// Compares with tests/data/reports/NAME. VAULT_TEST_GOLDEN=write replaces the file: read the difference before committing.
void expect_golden(const std::string& name, const std::string& actual) {
  auto path = std::string(VT_SOURCE_DIR) + "/tests/data/reports/" + name;
  if (auto mode = std::getenv("VAULT_TEST_GOLDEN"); mode && std::string(mode) == "write") {
    std::ofstream(path, std::ios::binary) << actual;
    return;
  }
  std::ifstream file(path, std::ios::binary);
  ASSERT_TRUE(file) << path << " is missing";
  std::ostringstream expected;
  expected << file.rdbuf();
  EXPECT_EQ(actual, expected.str()) << path;
}

TEST(TextReport, CommandsOfAKeptHostCanBeCopied) {
  RunBuilder b;
  fill_quickstart(b);
  auto view = b.view();
  view.kept = {
      {"vt-1", "kept", "until 2026-11-20T12:00:00Z at $0.42/h; vault-test shell 20261120-103000-k3x9 cube; vault-test release vt-1"}};
  auto text = text_report(view, b.catalogue, {40, false});
  EXPECT_NE(text.find("\n  vault-test shell 20261120-103000-k3x9 cube\n  vault-test release vt-1\n"), std::string::npos) << text;
}

class Golden : public ::testing::TestWithParam<Scenario> {};

TEST_P(Golden, EveryFormatLooksAsItWasReadAndAgreedUpon) {
  RunBuilder b;
  GetParam().fill(b);
  auto view = b.view();
  for (auto& format : report_formats()) {
    auto text = render(format, view, b.catalogue);
    ASSERT_TRUE(text) << text.error().what;
    expect_golden(std::string(GetParam().name) + "." + format, *text);
  }
}

TEST_P(Golden, TextWithoutColourHasNoEscapesAndStaysWithinTheWidth) {
  RunBuilder b;
  GetParam().fill(b);
  auto view = b.view();
  for (std::size_t width : {72U, 100U}) {
    auto text = text_report(view, b.catalogue, {width, false});
    EXPECT_EQ(text.find('\x1b'), std::string::npos);
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) EXPECT_LE(shown_width(line), width) << line;
  }
}

TEST_P(Golden, ColourAddsNothingButColour) {
  RunBuilder b;
  GetParam().fill(b);
  auto view = b.view();
  auto coloured = text_report(view, b.catalogue, {100, true});
  EXPECT_NE(coloured.find("\x1b["), std::string::npos);
  std::string stripped;
  for (std::size_t i = 0; i < coloured.size(); ++i) {
    if (coloured[i] == '\x1b') i = coloured.find('m', i);
    else stripped += coloured[i];
  }
  EXPECT_EQ(stripped, text_report(view, b.catalogue, {100, false}));
}

INSTANTIATE_TEST_SUITE_P(Runs, Golden, ::testing::ValuesIn(kScenarios), [](auto& p) { return std::string(p.param.name); });

TEST(Formats, AnUnknownOneIsRefusedWithTheKnownOnes) {
  auto text = render("html", {}, {});
  ASSERT_FALSE(text);
  EXPECT_EQ(text.error().code, Errc::usage);
  EXPECT_EQ(text.error().what, "no report format 'html'; expected one of text, json, junit, markdown, ocp");
}

}  // namespace
}  // namespace vt
