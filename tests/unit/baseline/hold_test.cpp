#include "orchestrator/baseline/hold.hpp"

#include <gtest/gtest.h>

namespace vt {
namespace {

using State = Held::State;

Figure figure(const std::string& key, double low, double high, Figure::Kind kind, double warn, double fail) {
  Figure f;
  f.keys = {key};
  f.low = low, f.high = high;
  f.unit = "TFLOP/s", f.kind = kind, f.warn = warn, f.fail = fail;
  f.sources = {"mh"}, f.date = "2026-11-20", f.file = "rtx.yaml";
  return f;
}

Baselines baselines() {
  Baselines all;
  all.gpus.push_back({"rtx", {"NVIDIA RTX"}, {}, {figure("gemm.bf16", 200, 200, Figure::Kind::theory, 0.6, 0.5)}, "rtx.yaml"});
  all.gpus[0].figures[0].max = 1.2;
  return all;
}

Held held(const Value& measured, const std::string& device = "NVIDIA RTX (GPU-1)") {
  return hold(measured, "gemm.bf16", device, baselines());
}

TEST(Hold, ByRatio) {
  EXPECT_EQ(held(150.0).state, State::held);
  EXPECT_EQ(held(150.0).rule, "at-least 120 TFLOP/s: 60 % of 200 (theory, mh, 2026-11-20, rtx.yaml)");
  EXPECT_EQ(held(110).state, State::low);
  auto missed = held(99.0);
  EXPECT_EQ(missed.state, State::missed);
  EXPECT_EQ(missed.why, "measured 99 TFLOP/s, required at-least 100 TFLOP/s: 50 % of 200 (theory, mh, 2026-11-20, rtx.yaml)");
}

TEST(Hold, WhatCannotBeIsNotBelieved) {
  EXPECT_EQ(held(240.0).state, State::held);
  auto too_much = held(370.0);
  EXPECT_EQ(too_much.state, State::implausible);
  EXPECT_EQ(too_much.why, "measured 370 TFLOP/s, more than the 240 that can be: the measurement is not believed");
  EXPECT_EQ(held("fast").state, State::unreadable);
  EXPECT_EQ(held(std::numeric_limits<double>::quiet_NaN()).state, State::unreadable);
}

TEST(Hold, OfSeveralGpusTheWorstCounts) {
  auto two = "3 x NVIDIA RTX (GPU-1, GPU-2, GPU-3)";
  EXPECT_EQ(held(Value::List{150.0, 150.0, 160.0}, two).state, State::held);
  auto one = held(Value::List{150.0, 110.0, 50.0}, two);
  EXPECT_EQ(one.state, State::missed);
  EXPECT_EQ(one.why.substr(0, 15), "#2: measured 50");
  EXPECT_EQ(held(Value::List{Value(), 50.0, 400.0}, two).state, State::missed) << "a definite miss outranks what was not measured";
  EXPECT_EQ(held(Value::List{Value(), 150.0}, two).state, State::unreadable);
  EXPECT_EQ(held(Value::List{}, two).state, State::unreadable);
}

TEST(Hold, NoBaselineIsSaid) {
  EXPECT_EQ(held(150.0, "NVIDIA Other (GPU-1)").state, State::no_baseline);
  EXPECT_EQ(held(150.0, "NVIDIA Other (GPU-1)").why, "no baseline for NVIDIA Other; `vault-test baseline learn RUN` makes one");
  EXPECT_EQ(hold(1.0, "gemm.fp8", "NVIDIA RTX (GPU-1)", baselines()).why,
            "no baseline of gemm.fp8 for NVIDIA RTX; `vault-test baseline learn RUN` makes one");
  EXPECT_EQ(held(Value::List{1.0, 1.0}, "NVIDIA RTX (GPU-1), NVIDIA Other (GPU-2)").state, State::no_baseline);
  EXPECT_EQ(held(1.0, "").state, State::no_baseline);
}

TEST(GpusIn, ADevicesText) {
  using Map = std::map<std::string, int>;
  EXPECT_EQ(gpus_in("NVIDIA GeForce RTX 5090 (GPU-1)"), (Map{{"NVIDIA GeForce RTX 5090", 1}}));
  EXPECT_EQ(gpus_in("2 x NVIDIA A10 (GPU-1, GPU-2), 4 x NVIDIA L4 (GPU-3, GPU-4)"), (Map{{"NVIDIA A10", 2}, {"NVIDIA L4", 4}}));
  EXPECT_EQ(gpus_in("NVIDIA H100 80GB HBM3"), (Map{{"NVIDIA H100 80GB HBM3", 1}}));
  EXPECT_EQ(gpus_in(""), Map{});
}

}  // namespace
}  // namespace vt
