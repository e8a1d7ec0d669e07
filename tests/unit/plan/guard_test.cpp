#include <gtest/gtest.h>
#include <sys/stat.h>

#include <chrono>

#include "orchestrator/plan/utf8.hpp"
#include "orchestrator/plan/yaml_reader.hpp"
#include "plan_support.hpp"

using namespace vt;
using namespace vt::test;

namespace {

/// The problems of `text`, and whether nodes came out.
std::pair<bool, std::string> guard(const std::string& text) {
  Problems problems;
  auto node = yaml::read_text(text, "f", problems);
  return {node.has_value(), test::text(problems)};
}

}  // namespace

TEST(Guard, EightByteCycle) {
  std::string cycle = "&x\n- *x\n";
  ASSERT_EQ(cycle.size(), 8U);
  EXPECT_EQ(guard(cycle), std::pair(false, std::string("f:2:3: an alias inside its own anchor; expected no cycle\n")));
}

/// Nine lists of nine aliases each stand for 9^9 nodes. The clock is generous: refusing takes a few milliseconds, expanding does not end.
TEST(Guard, AliasBombIsRefusedWithoutExpandingIt) {
  std::string bomb = "a: &a [x,x,x,x,x,x,x,x,x]\n";
  for (char c = 'b'; c <= 'i'; ++c) {
    std::string previous(1, static_cast<char>(c - 1)), list;
    for (int i = 0; i < 9; ++i) list += (i ? ",*" : "*") + previous;
    bomb += std::string(1, c) + ": &" + c + " [" + list + "]\n";
  }
  ASSERT_LE(bomb.size(), 306U);
  auto start = std::chrono::steady_clock::now();
  auto [read, problems] = guard(bomb);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(2));
  EXPECT_FALSE(read);
  EXPECT_NE(problems.find("more than 10000 nodes"), std::string::npos) << problems;
}

TEST(Guard, LimitsAreExact) {
  auto list_of = [](int n) {
    std::string out = "[";
    for (int i = 0; i < n; ++i) out += "a,";
    return out + "]";
  };
  EXPECT_TRUE(guard(list_of(9'999)).first);
  EXPECT_FALSE(guard(list_of(10'000)).first);
  EXPECT_TRUE(guard(std::string(32, '[') + std::string(32, ']')).first);
  EXPECT_FALSE(guard(std::string(33, '[') + std::string(33, ']')).first);
  EXPECT_TRUE(guard("a: b #" + std::string(yaml::kLargestFile - 6, 'x')).first);
  EXPECT_FALSE(guard("a: b #" + std::string(yaml::kLargestFile - 5, 'x')).first);
}

TEST(Guard, AliasesThatDoNoHarmAreExpanded) {
  Problems problems;
  auto node = yaml::read_text("a: &x [1, {b: 2}]\nc: *x\nd: &n\ne: *n\nf: &s 'q'\ng: *s\n", "f", problems);
  ASSERT_TRUE(node && problems.empty()) << text(problems);
  EXPECT_EQ(node->find("c")->items.at(1).find("b")->text, "2");
  EXPECT_EQ(node->find("e")->kind, yaml::Node::Kind::nothing);
  EXPECT_EQ(node->find("g")->text, "q");
}

TEST(Guard, AnAliasMayNotEvadeTheDepthLimit) {
  std::string deep = "a: &a " + std::string(20, '[') + std::string(20, ']') + "\nb: ";
  EXPECT_TRUE(guard(deep + std::string(11, '[') + "*a" + std::string(11, ']')).first);
  EXPECT_FALSE(guard(deep + std::string(12, '[') + "*a" + std::string(12, ']')).first);
}

TEST(Guard, ColumnsCountCharacters) {
  EXPECT_EQ(guard("größe: {ä: !x b}\n").second, "f:1:12: tag '!x' is not allowed; expected a plain value\n");
  EXPECT_EQ(guard("\xEF\xBB\xBF"
                  "a: !x b\n")
                .second,
            "f:1:4: tag '!x' is not allowed; expected a plain value\n");
}

TEST(Guard, QuotedTextWithAnExclamationMarkIsNoTag) { EXPECT_EQ(guard("a: '!x'\nb: \"! y\"\nc: &d '!z'\ne: x!\n").second, ""); }

TEST(Guard, TellsEverythingItCanGoOnAfter) {
  EXPECT_EQ(guard("a: !x 1\na: 2\nb: {<<: 3, c: !y [1]}\n").second,
            "f:1:4: tag '!x' is not allowed; expected a plain value\n"
            "f:2:1: key 'a' is given twice, first in line 1; expected it once\n"
            "f:3:5: merge key '<<' is not allowed; expected the keys themselves, or an include\n"
            "f:3:15: tag '!y' is not allowed; expected a plain value\n");
}

TEST(Guard, Utf8) {
  EXPECT_EQ(bad_byte("aä€😀\t\r\n"), std::nullopt);
  EXPECT_EQ(bad_byte("ab\xC0\x80"), 2U);        // overlong
  EXPECT_EQ(bad_byte("\xED\xA0\x80"), 0U);      // surrogate
  EXPECT_EQ(bad_byte("\xF4\x90\x80\x80"), 0U);  // above U+10FFFF
  EXPECT_EQ(bad_byte("a\xE2\x82"), 1U);         // cut off
  EXPECT_EQ(bad_byte(std::string_view("a\0b", 3)), 1U);
  EXPECT_EQ(bad_byte("a\x7F"), 1U);
}

TEST(Guard, FilesThatAreNone) {
  TempFolder folder;
  WorkIn here(folder.path());
  folder.write("large.yaml", std::string(yaml::kLargestFile + 1, ' '));
  ASSERT_EQ(mkfifo("fifo.yaml", 0600), 0);
  auto problems = [](const std::string& path) { return text(load_plan({path, {}, {}}, catalogue().catalogue, providers()).problems); };
  EXPECT_EQ(problems("none.yaml"), "none.yaml:0:0: cannot be read: No such file or directory; expected a readable file\n");
  EXPECT_EQ(problems("."), ".:0:0: cannot be read: not a regular file; expected a readable file\n");
  EXPECT_EQ(problems("fifo.yaml"), "fifo.yaml:0:0: cannot be read: not a regular file; expected a readable file\n");
  EXPECT_EQ(problems("large.yaml"), "large.yaml:0:0: larger than 256 KiB; expected a smaller file\n");
}
