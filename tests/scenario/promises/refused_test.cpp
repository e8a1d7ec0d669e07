// P9: no price, no instance. P15: no instance while the clocks disagree.
#include <filesystem>

#include "promise.hpp"

using namespace vt::test;
using nlohmann::json;

namespace {

struct Book {
  const char* name;
  const char* figure;  ///< of e2-standard-2 in us-central1; empty: the machine is not in the book
  const char* currency;
  friend std::ostream& operator<<(std::ostream& out, const Book& b) { return out << b.name; }
};

class Unpriced : public Promise, public testing::WithParamInterface<Book> {
 protected:
  Unpriced() : Promise("P9") {}
  /// The catalogue with a price book of its own.
  void write_book() {
    namespace fs = std::filesystem;
    fs::copy(program->catalogue, program->path("catalogue"), fs::copy_options::recursive);
    program->catalogue = program->path("catalogue");
    fs::create_directories(program->path("catalogue/prices"));
    std::string figure = GetParam().figure, machine = *GetParam().figure ? "e2-standard-2" : "n2-standard-4";
    write_file(program->path("catalogue/prices/gcp.yaml"),
               std::string("vault-test-prices: 1\nprovider: gcp\ndate: 2026-07-30\ncurrency: ") + GetParam().currency +
                   "\nmachines:\n  - source: a test\n    types:\n      " + machine +
                   ": {us-central1: " + (*GetParam().figure ? figure : "0.2") +
                   "}\ndisks:\n  - source: a test\n    types:\n      pd-balanced: {elsewhere: 0.1}\n      pd-standard: {elsewhere: 0.1}\n"
                   "addresses:\n  - source: a test\n    types:\n      ipv4: {elsewhere: 0.005}\n");
  }
};

TEST_P(Unpriced, IsNotCreated) {
  begin();
  write_book();
  auto ended = vault({"run", plan_of({layer("gcp", 1)})});
  EXPECT_EQ(ended.exit_code, 3) << ended.out << ended.err;
  EXPECT_TRUE(has(ended.out, "price")) << "it does not say why: " << ended.out << ended.err;
  EXPECT_EQ(books().creates, 0);
  count("creates_without_price", books().creates);
  expect_kept(0);
}
std::vector<Book> price_books() {
  return {{"Missing", "", "USD"},      {"Zero", "0", "USD"},           {"Negative", "-0.07", "USD"},    {"NotANumber", ".nan", "USD"},
          {"Infinite", ".inf", "USD"}, {"Monstrous", "999999", "USD"}, {"OtherCurrency", "0.07", "EUR"}};
}
INSTANTIATE_TEST_SUITE_P(Price, Unpriced, testing::ValuesIn(price_books()), [](auto& test) { return test.param.name; });

class Skewed : public Promise, public testing::WithParamInterface<std::tuple<std::string, int>> {
 protected:
  Skewed() : Promise("P15") {}
};

TEST_P(Skewed, IsRefusedBeyondTwoMinutes) {
  auto& [provider, seconds] = GetParam();
  json plan = json::array();
  for (auto call : {"get", "list"}) plan.push_back({{"call", call}, {"kind", "skew"}, {"probability", 1}, {"seconds", seconds}});
  bool refused = seconds > 120;
  begin({refused ? "none" : "auto", plan.dump(), 0});
  auto ended = vault({"run", plan_of({layer(provider, 1)})});
  EXPECT_EQ(ended.exit_code, refused ? 3 : 0) << ended.out << ended.err;
  EXPECT_EQ(books().creates, refused ? 0 : 1);
  EXPECT_TRUE(!refused || has(ended.out, "clock")) << ended.out;
  count("creates_with_wrong_clock", refused ? books().creates : 0);
  expect_kept(1);
}
INSTANTIATE_TEST_SUITE_P(By, Skewed, testing::Combine(testing::Values("gcp", "runpod"), testing::Values(60, 150, 86400)),
                         [](auto& test) { return std::get<0>(test.param) + std::to_string(std::get<1>(test.param)); });

}  // namespace
