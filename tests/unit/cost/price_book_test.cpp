#include "orchestrator/cost/price_book.hpp"

#include <gtest/gtest.h>

#include "tests/support/temp_dir.hpp"

namespace vt {
namespace {

constexpr auto kHead = "vault-test-prices: 1\nprovider: gcp\ndate: 2026-07-30\ncurrency: USD\n";

Result<PriceBook> read_text(const std::string& text) {
  test::TempDir dir;
  test::write_file(dir / "book.yaml", text);
  return PriceBook::read(dir / "book.yaml");
}

/// What is said about the book, without its path.
std::string problem_of(const std::string& text) {
  auto book = read_text(text);
  if (book) return "no problem";
  EXPECT_EQ(book.error().code, Errc::config);
  auto& what = book.error().what;
  return what.substr(what.find("book.yaml:") + 10);
}

std::string with_price(const std::string& price) {
  return std::string(kHead) + "machines:\n  - source: a list\n    types:\n      m: {r: " + price + "}\n";
}

PriceBook shipped() {
  auto book = PriceBook::read(VT_SOURCE_DIR "/plans/prices/gcp.yaml");
  if (!book) throw std::runtime_error(book.error().what);
  return std::move(book).take();
}

TEST(PriceBook, KnowsMachinesByRegionAndMarket) {
  auto book = shipped();
  auto price = book.machine("g4-standard-48", "us-central1", "on-demand");
  ASSERT_TRUE(price);
  EXPECT_EQ(price->hourly.micro, 4'499'930);
  EXPECT_EQ(price->source, "price book gcp of 2026-07-30");
  EXPECT_EQ(book.machine("g4-standard-48", "us-central1", "spot")->hourly.micro, 1'799'820);
  EXPECT_EQ(book.machine("a3-highgpu-8g", "us-central1", "on-demand")->hourly.micro, 88'490'000);
  EXPECT_EQ(book.machine("e2-standard-2", "us-central1", "on-demand")->hourly.micro, 67'012);
  EXPECT_EQ(book.date(), "2026-07-30");
}

TEST(PriceBook, HasNoPriceForWhatIsNotWrittenDown) {
  auto book = shipped();
  EXPECT_FALSE(book.machine("g4-standard-49", "us-central1", "spot"));
  EXPECT_FALSE(book.machine("g4-standard-48", "mars-north1", "spot"));
  EXPECT_FALSE(book.machine("g4-standard-48", "us-central1", "SECURE"));
  EXPECT_FALSE(book.machine("e2-micro", "us-central1", "spot")) << "its book has one figure, which is the price on demand";
  EXPECT_FALSE(book.disk("tape", "us-central1", 100));
  EXPECT_FALSE(book.disk("pd-ssd", "us-central1", 0));
}

TEST(PriceBook, CountsDisksPerHourRoundedUpAndSaysWhatIsUnconfirmed) {
  auto book = shipped();
  auto disk = book.disk("hyperdisk-balanced", "us-central1", 100);
  ASSERT_TRUE(disk);
  EXPECT_EQ(disk->hourly.micro, 10'959) << "100 GB of $0.08 over 730 hours";
  EXPECT_EQ(disk->source, "price book gcp of 2026-07-30, unconfirmed");
  EXPECT_EQ(book.disk("hyperdisk-balanced", "europe-west4", 100)->hourly.micro, 21'918) << "a region without a figure of its own";
  EXPECT_EQ(book.address("on-demand")->hourly.micro, 5'000);
  EXPECT_EQ(book.address("spot")->hourly.micro, 2'500);
}

// P9: no price, no instance. What is no price at all cannot get into a book.
TEST(PriceBook, RefusesWhatIsNoPrice) {
  EXPECT_EQ(problem_of(with_price("4.5")), "no problem");
  EXPECT_EQ(problem_of(with_price("[4.5, 1.8]")), "no problem");
  EXPECT_EQ(problem_of(with_price("0")), "8:14: price '0' cannot be right; expected more than 0 and at most 1000");
  EXPECT_EQ(problem_of(with_price("[4.5, 0.00]")), "8:20: price '0.00' cannot be right; expected more than 0 and at most 1000");
  EXPECT_EQ(problem_of(with_price("1000.01")), "8:14: price '1000.01' cannot be right; expected more than 0 and at most 1000");
  for (std::string bad : {"-4.5", "NaN", ".nan", ".inf", "1e3", "4.5 EUR", "€4.5", "free", "4,5x", "0.0000001"})
    EXPECT_EQ(problem_of(with_price("\"" + bad + "\"")),
              "8:14: price '" + bad + "' is not an amount of US dollars; expected for example 4.5");
  EXPECT_EQ(problem_of(with_price("")), "8:11: the price of m is empty; expected an amount of US dollars");
  EXPECT_EQ(problem_of(with_price("[1, 2, 3]")), "8:14: found a list of 3; expected [on-demand, spot]");
}

TEST(PriceBook, RefusesOtherCurrenciesAndDoubleFigures) {
  auto text = with_price("4.5");
  auto euros = text;
  euros.replace(euros.find("USD"), 3, "EUR");
  EXPECT_EQ(problem_of(euros), "4:11: currency 'EUR' is not valid; expected USD, the only currency we count in");
  EXPECT_EQ(problem_of(text + "  - source: another list\n    types:\n      m: {r: 5}\n"),
            "11:14: m in r, on-demand, is priced twice; expected it once");
  EXPECT_EQ(problem_of("vault-test-prices: 1\nprovider: gcp\ndate: yesterday\ncurrency: USD\n"),
            "3:7: date 'yesterday' is not valid; expected a date such as 2026-07-30");
}

TEST(PriceBook, WantsTheSourceOfEveryFigure) {
  EXPECT_EQ(problem_of(std::string(kHead) + "machines:\n  - types:\n      m: {r: 5}\n"),
            "6:5: a group of prices has no 'source'; expected one");
  EXPECT_EQ(problem_of(std::string(kHead) + "machine: []\n"),
            "5:1: unknown key 'machine'; expected one of vault-test-prices, provider, date, currency, machines, disks, addresses, nearest "
            "'machines'");
  auto missing = PriceBook::read("/nonexistent/book.yaml");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, Errc::config);
}

}  // namespace
}  // namespace vt
