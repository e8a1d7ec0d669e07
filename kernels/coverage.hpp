#pragma once
#include "kernels/formats.hpp"

// Questions with known answers for each kind of unit that a multiprocessor has. An answer is the end of a long chain in which every step
// feeds the next, so that one wrong bit anywhere changes it. All but special functions have one right answer (integers, or IEEE 754
// operations that are rounded once), which the processor computes with the same source.

namespace vt::kernels {

enum class Unit : u32 { integer, fp32, fp64, special, tensor };
constexpr u64 kUnits = 5;
/// Different questions for each unit. Threads of a warp answer neighbours; a multiple of 32, as a warp shares a tensor core's question.
constexpr u64 kQuestions = 256;

// Loops of many steps stay loops: unrolled they are 100 KiB of code.
#ifdef VT_GPU
#define VT_ROLLED _Pragma("unroll 1")
#else
#define VT_ROLLED
#endif

/// Number `n` of question `q`, evenly in 0 … 1.
VT_FUNCTION double fraction_at(u64 q, u64 n) { return static_cast<double>(word_at(q, n) >> 11) * 0x1p-53; }

#ifdef VT_GPU
VT_FUNCTION float fused(float a, float b, float c) { return __fmaf_rn(a, b, c); }
VT_FUNCTION double fused(double a, double b, double c) { return __fma_rn(a, b, c); }
VT_FUNCTION float times(float a, float b) { return __fmul_rn(a, b); }
VT_FUNCTION double times(double a, double b) { return __dmul_rn(a, b); }
#else
VT_FUNCTION float fused(float a, float b, float c) { return std::fma(a, b, c); }
VT_FUNCTION double fused(double a, double b, double c) { return std::fma(a, b, c); }
VT_FUNCTION float times(float a, float b) { return a * b; }
VT_FUNCTION double times(double a, double b) { return a * b; }
#endif

/// Multiplications, shifts and exclusive ors of 64 bits.
VT_SEPARATE u64 integer_answer(u64 q) {
  u64 x = q;
  VT_ROLLED for (u64 i = 0; i < 64; ++i) x = word_at(x, i);
  return x;
}

/// The logistic map, x -> 3.75 x (1 - x), is chaotic: a wrong bit grows from step to step. The answer is made of every step's bits, for the
/// lowest of them may be rounded away in the next.
template <class T>
VT_FUNCTION u64 chaos(T x) {
  u64 all = 0;
  VT_ROLLED for (int i = 0; i < 128; ++i) {
    x = times(static_cast<T>(3.75), fused(-x, x, x));
    all = (all << 7 | all >> 57) ^ bits_of(x);
  }
  return all;
}
VT_SEPARATE u64 fp32_answer(u64 q) { return chaos(0.25F + 0.5F * static_cast<float>(fraction_at(q, 0))); }
VT_SEPARATE u64 fp64_answer(u64 q) { return chaos(0.25 + 0.5 * fraction_at(q, 0)); }

/// One of the special functions, as the hardware approximates it: sine, 2^x, logarithm of base 2, reciprocal, reciprocal square root.
VT_FUNCTION float special_function(u64 which, float x) {
#ifdef VT_GPU
  float y;
  switch (which) {
    case 0: asm("sin.approx.f32 %0, %1;" : "=f"(y) : "f"(x)); break;
    case 1: asm("ex2.approx.f32 %0, %1;" : "=f"(y) : "f"(x)); break;
    case 2: asm("lg2.approx.f32 %0, %1;" : "=f"(y) : "f"(x)); break;
    case 3: asm("rcp.approx.f32 %0, %1;" : "=f"(y) : "f"(x)); break;
    default: asm("rsqrt.approx.f32 %0, %1;" : "=f"(y) : "f"(x)); break;
  }
  return y;
#else
  switch (which) {
    case 0: return sinf(x);
    case 1: return exp2f(x);
    case 2: return log2f(x);
    case 3: return 1 / x;
    default: return 1 / sqrtf(x);
  }
#endif
}
/// What the sum of a special function at kSpecialTerms places of 1 … 2 may be wrong by. For such arguments the PTX ISA (sections of sin,
/// ex2, lg2, rcp and rsqrt.approx.f32) allows each of them 2^-20 at most; the sum is below 64, so every addition is rounded by 2^-19 at
/// most.
constexpr u64 kSpecialTerms = 16;
constexpr double kSpecialBound = kSpecialTerms * 0x1p-17;
/// The sum of one function at several places, the same for a whole warp. Different chips may differ by kSpecialBound, the multiprocessors
/// of one chip may not.
VT_SEPARATE u64 special_answer(u64 q) {
  float sum = 0;
  VT_ROLLED for (u64 i = 0; i < kSpecialTerms; ++i) sum += special_function(q / 32 % 5, 1 + static_cast<float>(fraction_at(q, i)));
  return bits_of(sum);
}

/// Element `place` of operand `which` in step `step` of a warp's tensor question: a whole number from -3 to 3, whose products any format
/// sums without rounding.
VT_FUNCTION float tensor_operand(u64 warp, u64 step, u64 which, u64 place) {
  return static_cast<float>(word_at(2 * (warp * 64 + step) + which, place) % 7) - 3;
}
constexpr u64 kTensorSteps = 8;

#ifdef VT_GPU
VT_FUNCTION u32 two_halves(float low, float high) { return Fp16::encode(low) | Fp16::encode(high) << 16; }
#endif

/// D = A·B + D, 16 x 8 x 8 of fp16 with sums in fp32, on tensor cores. A thread has four elements of D: rows lane / 4 and 8 more, columns
/// lane % 4 · 2 and the next (PTX ISA, matrix fragments of mma.m16n8k8). All of a warp call it together.
VT_SEPARATE u64 tensor_answer(u64 q) {
  u64 warp = q / 32, row = q % 32 / 4, pair = q % 4 * 2;
  float d[4] = {};
  VT_ROLLED for (u64 step = 0; step < kTensorSteps; ++step) {
#ifdef VT_GPU
    u32 a[2];
    for (u64 r = 0; r < 2; ++r) {
      u64 at = (row + 8 * r) * 8 + pair;
      a[r] = two_halves(tensor_operand(warp, step, 0, at), tensor_operand(warp, step, 0, at + 1));
    }
    u32 b = two_halves(tensor_operand(warp, step, 1, pair * 8 + row), tensor_operand(warp, step, 1, (pair + 1) * 8 + row));
    __syncwarp();
    asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(a[0]), "r"(a[1]), "r"(b));
#else
    for (u64 e = 0; e < 4; ++e) {
      u64 i = row + e / 2 * 8, j = pair + e % 2;
      for (u64 k = 0; k < 8; ++k) d[e] += tensor_operand(warp, step, 0, i * 8 + k) * tensor_operand(warp, step, 1, k * 8 + j);
    }
#endif
  }
  u64 answer = 0;
  for (u64 e = 0; e < 4; ++e) answer = word_at(answer, bits_of(d[e]));
  return answer;
}

