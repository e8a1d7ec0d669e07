#pragma once
#include "kernels/bf16.hpp"

// Matrix products and what proves them right.
//
// Everywhere C (m x n) = A (m x k) times B (k x n) with A kept by rows, B and C by columns: along k the operands are contiguous, the one
// layout that all tensor cores take ("TN").
//
// The bound of an element: |c - reference| <= 8 · u_acc · sqrt(k) · sqrt(sum of (a b)^2) + 2 · u_out · |reference|, the reference summed
// in higher precision from the operands as rounded to their format. The first term takes the k roundings of a sum as a random walk (Higham,
// Accuracy and Stability of Numerical Algorithms, 2002, section 4.2: sqrt(k) u where the worst case has k u) with 8 standard deviations, so
// that 10^10 elements of a sound GPU stay within; the second is the rounding of the result with a factor of two.
//   u_out: 2^-53 fp64, 2^-24 fp32, 2^-11 fp16, 2^-8 bf16.
//   u_acc: 2^-53 fp64, 2^-24 fp32; tensor cores cut instead of rounding and align to the largest product (Fasi, Higham, Mikaitis and
//   Pranesh, Numerical behavior of NVIDIA tensor cores, 2021): 2^-22 for tf32, bf16 and fp16; 2^-14 for 8 and 4 bits, whose
//   accumulator keeps about 14 bits on Ada and Hopper (DeepSeek-V3 technical report, 2024, section 3.3.2).
// Products of int8 are kept in int32 and have no bound: nothing is rounded on either side, so they must be equal (kInt8Deviation).

