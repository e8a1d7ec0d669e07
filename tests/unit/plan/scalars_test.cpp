#include "orchestrator/plan/scalars.hpp"

#include <gtest/gtest.h>

#include "orchestrator/plan/cycles.hpp"

using namespace vt;
using namespace std::chrono_literals;

TEST(Scalars, Durations) {
  EXPECT_EQ(parse_duration("7d"), 24h * 7);
  EXPECT_EQ(parse_duration("12h"), 12h);
  EXPECT_EQ(parse_duration("90m"), 90min);
  EXPECT_EQ(parse_duration("30s"), 30s);
  EXPECT_EQ(parse_duration("200ms"), 200ms);
  for (const char* wrong : {"", "7", "d", "-7d", "+7d", "7 d", "1.5h", "7D", "7d ", "1h30m", "3651d", "99999999999999999999s"})
    EXPECT_FALSE(parse_duration(wrong)) << wrong;
}

TEST(Scalars, Sizes) {
  for (const char* size : {"50 GB", "64 MiB", "1TiB", "512 B"}) EXPECT_TRUE(is_size(size)) << size;
  for (const char* wrong : {"", "50", "GB", "0 GB", "50 Gb", "-5 GB", "1.5 GB", "50 GB x"}) EXPECT_FALSE(is_size(wrong)) << wrong;
}

TEST(Scalars, Names) {
  EXPECT_TRUE(is_plain_name("runpod-5090"));
  EXPECT_TRUE(is_plain_name(std::string(63, 'a')));
  for (const std::string& wrong :
       {std::string(), std::string("-a"), std::string(".a"), std::string("A"), std::string("a/b"), std::string(64, 'a')})
    EXPECT_FALSE(is_plain_name(wrong)) << wrong;
  EXPECT_TRUE(is_check_id("os.kernel_x.9"));
  for (const char* wrong : {"", "os", "os.", ".os", "a..b", "Os.k", "a-b.c"}) EXPECT_FALSE(is_check_id(wrong)) << wrong;
  EXPECT_TRUE(is_user_name("_vault-2"));
  for (const char* wrong : {"", "Root", "0a", "a b", "a;b", "-a"}) EXPECT_FALSE(is_user_name(wrong)) << wrong;
}

TEST(Scalars, Hosts) {
  for (const char* address : {"cube-01.lan", "192.0.2.1", "2001:db8::1", "host_1"}) EXPECT_TRUE(is_address(address)) << address;
  for (const char* wrong : {"", "-x", "a b", "a;b", "$(x)", "h/", "user@h", "h?", "h#x", "ho\xC3\xA4st", "`x`", "h%0a"})
    EXPECT_FALSE(is_address(wrong)) << wrong;
  EXPECT_TRUE(is_jump("me@bastion") && is_jump("me@bastion:2222"));
  for (const char* wrong : {"bastion", "@h", "me@", "me@h:", "me@h:0", "me@h:65536", "me@-h", "me@h:22:22"})
    EXPECT_FALSE(is_jump(wrong)) << wrong;
  EXPECT_TRUE(is_fingerprint("SHA256:abcdefghijklmnopqrstuvwxyzABCDEFGHIJ0123+/x"));
  EXPECT_FALSE(is_fingerprint("SHA256:abcdefghijklmnopqrstuvwxyzABCDEFGHIJ0123+/x="));
  EXPECT_FALSE(is_fingerprint("sha256:abcdefghijklmnopqrstuvwxyzABCDEFGHIJ0123+/x"));
}

TEST(Cycles, AreFoundOnceAndLongChainsDoNotRecurse) {
  EXPECT_TRUE(cycles({{"a", {"b", "c"}}, {"b", {"c"}}, {"c", {}}}).empty());
  EXPECT_EQ(cycles({{"a", {"b"}}, {"b", {"c"}}, {"c", {"b", "x"}}}), (std::vector<std::vector<std::string>>{{"b", "c", "b"}}));
  Graph chain;
  for (int i = 0; i < 100'000; ++i) chain["n" + std::to_string(i)] = {"n" + std::to_string(i + 1)};
  EXPECT_TRUE(cycles(chain).empty());
}
