#include "remote-agent/checks/mem_cells.hpp"

#include <gtest/gtest.h>

#include <bit>

#include "tests/support/faulty_device.hpp"

using namespace vt;
using namespace vt::checks;
using kernels::Cells;
using Order = CellTest::Order;

namespace {

constexpr std::size_t kMib = 1024 * 1024;

class CellsOf : public testing::TestWithParam<Cells> {
 protected:
  CellsOf() {
    memory_ = take_memory(device_, test::cpu_task({{"mib", 2}})).take();
    test_ = std::make_unique<CellTest>(CellTest::make(device_, memory_).take());
  }
  std::uint64_t* words() { return memory_.pieces[0].as<std::uint64_t>(); }
  CellTest::Pattern pattern(bool complement = false) { return {"a pattern", GetParam(), 5, complement}; }

  test::FaultyDevice device_;
  TakenMemory memory_;
  std::unique_ptr<CellTest> test_;
};

}  // namespace

TEST_P(CellsOf, ReadBackWhatWasWrittenInEitherOrder) {
  for (bool complement : {false, true}) {
    ASSERT_TRUE(test_->write(pattern(complement)));
    ASSERT_TRUE(test_->check(pattern(complement), Order::forwards));
    ASSERT_TRUE(test_->check(pattern(complement), Order::backwards));
  }
  EXPECT_EQ(test_->findings().count, 0U);
  EXPECT_EQ(test_->moved(), 6 * memory_.bytes);
}

TEST_P(CellsOf, DifferFromTheirComplementInEveryBit) {
  ASSERT_TRUE(test_->write(pattern()));
  ASSERT_TRUE(test_->check(pattern(true), Order::forwards));
  EXPECT_EQ(test_->findings().count, memory_.bytes / 8);
  for (auto& wrong : test_->findings().first) EXPECT_EQ(std::popcount(wrong.expected ^ wrong.found), 64);
}

TEST_P(CellsOf, AreInvertedInBothOrders) {
  ASSERT_TRUE(test_->write(pattern()));
  auto before = words()[1234];
  ASSERT_TRUE(test_->invert(pattern(), Order::forwards));
  EXPECT_EQ(words()[1234], ~before);
  ASSERT_TRUE(test_->invert(pattern(true), Order::backwards));
  ASSERT_TRUE(test_->check(pattern(), Order::forwards));
  EXPECT_EQ(words()[1234], before);
  EXPECT_EQ(test_->findings().count, 0U);
}

TEST_P(CellsOf, CountEveryWrongWordAndKeepTheFirst16) {
  ASSERT_TRUE(test_->write(pattern()));
  for (std::size_t i = 0; i < 100; ++i) words()[i * 977] ^= 1ULL << 40;
  ASSERT_TRUE(test_->check(pattern(), Order::backwards));
  auto& found = test_->findings();
  EXPECT_EQ(found.count, 100U);
  ASSERT_EQ(found.first.size(), 16U);
  for (auto& wrong : found.first) {
    EXPECT_EQ(wrong.offset / 8 % 977, 0U);
    EXPECT_EQ(wrong.address, reinterpret_cast<std::uint64_t>(words()) + wrong.offset);
    EXPECT_EQ(wrong.expected ^ wrong.found, 1ULL << 40);
    EXPECT_EQ(wrong.again, wrong.found);
  }
  EXPECT_EQ(found.set[40] + found.cleared[40], 100U);
  EXPECT_EQ(found.bits().substr(0, 7), "bit 40:");
  EXPECT_EQ(found.bits().find("; "), std::string::npos);
}

TEST_P(CellsOf, FindWhatAnInversionFinds) {
  ASSERT_TRUE(test_->write(pattern()));
  words()[3 * kMib / 16] ^= 1;
  ASSERT_TRUE(test_->invert(pattern(), Order::backwards));
  EXPECT_EQ(test_->findings().count, 1U);
  ASSERT_TRUE(test_->check(pattern(true), Order::forwards));
  EXPECT_EQ(test_->findings().count, 1U) << "the wrong word was written anew";
}

INSTANTIATE_TEST_SUITE_P(All, CellsOf, testing::Values(Cells::own_address, Cells::walking_bit, Cells::solid, Cells::random));

TEST(Cells, WalkThroughEveryBit) {
  std::uint64_t seen = 0;
  for (kernels::u64 i = 0; i < 32; ++i) {
    auto w = kernels::cells<Cells::walking_bit>(i, 0);
    EXPECT_TRUE(std::has_single_bit(w.x) && std::has_single_bit(w.y));
    seen |= w.x | w.y;
  }
  EXPECT_EQ(seen, ~0ULL);
}

TEST(Cells, RandomOnesAreHalfOnes) {
  int ones = 0;
  for (kernels::u64 i = 0; i < 4096; ++i) {
    auto w = kernels::cells<Cells::random>(i, 9);
    ones += std::popcount(w.x) + std::popcount(w.y);
    EXPECT_NE(w.x, w.y);
  }
  EXPECT_NEAR(ones, 4096 * 64, 2000);
}

TEST(Findings, AreToldInOneLine) {
  MemoryFindings none;
  EXPECT_EQ(none.text(), "none");
  EXPECT_EQ(none.all(), "none");
  MemoryFindings some;
  some.count = 2, some.set[3] = 2, some.cleared[9] = 1;
  some.first.push_back({"random", 0x7000, 0x1000, 1, 9, 9});
  EXPECT_EQ(some.text(),
            "2 wrong words, first at byte 0x0000000000001000 (address 0x0000000000007000), pattern random: expected 0x0000000000000001, "
            "found 0x0000000000000009, read again 0x0000000000000009; bit 3: 2 times 1 for 0");
  EXPECT_EQ(some.bits(), "bit 3: 2 times 1 for 0; bit 9: 1 times 0 for 1");
}
