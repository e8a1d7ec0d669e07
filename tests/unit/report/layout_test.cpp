#include "orchestrator/report/layout.hpp"

#include <gtest/gtest.h>

namespace vt {
namespace {

TEST(Layout, OneLineIsPrintableAndCutAtCharacters) {
  EXPECT_EQ(one_line("  a\nb\tc\x1b[1m "), "a b c\\x1b[1m");
  EXPECT_EQ(one_line("abcdefgh", 6), "abc...");
  EXPECT_EQ(one_line("\xc3\xa4\xc3\xb6\xc3\xbc\xc3\xa4\xc3\xb6\xc3\xbc", 5), "\xc3\xa4\xc3\xb6...") << "never inside a character";
}

TEST(Layout, WrapsUnderTheBody) {
  TextStyle style{20, false};
  EXPECT_EQ(wrapped(style, "  why: ", "one two three four"), "  why: one two three\n       four\n");
  EXPECT_EQ(wrapped(style, "a: ", "averyveryverylongwordthatdoesnotfit x"), "a: averyveryverylongwordthatdoesnotfit\n   x\n")
      << "a word is never broken";
  EXPECT_EQ(wrapped({20, true}, "FAIL ", "one two three four", Tone::bad), "\x1b[1;31mFAIL \x1b[0mone two three\n     four\n");
}

TEST(Layout, TablesAlignWhateverTheColour) {
  Table table;
  table.add({{"layer"}, {"pass", Tone::faint, true}});
  table.add({{"gr\xc3\xbc", Tone::good}, {"7", Tone::good, true}});
  EXPECT_EQ(table.text({80, false}), "layer  pass\ngr\xc3\xbc       7\n");
  EXPECT_EQ(table.text({80, true}), "layer  \x1b[2mpass\x1b[0m\n\x1b[32mgr\xc3\xbc\x1b[0m       \x1b[32m7\x1b[0m\n");
}

TEST(Layout, CountsInWords) {
  EXPECT_EQ(count_of(1, "check"), "1 check");
  EXPECT_EQ(count_of(0, "check"), "0 checks");
  EXPECT_EQ(list_line({"a", "b"}), "a, b");
}

}  // namespace
}  // namespace vt
