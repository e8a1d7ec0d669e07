// Whatever a plan or catalogue file contains, reading it ends with a plan or with problems, never with a crash.
#include <gtest/gtest.h>

#include <random>

#include "plan_support.hpp"

using namespace vt;
using namespace vt::test;

namespace {

/// One whole plan with every construct, small enough that each of its prefixes can be read.
const std::string kPlan =
    "vault-test: 1\nname: p\nvars: {a: &x 'b', c: \"${vars.a}\"}\nsecrets: [T]\nbudget: {usd: 1.5, minutes: 9}\n"
    "expect: {os.kernel: {at-least: \"6.13\"}, gpu.sm: {any-of: {matches: '^s'}}}\nsubject: {git: ~/g}\n"
    "layers:\n  l1:\n    provider: runpod\n    gpu: *x\n    disk: 50 GB\n    suites: [os]\n    skip: [os.*]\n"
    "  l2:\n    provider: bare-metal\n    after: {l1: {passed-within: 7d}}\n    suites: os\n    declares: {gpu: 4}\n"
    "    hosts: [{address: h, user: u, host-key: \"SHA256:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\"}]\n"
    "signoff: {max-age: 7d, must-prove: {l2: [os.kernel]}}\n";

/// True if it was accepted; an accepted plan must read back from its resolved text.
bool try_plan(const std::string& plan) {
  Given given{{}, {{"HOME", "/h"}}};
  auto loaded = load(plan, given);
  if (!loaded.problems.empty()) return false;
  EXPECT_EQ(text(load_resolved(loaded.plan.resolved, "again", catalogue().catalogue, providers()).problems), "") << plan;
  return true;
}

std::string mutate(std::string text, std::mt19937& random) {
  constexpr std::string_view kInteresting =
      "{}[]:,&*!|>'\"%@`#-?\n\t \\$~<\0\x80\xFF"
      "0aZ";
  auto at = random() % text.size();
  auto byte = random() % 2 ? static_cast<char>(random() % 256) : kInteresting[random() % kInteresting.size()];
  switch (random() % 3) {
    case 0: text[at] = byte; break;
    case 1: text.insert(at, 1, byte); break;
    default: text.erase(at, 1);
  }
  return text;
}

}  // namespace

TEST(Mutations, EveryPrefixOfAPlan) {
  ASSERT_TRUE(try_plan(kPlan));
  for (std::size_t length = 0; length < kPlan.size(); ++length) try_plan(kPlan.substr(0, length));
  EXPECT_FALSE(try_plan(kPlan.substr(0, kPlan.find("layers"))));
}

TEST(Mutations, SingleBytesOfAPlan) {
  std::mt19937 random(20260401);
  int accepted = 0;
  for (int i = 0; i < 2'000; ++i) accepted += try_plan(mutate(kPlan, random)) ? 1 : 0;
  EXPECT_GT(accepted, 0) << "a changed letter in a name is still a plan";
  EXPECT_LT(accepted, 2'000);
}

TEST(Mutations, SingleBytesOfACatalogue) {
  std::mt19937 random(20260402);
  auto whole = read(data("plan-catalogue/checks/gpu.yaml"));
  int accepted = 0;
  for (int i = 0; i < 1'000; ++i) {
    auto file = mutate(whole, random);
    accepted += parse_catalogue("#file checks/gpu.yaml " + std::to_string(file.size()) + "\n" + file + "\n").problems.empty() ? 1 : 0;
  }
  EXPECT_GT(accepted, 0);
  EXPECT_LT(accepted, 1'000);
}
