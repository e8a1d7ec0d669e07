#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>
#include <vector>

#include "kernels/formats.hpp"
#include "remote-agent/gpu/open.hpp"

using namespace vt::kernels;

namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity(), kNan = std::numeric_limits<float>::quiet_NaN();

/// Every code of the format that is a number comes back as itself.
template <class F>
void round_trip(u32 codes) {
  for (u32 code = 0; code < codes; ++code) {
    auto value = F::decode(code);
    if (std::isnan(value)) EXPECT_TRUE(std::isnan(F::decode(F::encode(value)))) << code;
    else EXPECT_EQ(F::encode(value), code) << value;
  }
}

/// Halfway between two neighbours the even one is taken; a little more or less decides by itself.
template <class F>
void rounds_to_nearest_even(u32 largest) {
  for (u32 code = 0; code < largest; ++code) {
    auto below = F::decode(code), above = F::decode(code + 1), middle = below + (above - below) / 2;
    EXPECT_EQ(F::encode(middle), code + code % 2) << code;
    EXPECT_EQ(F::encode(std::nextafter(middle, 0.0F)), code) << code;
    EXPECT_EQ(F::encode(std::nextafter(middle, kInfinity)), code + 1) << code;
  }
}

}  // namespace

TEST(Formats, KnownEncodings) {
  EXPECT_EQ(Bf16::encode(1.0F), 0x3F80U);
  EXPECT_EQ(Bf16::encode(-2.0F), 0xC000U);
  EXPECT_EQ(Bf16::encode(3.14159265F), 0x4049U);
  EXPECT_EQ(Fp16::encode(1.0F), 0x3C00U);
  EXPECT_EQ(Fp16::encode(65504.0F), 0x7BFFU);
  EXPECT_EQ(Fp16::encode(0x1p-24F), 0x0001U);
  EXPECT_EQ(E4m3::encode(1.0F), 0x38U);
  EXPECT_EQ(E4m3::encode(448.0F), 0x7EU);
  EXPECT_EQ(E4m3::encode(0x1p-9F), 0x01U);
  EXPECT_EQ(E5m2::encode(1.0F), 0x3CU);
  EXPECT_EQ(E5m2::encode(57344.0F), 0x7BU);
  EXPECT_EQ(E5m2::encode(0x1p-16F), 0x01U);
  EXPECT_EQ(rounded_to_tf32(1.0F + 0x1p-10F), 1.0F + 0x1p-10F);
  EXPECT_EQ(rounded_to_tf32(1.0F + 0x1p-11F), 1.0F);
  EXPECT_EQ(rounded_to_tf32(1.0F + 0x3p-11F), 1.0F + 0x1p-9F);
}

TEST(Formats, AllNumbersOfFp4) {
  const float numbers[] = {0, 0.5F, 1, 1.5F, 2, 3, 4, 6};
  for (u32 code = 0; code < 8; ++code) {
    EXPECT_EQ(E2m1::decode(code), numbers[code]);
    EXPECT_EQ(E2m1::decode(code | 8), -numbers[code]);
  }
  EXPECT_EQ(E2m1::encode(2.5F), 4U);
  EXPECT_EQ(E2m1::encode(5.0F), 6U);
  EXPECT_EQ(E2m1::encode(-100.0F), 15U);
}

TEST(Formats, WhatIsTooLarge) {
  EXPECT_EQ(Bf16::decode(Bf16::encode(3.4e38F)), kInfinity);
  EXPECT_EQ(Fp16::decode(Fp16::encode(65519.0F)), 65504.0F);
  EXPECT_EQ(Fp16::decode(Fp16::encode(65520.0F)), kInfinity);
  EXPECT_EQ(Fp16::decode(Fp16::encode(-kInfinity)), -kInfinity);
  EXPECT_EQ(E4m3::decode(E4m3::encode(1e9F)), 448.0F);
  EXPECT_EQ(E5m2::decode(E5m2::encode(kInfinity)), 57344.0F);
  EXPECT_EQ(E5m2::decode(0x7C), kInfinity);
  for (auto code : {Bf16::encode(kNan), Fp16::encode(kNan)}) EXPECT_GT(code, 0x7C00U);
  EXPECT_TRUE(std::isnan(Bf16::decode(Bf16::encode(kNan))));
  EXPECT_TRUE(std::isnan(E4m3::decode(E4m3::encode(kNan))));
  EXPECT_TRUE(std::isnan(E5m2::decode(E5m2::encode(kNan))));
}

TEST(Formats, EveryCodeComesBack) {
  round_trip<E2m1>(16);
  round_trip<E4m3>(256);
  round_trip<Bf16>(65536);
  round_trip<Fp16>(65536);
  for (u32 code = 0; code < 0x7C; ++code) EXPECT_EQ(E5m2::encode(E5m2::decode(code)), code);  // infinity saturates
}

