#include "orchestrator/cost/user_config.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "tests/support/temp_dir.hpp"

namespace vt {
namespace {

class UserConfigTest : public testing::Test {
 protected:
  UserConfig load(const std::string& text) {
    test::write_file(dir_ / "config.yaml", text);
    return load_user_config({{"VAULT_TEST_CONFIG", dir_ / "config.yaml"}});
  }
  /// The problems, without their path.
  std::string problems(const std::string& text) {
    std::string out;
    for (auto& p : load(text).problems) out += p.text().substr(dir_.path().size() + 1) + "\n";
    return out;
  }
  test::TempDir dir_;
};

TEST_F(UserConfigTest, ReadsEveryCap) {
  auto config = load("caps: {run: $5, layer: 2.50, day: $20, month: $100, rate: $10}\n");
  ASSERT_TRUE(config.problems.empty());
  EXPECT_EQ(config.caps.run->micro, 5'000'000);
  EXPECT_EQ(config.caps.layer->micro, 2'500'000);
  EXPECT_EQ(config.caps.day->micro, 20'000'000);
  EXPECT_EQ(config.caps.month->micro, 100'000'000);
  EXPECT_EQ(config.caps.rate->micro, 10'000'000);
}

TEST_F(UserConfigTest, TellsEveryProblemWithItsPlaceAndTheNearestName) {
  EXPECT_EQ(problems("caps:\n  dya: $20\n  month: a lot\n"),
            "config.yaml:2:3: unknown key 'dya'; expected one of run, layer, day, month, rate, nearest 'day'\n"
            "config.yaml:3:10: month 'a lot' is not an amount of dollars; expected for example 9 or 0.45\n");
  EXPECT_EQ(problems("cap: {}\n"), "config.yaml:1:1: unknown key 'cap'; expected one of caps, nearest 'caps'\n");
  EXPECT_EQ(problems("caps: {day: -1}\n"), "config.yaml:1:13: day '-1' is not an amount of dollars; expected for example 9 or 0.45\n");
  EXPECT_EQ(problems("caps: $5\n"), "config.yaml:1:7: caps is text; expected a map\n");
  EXPECT_EQ(problems("caps: {day: $1, day: $2}\n").substr(0, 17), "config.yaml:1:17:");
}

TEST_F(UserConfigTest, IsLookedForWhereTheDesktopKeepsSuchFiles) {
  std::filesystem::create_directories(dir_ / "xdg/vault-test");
  std::filesystem::create_directories(dir_ / ".config/vault-test");
  test::write_file(dir_ / "xdg/vault-test/config.yaml", "caps: {run: 1}\n");
  test::write_file(dir_ / ".config/vault-test/config.yaml", "caps: {run: 2}\n");
  EXPECT_EQ(load_user_config({{"XDG_CONFIG_HOME", dir_ / "xdg"}, {"HOME", dir_.path()}}).caps.run->micro, 1'000'000);
  EXPECT_EQ(load_user_config({{"HOME", dir_.path()}}).caps.run->micro, 2'000'000);
}

TEST_F(UserConfigTest, NoFileIsNoCapsUnlessItWasNamed) {
  auto none = load_user_config({{"HOME", dir_ / "nobody"}});
  EXPECT_TRUE(none.problems.empty());
  EXPECT_FALSE(none.caps.run || none.caps.layer || none.caps.day || none.caps.month || none.caps.rate);
  EXPECT_EQ(load_user_config({{"VAULT_TEST_CONFIG", dir_ / "missing.yaml"}}).problems.size(), 1U);
}

TEST_F(UserConfigTest, AFileThatCannotBeReadIsNotNoFile) {
  std::filesystem::create_directories(dir_ / ".config/vault-test/config.yaml");  // a folder
  EXPECT_EQ(load_user_config({{"HOME", dir_.path()}}).problems.size(), 1U);
}

TEST(Stricter, TakesTheSmallerOfEach) {
  Caps user;
  user.run = Money{5}, user.day = Money{20};
  Budget plan, layer;
  EXPECT_EQ(stricter(user, plan, layer).run, Money{5});
  plan.usd = Money{9}, layer.usd = Money{3};
  auto caps = stricter(user, plan, layer);
  EXPECT_EQ(caps.run, Money{5});
  EXPECT_EQ(caps.layer, Money{3});
  EXPECT_EQ(caps.day, Money{20});
  EXPECT_FALSE(caps.month);
  plan.usd = Money{4}, user.layer = Money{1};
  caps = stricter(user, plan, layer);
  EXPECT_EQ(caps.run, Money{4});
  EXPECT_EQ(caps.layer, Money{1});
}

}  // namespace
}  // namespace vt