namespace vt::kernels {

#ifdef VT_GPU
#define VT_UNROLL _Pragma("unroll")
#else
#define VT_UNROLL
#endif

/// The two factors of the bound. Both 0: the result must be the reference, rounded.
struct Bound {
  double accumulate;  ///< 8 · u_acc · sqrt(k)
  double output;      ///< 2 · u_out
};

/// Element (i, j) of a matrix: data[i * row + j * column].
struct Strides {
  u64 row, column;
};

/// Rows and columns of C that one thread has in its registers.
constexpr u64 kTile = 8;

VT_FUNCTION u64 tiles(u64 n, u64 tile) { return (n + tile - 1) / tile; }
VT_FUNCTION u64 at_most(u64 i, u64 last) { return i < last ? i : last; }

/// What an element is summed in, and how a sum is kept. 16 bits are bf16.
VT_FUNCTION float wide(float x) { return x; }
VT_FUNCTION double wide(double x) { return x; }
VT_FUNCTION float wide(u16 x) { return from_bf16(x); }
VT_FUNCTION void keep(float x, float* to) { *to = x; }
VT_FUNCTION void keep(double x, double* to) { *to = x; }
VT_FUNCTION void keep(float x, u16* to) { *to = to_bf16(x); }

/// C = A·B (+ C if `add`), any strides. Rows and columns beyond the edge repeat the last one and are not stored.
template <class In, class Out>
VT_FUNCTION void multiply(const In* a, Strides sa, const In* b, Strides sb, Out* c, Strides sc, u64 m, u64 n, u64 k, bool add) {
  typedef decltype(wide(In())) T;
  u64 across = tiles(m, kTile);
  for (VT_EACH(t, across * tiles(n, kTile))) {
    u64 i0 = t % across * kTile, j0 = t / across * kTile;
    T sum[kTile][kTile] = {};
    const In *ai[kTile], *bj[kTile];
    VT_UNROLL for (u64 i = 0; i < kTile; ++i) ai[i] = a + at_most(i0 + i, m - 1) * sa.row;
    VT_UNROLL for (u64 j = 0; j < kTile; ++j) bj[j] = b + at_most(j0 + j, n - 1) * sb.column;
    for (u64 p = 0; p < k; ++p) {
      T x[kTile], y[kTile];
      VT_UNROLL for (u64 i = 0; i < kTile; ++i) x[i] = wide(ai[i][p * sa.column]);
      VT_UNROLL for (u64 j = 0; j < kTile; ++j) y[j] = wide(bj[j][p * sb.row]);
      VT_UNROLL for (u64 i = 0; i < kTile; ++i) { VT_UNROLL for (u64 j = 0; j < kTile; ++j) sum[i][j] += x[i] * y[j]; }
    }
    VT_UNROLL for (u64 i = 0; i < kTile; ++i) {
      VT_UNROLL for (u64 j = 0; j < kTile; ++j) {
        if (i0 + i >= m || j0 + j >= n) continue;
        Out* to = c + (i0 + i) * sc.row + (j0 + j) * sc.column;
        keep(add ? wide(*to) + sum[i][j] : sum[i][j], to);
      }
    }
  }
}
VT_KERNEL vt_gemm_f32(const float* a, Strides sa, const float* b, Strides sb, float* c, Strides sc, u64 m, u64 n, u64 k, bool add) {
  multiply(a, sa, b, sb, c, sc, m, n, k, add);
}
VT_KERNEL vt_gemm_f64(const double* a, Strides sa, const double* b, Strides sb, double* c, Strides sc, u64 m, u64 n, u64 k, bool add) {
  multiply(a, sa, b, sb, c, sc, m, n, k, add);
}

/// Of bf16, the result in bf16 or in fp32.
VT_KERNEL vt_gemm_bf16(const u16* a, Strides sa, const u16* b, Strides sb, u16* c, Strides sc, u64 m, u64 n, u64 k, bool add) {
  multiply(a, sa, b, sb, c, sc, m, n, k, add);
}
VT_KERNEL vt_gemm_bf16_f32(const u16* a, Strides sa, const u16* b, Strides sb, float* c, Strides sc, u64 m, u64 n, u64 k, bool add) {
  multiply(a, sa, b, sb, c, sc, m, n, k, add);
}

/// C in its own format from fp32 (our product of low-precision operands); two or more elements to a word, n a multiple of 16.
VT_KERNEL vt_encode_result(const float* in, Format f, u64 n, u64* out) {
  u64 bits = bits_per(f), per_word = 64 / bits;
  for (VT_EACH(w, n / per_word)) {
    u64 word = 0;
    for (u64 e = 0; e < per_word; ++e) word |= encode(f, in[w * per_word + e]) << (e * bits);
    out[w] = word;
  }
}

constexpr double kLargest = 1.7976931348623157e308;

/// Whether a result is within the bound; NaN never is.
VT_SEPARATE bool holds(double found, double reference, double squares, Bound bound, Format f) {
  double apart = fabs(found - reference);
  return apart <= bound.accumulate * sqrt(squares) + bound.output * fabs(reference) || found == decode(f, encode(f, reference));
}

/// Four neighbours along k, loaded at once.
template <class T>
struct alignas(4 * sizeof(T)) Four {
  T at[4];
};

/// Computes every element again and reports those that are out of bounds: the index in C, the bits of both as doubles. k a multiple of 4.
template <class T>
VT_FUNCTION void compare(const T* a, const T* b, const u64* c, Format f, u64 m, u64 n, u64 k, Bound bound, Miscompares* wrong) {
  constexpr u64 kRows = 8, kColumns = 4;
  u64 across = tiles(m, kRows);
  for (VT_EACH(t, across * tiles(n, kColumns))) {
    u64 i0 = t % across * kRows, j0 = t / across * kColumns;
    T sum[kRows][kColumns] = {}, squares[kRows][kColumns] = {};
    for (u64 p = 0; p < k; p += 4) {
      Four<T> y[kColumns];
      VT_UNROLL for (u64 j = 0; j < kColumns; ++j) y[j] = *reinterpret_cast<const Four<T>*>(b + at_most(j0 + j, n - 1) * k + p);
      VT_UNROLL for (u64 i = 0; i < kRows; ++i) {
        Four<T> x = *reinterpret_cast<const Four<T>*>(a + at_most(i0 + i, m - 1) * k + p);
        VT_UNROLL for (u64 j = 0; j < kColumns; ++j) {
          VT_UNROLL for (int e = 0; e < 4; ++e) {
            T product = x.at[e] * y[j].at[e];
            sum[i][j] += product;
            squares[i][j] += product * product;
          }
        }
      }
    }
    VT_UNROLL for (u64 i = 0; i < kRows; ++i) {
      VT_UNROLL for (u64 j = 0; j < kColumns; ++j) {
        if (i0 + i >= m || j0 + j >= n) continue;
        u64 index = i0 + i + (j0 + j) * m;
        double found = value_at(c, f, index);
        if (!holds(found, sum[i][j], squares[i][j], bound, f))
          report(wrong, index, bits_of(static_cast<double>(sum[i][j])), bits_of(found));
      }
    }
  }
}
VT_KERNEL vt_gemm_compare_f32(const float* a, const float* b, const u64* c, Format f, u64 m, u64 n, u64 k, Bound bound,
                              Miscompares* wrong) {
  compare(a, b, c, f, m, n, k, bound, wrong);
}
VT_KERNEL vt_gemm_compare_f64(const double* a, const double* b, const u64* c, Format f, u64 m, u64 n, u64 k, Bound bound,
                              Miscompares* wrong) {
  compare(a, b, c, f, m, n, k, bound, wrong);
}

// Freivalds' check (1977) in fp64: with x a random vector of ±1, A(Bx) and Cx are the same. A wrong element escapes one x with
// probability 1/2 at most if it is beyond the bound, which sums the elements' bounds as independent errors.

VT_FUNCTION double sign_at(u64 seed, u64 n) { return word_at(seed, n) & 1 ? 1 : -1; }

/// bx = B x, and squares[p] = the sum of the squares of B's row p.
template <class T>
VT_FUNCTION void freivalds_right(const T* b, u64 n, u64 k, u64 seed, double* bx, double* squares) {
  for (VT_EACH(p, k)) {
    double sum = 0, square = 0;
    for (u64 j = 0; j < n; ++j) {
      double y = b[j * k + p];
      sum += y * sign_at(seed, j), square += y * y;
    }
    bx[p] = sum, squares[p] = square;
  }
}
VT_KERNEL vt_freivalds_right_f32(const float* b, u64 n, u64 k, u64 seed, double* bx, double* squares) {
  freivalds_right(b, n, k, seed, bx, squares);
}
VT_KERNEL vt_freivalds_right_f64(const double* b, u64 n, u64 k, u64 seed, double* bx, double* squares) {
  freivalds_right(b, n, k, seed, bx, squares);
}

/// What a row of the check is made of.
struct FreivaldsSize {
  u64 m, n, k;
  Format f;
  Bound bound;
  u64 seed;
};
/// Compares A(Bx) with Cx and reports rows: index is the row, expected and found the two as doubles.
template <class T>
VT_FUNCTION void freivalds_rows(const T* a, const double* bx, const double* b_squares, const u64* c, FreivaldsSize s, Miscompares* wrong) {
  double rows = sqrt(static_cast<double>(s.n) / static_cast<double>(s.k));  // the sums here have n more roundings
  for (VT_EACH(i, s.m)) {
    double expected = 0, squares = 0, found = 0, c_squares = 0;
    for (u64 p = 0; p < s.k; ++p) {
      double x = a[i * s.k + p];
      expected += x * bx[p], squares += x * x * b_squares[p];
    }
    for (u64 j = 0; j < s.n; ++j) {
      double y = value_at(c, s.f, i + j * s.m);
      found += y * sign_at(s.seed, j), c_squares += y * y;
    }
    double room =
        s.bound.accumulate * (1 + rows) * sqrt(squares) + (8 * s.bound.output + 0x1p-50 * sqrt(static_cast<double>(s.n))) * sqrt(c_squares);
    if (!(fabs(expected - found) <= room && fabs(found) <= kLargest)) report(wrong, i, bits_of(expected), bits_of(found));
  }
}
VT_KERNEL vt_freivalds_rows_f32(const float* a, const double* bx, const double* b_squares, const u64* c, FreivaldsSize size,
                                Miscompares* wrong) {
  freivalds_rows(a, bx, b_squares, c, size, wrong);
}
VT_KERNEL vt_freivalds_rows_f64(const double* a, const double* bx, const double* b_squares, const u64* c, FreivaldsSize size,
                                Miscompares* wrong) {
  freivalds_rows(a, bx, b_squares, c, size, wrong);
}

/// Reports NaN and infinity.
VT_KERNEL vt_count_nonfinite(const u64* c, Format f, u64 n, Miscompares* wrong) {
  for (VT_EACH(i, n)) {
    double x = value_at(c, f, i);
    if (!(fabs(x) <= kLargest)) report(wrong, i, 0, bits_of(x));
  }
}

/// Reports words in which two results differ.
VT_KERNEL vt_compare_results(const u64* expected, const u64* found, u64 words, Miscompares* wrong) {
  for (VT_EACH(i, words)) {
    if (expected[i] != found[i]) report(wrong, i, expected[i], found[i]);
  }
}

/// out[i + j * rows] = the element of C in row i and column j of those listed: samples for the host.
VT_KERNEL vt_gather_elements(const u64* c, Format f, u64 m, const u64* row, u64 rows, const u64* column, u64 columns, double* out) {
  for (VT_EACH(t, rows * columns)) out[t] = value_at(c, f, row[t % rows] + column[t / rows] * m);
}

}  // namespace vt::kernels