TEST(Formats, RoundsToNearestEven) {
  rounds_to_nearest_even<E2m1>(7);
  rounds_to_nearest_even<E4m3>(0x7E);
  rounds_to_nearest_even<E5m2>(0x7B);
  rounds_to_nearest_even<Fp16>(0x7BFF);
  for (u32 code = 0x80; code < 0x7F7F; code += 7) {  // below are subnormal numbers of fp32
    auto below = Bf16::decode(code), above = Bf16::decode(code + 1);
    EXPECT_EQ(Bf16::encode(below + (above - below) / 2), code + code % 2);
  }
}

TEST(Formats, WholeNumbers) {
  for (int i = -128; i < 128; ++i) EXPECT_EQ(Int8::decode(Int8::encode(i)), i);
  EXPECT_EQ(Int8::encode(-1), 0xFFU);
  EXPECT_EQ(Int8::encode(2.5), 2U);
  EXPECT_EQ(Int8::encode(-3.5), 0xFCU);
  EXPECT_EQ(Int8::decode(Int8::encode(1e9)), 127);
  EXPECT_EQ(Int8::decode(Int8::encode(-1e9)), -128);
  EXPECT_EQ(Int32::encode(-2147483648.0), 0x80000000U);
  EXPECT_EQ(Int32::decode(Int32::encode(123456789)), 123456789);
  EXPECT_EQ(Int32::decode(0xFFFFFFFE12345678ULL), 0x12345678);  // of a word only its own bits
}

TEST(Formats, DrawnInt8UsesItsRangeAndNoMore) {
  double largest = 0, x[kScaled];
  for (u64 block = 0; block < 500; ++block) {
    draw_block(x, Format::int8, Draw::normal, 9, block);
    for (double value : x) {
      EXPECT_EQ(value, Int8::decode(Int8::encode(value)));
      largest = std::max(largest, std::abs(value));
    }
  }
  EXPECT_GT(largest, 90);
  EXPECT_LE(largest, 127);
}

TEST(Formats, TheBellCurveHasItsShape) {
  double sum = 0, squares = 0, fourth = 0, largest = 0;
  constexpr u64 kDrawn = 20000;
  for (u64 i = 0; i < kDrawn; ++i) {
    auto x = normal_at(7, i);
    sum += x, squares += x * x, fourth += x * x * x * x, largest = std::max(largest, std::abs(x));
  }
  EXPECT_NEAR(sum / kDrawn, 0, 0.03);
  EXPECT_NEAR(squares / kDrawn, 1, 0.03);
  EXPECT_NEAR(fourth / kDrawn, 2.8, 0.15);
  EXPECT_GT(largest, 3.0);
  EXPECT_LT(largest, 4.25);
  EXPECT_NE(normal_at(7, 0), normal_at(8, 0));
}

TEST(Formats, BlockScalesMakeTheLargestASix) {
  double block[kScaled] = {0.1, -3.0};
  EXPECT_EQ(E4m3::decode(scale_code(block)), 0.5F);
  double nothing[kScaled] = {};
  EXPECT_GT(E4m3::decode(scale_code(nothing)), 0);
}

TEST(Formats, BlockScalesHaveAPlaceEach) {
  std::set<u64> places;
  for (u64 row = 0; row < 256; ++row)
    for (u64 block = 0; block < 8; ++block) places.insert(scale_index(row, block, 8));
  EXPECT_EQ(places.size(), 2048U);
  EXPECT_EQ(*places.rbegin(), 2047U);
  EXPECT_EQ(scale_index(1, 0, 8), 16U);
  EXPECT_EQ(scale_index(32, 0, 8), 4U);
  EXPECT_EQ(scale_index(0, 3, 8), 3U);
  EXPECT_EQ(scale_index(0, 4, 8), 512U);
  EXPECT_EQ(scale_index(128, 0, 8), 1024U);
}

/// What a device's kernel puts down is what anyone can tell from the seed.
TEST(Formats, MatricesAreAsDrawn) {
  auto device = vt::gpu::open_cpu();
  constexpr u64 kRows = 5, kK = 64;
  for (auto format : {Format::fp32, Format::tf32, Format::bf16, Format::fp16, Format::e4m3, Format::e5m2, Format::nvfp4}) {
    auto codes = device->allocate(kRows * kK * bits_per(format) / 8), scales = device->allocate(128 * kK / kScaled),
         wide = device->allocate(kRows * kK * sizeof(float));
    ASSERT_TRUE(codes && scales && wide);
    ASSERT_TRUE(device->launch(VT_NAMED(vt_draw_matrix), {20}, {}, codes->as<u64>(), scales->as<u8>(), format, Draw::normal, kRows, kK, 3));
    ASSERT_TRUE(
        device->launch(VT_NAMED(vt_decode_matrix), {20}, {}, codes->as<u64>(), scales->as<u8>(), format, kRows, kK, wide->as<float>()));
    for (u64 block = 0; block < kRows * kK / kScaled; ++block) {
      double x[kScaled];
      draw_block(x, format, Draw::normal, 3, block);
      for (u64 i = 0; i < kScaled; ++i) {
        EXPECT_EQ(wide->as<float>()[block * kScaled + i], static_cast<float>(x[i])) << static_cast<u32>(format);
        EXPECT_NEAR(x[i], normal_at(3, block * kScaled + i), 0.6);  // rounded, not lost
      }
    }
  }
}
