#include <gtest/gtest.h>
#include <sys/stat.h>

#include "orchestrator/model/clock.hpp"
#include "providers/gcp/credentials.hpp"
#include "tests/contract/emulator/emulated.hpp"

namespace vt::test {

using nlohmann::json;

TEST(EmulatedTokens, OnlyOnesItGaveAreGoodWhenStrict) {
  Emulated e("", 0.001, false);
  Answer refused = e.gcp("GET", "zones/us-central1-b");
  EXPECT_EQ(refused.status, 401);
  EXPECT_EQ(refused.body["error"]["status"], "UNAUTHENTICATED");
  EXPECT_EQ(refused.body["error"]["errors"][0]["reason"], "authError");
}

TEST(EmulatedTokens, RehearsalAccessIsAllThatOurClientNeeds) {
  Emulated e("", 0.001, false);
  auto access = emulator::rehearsal_access((*e).address(), e.folder() + "/access", 0.001);
  ASSERT_TRUE(access) << access.error().what;
  EXPECT_EQ(access->environment("GCP_PROJECT"), "rehearsal");
  EXPECT_EQ(access->environment("HOME"), "");
  EXPECT_TRUE(access->rehearsal);
  EXPECT_EQ(access->gcp_ssh_port, (*e).port());
  struct stat file {};
  ASSERT_EQ(stat(access->environment("GOOGLE_APPLICATION_CREDENTIALS").c_str(), &file), 0);
  EXPECT_EQ(file.st_mode & 0777, 0600U);

  auto http = make_http({access->reach, "vault-test/test", ""});
  SystemClock clock;
  auto ours = find_gcp_credentials(*access, *http, clock);
  ASSERT_TRUE(ours) << ours.error().what;
  auto token = (*ours)->token(false);
  ASSERT_TRUE(token) << token.error().what;
  EXPECT_EQ(e.send("GET", "/compute/v1/projects/rehearsal/zones/us-central1-b", nullptr, (*token)->reveal()).status, 200);
}

TEST(EmulatedTokens, AnotherKeyIsRefused) {
  Emulated known("", 0.001, false), other("", 0.001, false);
  auto access = emulator::rehearsal_access((*known).address(), known.folder() + "/access", 0.001);
  auto stranger = emulator::rehearsal_access((*other).address(), other.folder() + "/access", 0.001);
  ASSERT_TRUE(access && stranger);
  // The stranger's key, taken to the emulator that knows the first one.
  std::string path = stranger->environment("GOOGLE_APPLICATION_CREDENTIALS");
  json file = json::parse(read_file(path));
  file["token_uri"] = (*known).address() + "/token";
  write_file(path, file.dump());
  auto http = make_http({stranger->reach, "vault-test/test", ""});
  SystemClock clock;
  auto ours = find_gcp_credentials(*stranger, *http, clock);
  ASSERT_TRUE(ours) << ours.error().what;
  auto token = (*ours)->token(false);
  ASSERT_FALSE(token);
  EXPECT_EQ(token.error().code, Errc::auth) << token.error().what;
}

TEST(EmulatedMetadata, IsForGuestsThatSayWhoTheyAre) {
  Emulated e;
  EXPECT_EQ(e.send("GET", "/computeMetadata/v1/instance/name").status, 403) << "without Metadata-Flavor";
}

}  // namespace vt::test
