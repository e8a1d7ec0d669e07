#include "orchestrator/model/text.hpp"

#include <gtest/gtest.h>

using namespace vt;

TEST(Text, NearestFindsTypingErrorsOnly) {
  EXPECT_EQ(nearest("provder", {"provider", "proves", "purpose"}), "provider");
  EXPECT_EQ(nearest("rnu", {"run", "runs"}), "run");
  EXPECT_EQ(nearest("levle", {"level", "layers"}), "level");
  EXPECT_EQ(nearest("zzzzzz", {"provider", "proves"}), "");
}

TEST(Text, Globs) {
  EXPECT_TRUE(glob_match("os.*", "os.kernel"));
  EXPECT_TRUE(glob_match("*.kernel", "os.kernel"));
  EXPECT_TRUE(glob_match("os.?ernel", "os.kernel"));
  EXPECT_FALSE(glob_match("os.", "os.kernel"));
  EXPECT_FALSE(glob_match("gpu.*", "os.gpu.x"));
}

TEST(Text, HostTextCannotDriveTheTerminal) {
  EXPECT_EQ(printable("a\x1b]52;c;x\x07z"), "a\\x1b]52;c;x\\x07z");
  EXPECT_EQ(printable("\xC2\x9B"
                      "1A"),
            "\\x9b1A");
  EXPECT_EQ(printable("grün\tok\n"), "grün\tok\n");
}

TEST(Text, CutsBetweenCharacters) {
  EXPECT_EQ(cut_text("grün", 10), "grün");
  EXPECT_EQ(cut_text("grün", 4), "grü");
  EXPECT_EQ(cut_text("grün", 3), "gr");
  EXPECT_EQ(cut_text("a\xF0\x9F\x98\x80", 4), "a");
  EXPECT_EQ(cut_text("a\xF0\x9F\x98\x80", 5), "a\xF0\x9F\x98\x80");
  EXPECT_EQ(cut_text("abc", 0), "");
}

TEST(Text, WhatIsNoUtf8IsReplaced) {
  EXPECT_EQ(cut_text("a\xFFz", 9), "a?z");
  EXPECT_EQ(cut_text("a\xC3", 9), "a?") << "cut off";
  EXPECT_EQ(cut_text("\xC0\xAF", 9), "??") << "overlong";
  EXPECT_EQ(cut_text("\xE0\x80\xAF", 9), "???") << "overlong";
  EXPECT_EQ(cut_text("\xED\xA0\x80", 9), "???") << "half of a pair";
  EXPECT_EQ(cut_text("\xF4\x90\x80\x80", 9), "????") << "above U+10FFFF";
  EXPECT_EQ(cut_text("\xFF\xFF\xFF", 2), "??");
}

TEST(Text, ShellQuoteIsOneWord) { EXPECT_EQ(shell_quote("a'b $(x)"), "'a'\\''b $(x)'"); }

TEST(Text, SplitTrimsAndDropsEmpty) { EXPECT_EQ(split(" a, ,b ", ','), (std::vector<std::string>{"a", "b"})); }
