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

TEST(Text, ShellQuoteIsOneWord) { EXPECT_EQ(shell_quote("a'b $(x)"), "'a'\\''b $(x)'"); }

TEST(Text, SplitTrimsAndDropsEmpty) { EXPECT_EQ(split(" a, ,b ", ','), (std::vector<std::string>{"a", "b"})); }
