#include "orchestrator/store/digest.hpp"
#include "orchestrator/model/sha256.hpp"

#include <regex>
#include <set>

#include "fixture.hpp"

using namespace vt;

TEST(Digest, MatchesThePublishedVectors) {
  EXPECT_EQ(sha256_hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");  // FIPS 180-2
  EXPECT_EQ(sha256_hex(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(base32("foobar"), "mzxw6ytboi");  // RFC 4648, in lower case, unpadded
  EXPECT_EQ(base32("foo"), "mzxw6");
  EXPECT_EQ(base32(std::string(1, '\xff')), "74");
  EXPECT_EQ(hex(hmac_sha256("Jefe", "what do ya want for nothing?")),  // RFC 4231, case 2
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
}

TEST(Digest, RunIdsSortByTimeAndDiffer) {
  ManualClock clock;
  auto first = new_run_id(clock);
  EXPECT_TRUE(std::regex_match(first, std::regex("20231114-221320-[a-z2-7]{4}"))) << first;
  std::set<std::string> ids;
  for (int i = 0; i < 20; ++i) ids.insert(new_run_id(clock));
  EXPECT_GE(ids.size(), 19U);  // 20 of a million
  clock.wall_ms += 1000;
  EXPECT_LT(first, new_run_id(clock));
}