VT_FUNCTION u64 answer(Unit unit, u64 q) {
  switch (unit) {
    case Unit::integer: return integer_answer(q);
    case Unit::fp32: return fp32_answer(q);
    case Unit::fp64: return fp64_answer(q);
    case Unit::special: return special_answer(q);
    default: return tensor_answer(q);
  }
}

/// The multiprocessor that this thread is on; the processor stands in for each of `count` in turn, a block's items long.
VT_FUNCTION u64 multiprocessor([[maybe_unused]] u64 item, [[maybe_unused]] u64 count) {
#ifdef VT_GPU
  u32 number;
  asm volatile("mov.u32 %0, %smid;" : "=r"(number));
  return number;
#else
  return item / kQuestions % count;
#endif
}

/// out[q] = what this device's special functions say, to be held against kSpecialBound.
VT_KERNEL vt_special_answers(u64* out) {
  for (VT_EACH(q, kQuestions)) out[q] = special_answer(q);
}

/// What was asked of one multiprocessor, and how many answers of each unit were wrong.
struct UnitTally {
  u64 asked, wrong[kUnits];
};

/// Asks every question of every unit n / kQuestions times and counts by multiprocessor; numbers from `room` on share the last place.
/// Answers must be those expected, bit for bit; index of a report: (multiprocessor · kUnits + unit) · kQuestions + question. In whole
/// warps.
VT_KERNEL vt_question_units(const u64* expected, u64 n, u64 count, UnitTally* tallies, u64 room, Miscompares* wrong) {
  for (VT_EACH(i, n)) {
    u64 q = i % kQuestions, number = multiprocessor(i, count), place = number < room ? number : room - 1;
    add_atomically(&tallies[place].asked, 1);
    VT_ROLLED for (u64 unit = 0; unit < kUnits; ++unit) {
      u64 found = answer(static_cast<Unit>(unit), q), right = expected[unit * kQuestions + q];
      if (found == right) continue;
      add_atomically(&tallies[place].wrong[unit], 1);
      report(wrong, (place * kUnits + unit) * kQuestions + q, right, found);
    }
  }
}

}  // namespace vt::kernels
