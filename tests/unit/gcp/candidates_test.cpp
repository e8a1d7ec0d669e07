#include "providers/gcp/candidates.hpp"

#include <gtest/gtest.h>

#include "tests/unit/gcp/fake_cloud.hpp"

using namespace vt;
using test::FakeCloud;

namespace {

constexpr const char* kBook = R"(vault-test-prices: 1
provider: gcp
date: 2026-07-30
currency: USD
machines:
  - source: a test
    types:
      g4-standard-48: {us-central1: [4.5, 1.8], us-west1: [5, 2]}
      n1-standard-4: {us-central1: [0.2, 0.1]}
      nvidia-tesla-t4: {us-central1: [0.4, 0.2]}
disks:
  - source: a test
    types:
      hyperdisk-balanced: {elsewhere: 0.073}
      pd-balanced: {elsewhere: 0.073}
addresses:
  - source: a test
    types: {ipv4: {elsewhere: [0.005, 0.0025]}}
)";

class GcpCandidates : public ::testing::Test {
 protected:
  void SetUp() override {
    test::write_file(cloud_.dir / "gcp.yaml", kBook);
    cloud_.context.prices = cloud_.dir.path();
  }
  std::vector<Candidate> all(const Options& options) {
    auto candidates = cloud_.provider()->candidates(test::layer(options));
    if (!candidates) ADD_FAILURE() << candidates.error().what;
    return candidates ? *candidates : std::vector<Candidate>{};
  }
  FakeCloud cloud_;
};

TEST_F(GcpCandidates, AreAllZonesOfTheFirstMarketThenOfTheNext) {
  auto candidates = all({{"market", {"spot", "on-demand"}}});
  std::vector<std::string> texts;
  for (auto& c : candidates) texts.push_back(c.text);
  EXPECT_EQ(texts, (std::vector<std::string>{"g4-standard-48, spot, us-central1-b", "g4-standard-48, spot, us-west1-a",
                                             "g4-standard-48, on-demand, us-central1-b", "g4-standard-48, on-demand, us-west1-a"}));
  EXPECT_TRUE(cloud_.asked().empty());
}

TEST_F(GcpCandidates, CostMachineDiskAndAddress) {
  auto with = all({{"zones", {"us-central1-b"}}}), without = all({{"zones", {"us-central1-b"}}, {"public-address", {"false"}}});
  ASSERT_EQ(with.size(), 1U);
  EXPECT_EQ(with[0].hourly.micro, 1'800'000 + 10'000 + 2'500) << "100 GB at 0.073 a month of 730 hours";
  EXPECT_EQ(without[0].hourly.micro, 1'800'000 + 10'000);
  EXPECT_EQ(with[0].price_source, "price book gcp of 2026-07-30");
}

TEST_F(GcpCandidates, CostTheirAccelerators) {
  Options options{{"machine", {"n1-standard-4"}}, {"accelerator", {"nvidia-tesla-t4:2"}}, {"zones", {"us-central1-b"}}};
  EXPECT_EQ(all(options)[0].hourly.micro, 100'000 + 2 * 200'000 + 10'000 + 2'500);
}

TEST_F(GcpCandidates, AreWithoutPriceWhereAPartHasNone) {
  auto candidates = all({{"zones", {"us-central1-b", "us-east5-b"}}});
  EXPECT_TRUE(candidates[0].price_known);
  EXPECT_FALSE(candidates[1].price_known);
  EXPECT_FALSE(all({{"disk-type", {"hyperdisk-extreme"}}})[0].price_known);
}

TEST_F(GcpCandidates, QuoteIsTheCheapest) {
  auto quote = cloud_.provider()->quote(test::layer({{"market", {"on-demand", "spot"}}}));
  EXPECT_TRUE(quote.known);
  EXPECT_EQ(quote.market, "spot");
  EXPECT_EQ(quote.hourly.micro, 1'812'500);
}

}  // namespace
