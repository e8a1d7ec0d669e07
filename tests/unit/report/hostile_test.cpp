#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <nlohmann/json.hpp>

#include "orchestrator/report/formats.hpp"
#include "orchestrator/report/junit.hpp"
#include "orchestrator/report/why.hpp"
#include "tests/unit/report/fixture.hpp"

namespace vt {
namespace {

/// What a host might print to drive a terminal, break out of XML or JSON, or format, link and mention in a comment.
const std::string kHostile =
    "\x1b[2J\x1b]0;owned\x07]]></failure><x a=\"1\"/>&amp;\n| a | b |\n</details> ![i](http://x) @octocat #1 `code` "
    "\xff\xc2\x9b\xef\xbf\xbf\x01";

void fill_hostile(RunBuilder& b) {
  for (auto id : {"a.fail", "a.error", "a.skip", "a.blocked", "a.warn"}) b.check(id, kHostile);
  b.catalogue.checks[0].why = b.catalogue.checks[0].remedy = kHostile;
  b.layer("pod", {"a.fail", "a.error", "a.skip", "a.blocked", "a.warn"}), b.layer("other", {"a.fail", "a.warn"});
  b.start();
  for (auto layer : {"pod", "other"}) {
    b.miss(layer, "a.fail", Verdict::fail, kHostile, "equals 1", kHostile);
    b.miss(layer, "a.warn", Verdict::warn, kHostile, "equals 1", kHostile);
  }
  b.add(b.judged("pod", "a.error", Verdict::error, Cause::check, kHostile));
  b.add(b.judged("pod", "a.blocked", Verdict::blocked, Cause::infrastructure, kHostile));
  b.skip("pod", "gpu", kHostile, {"a.skip"});
  b.event("pod", event::CapabilityDiffers{kHostile, "gpu", kHostile, kHostile, kHostile});
  b.move("pod", LayerState::failed, kHostile), b.move("other", LayerState::done);
}

std::string rendered(const std::string& format) {
  RunBuilder b;
  fill_hostile(b);
  auto out = render(format, b.view(), b.catalogue);
  EXPECT_TRUE(out);
  return out.value_or("");
}

bool has_control(const std::string& text) {
  for (char c : text)
    if ((static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t') || c == 0x7F) return true;
  return text.find("\xc2\x9b") != std::string::npos;
}

TEST(Hostile, NoFormatCarriesControlCharacters) {
  for (auto& format : report_formats()) EXPECT_FALSE(has_control(rendered(format))) << format;
}

TEST(Hostile, WhyIsSafeToPrint) {
  RunBuilder b;
  fill_hostile(b);
  Observation seen;
  seen.key.run = RunBuilder::kRun, seen.key.layer = "pod", seen.key.host = "pod", seen.key.check = "a.error", seen.key.attempt = 2;
  seen.out.head = seen.err.head = seen.problem = seen.device = kHostile;
  auto judged = b.judged("pod", "a.error", Verdict::error, Cause::check, kHostile);
  judged.key.attempt = 2;
  b.add(judged, &seen);
  for (auto& check : b.catalogue.checks) {
    auto text = why_text(b.store(), b.view(), check.id, &check, {});
    ASSERT_TRUE(text) << text.error().what;
    EXPECT_FALSE(has_control(*text)) << *text;
  }
}

TEST(Hostile, MarkdownHasNoLiveMarkup) {
  auto text = rendered("markdown");
  bool in_code = false;
  std::string live;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && !in_code) ++i;
    else if (text[i] == '`') in_code = !in_code;
    else if (!in_code) live += text[i];
    ASSERT_FALSE(text[i] == '\n' && in_code) << "a code span must end on its line";
  }
  for (auto forbidden : {"<x", "![", "@octocat", "http://x)", "<img"}) EXPECT_EQ(live.find(forbidden), std::string::npos) << forbidden;
  EXPECT_EQ(live.find("</details>"), live.rfind("</details>")) << "only our own end of the folded part";
}

TEST(Hostile, MarkdownTableRowsKeepTheirCells) {
  std::istringstream lines(rendered("markdown"));
  int rows = 0;
  for (std::string line; std::getline(lines, line);) {
    if (line.rfind("| `pod`", 0) != 0) continue;
    ++rows;
    int bars = 0;
    for (std::size_t i = 0; i < line.size(); ++i) bars += line[i] == '|' && (i == 0 || line[i - 1] != '\\');
    EXPECT_EQ(bars, 9) << line;
  }
  EXPECT_EQ(rows, 1);
}

TEST(Hostile, JsonIsValidUtf8Json) {
  auto json = nlohmann::json::parse(rendered("json"));
  EXPECT_EQ(json.at("results").size(), 7U);
}

TEST(XmlText, EscapesAndDropsWhatXmlForbids) {
  EXPECT_EQ(xml_text("a<b>&\"c\""), "a&lt;b&gt;&amp;&quot;c&quot;");
  EXPECT_EQ(xml_text("\x1b[0m\x01 tab\t nl\n"), "[0m tab\t nl\n");
  EXPECT_EQ(xml_text("gr\xc3\xbc\xc3\x9f \xf0\x9f\x98\x80"), "gr\xc3\xbc\xc3\x9f \xf0\x9f\x98\x80");
  EXPECT_EQ(xml_text("\xff"), "\xef\xbf\xbd") << "not UTF-8";
  EXPECT_EQ(xml_text("\xc0\xaf\xe2\x82"), "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd") << "overlong, and cut short";
  EXPECT_EQ(xml_text("\xed\xa0\x80").find("\xed\xa0"), std::string::npos) << "a surrogate";
  EXPECT_EQ(xml_text("\xef\xbf\xbf\xc2\x9b"), "") << "U+FFFF and C1";
}

/// A second opinion: Python's parser, where there is one.
class JunitDocument : public ::testing::TestWithParam<void (*)(RunBuilder&)> {};

TEST_P(JunitDocument, IsWellFormedAndItsNumbersAddUp) {
  if (std::system("python3 -c 'import xml.etree.ElementTree' 2>/dev/null") != 0) GTEST_SKIP() << "python3 with xml.etree is not here";
  RunBuilder b;
  GetParam()(b);
  char folder[] = "/tmp/vt-junit-XXXXXX";
  ASSERT_NE(mkdtemp(folder), nullptr);
  auto path = std::string(folder) + "/report.xml";
  std::ofstream(path, std::ios::binary) << junit_report(b.view(), b.catalogue);
  std::string program =
      "import sys,xml.etree.ElementTree as E\n"
      "root=E.parse(sys.argv[1]).getroot()\n"
      "for s in [root]+root.findall('testsuite'):\n"
      "  for key,path in (('tests','.//testcase'),('failures','.//failure'),('errors','.//error'),('skipped','.//skipped')):\n"
      "    assert int(s.get(key))==len(s.findall(path)),(s.tag,key)\n"
      "assert len(root.findall('testsuite'))>0\n"
      "assert not root.findall('.//x')\n";
  std::ofstream(std::string(folder) + "/check.py") << program;
  EXPECT_EQ(std::system(("python3 " + std::string(folder) + "/check.py " + path).c_str()), 0);
  std::filesystem::remove_all(folder);
}

INSTANTIATE_TEST_SUITE_P(Runs, JunitDocument, ::testing::Values(fill_quickstart, fill_broken, fill_rehearsal, fill_hostile));

}  // namespace
}  // namespace vt
