#include "tests/doubles/nccl/arithmetic.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace vt::doubles {

namespace {

/// Sixteen bits of which a float's upper half is left, rounded to even.
struct Bfloat {
  std::uint16_t bits;
  explicit operator float() const { return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16); }
  static Bfloat of(float x) {
    auto all = std::bit_cast<std::uint32_t>(x);
    if (std::isnan(x)) return {0x7FC0};
    return {static_cast<std::uint16_t>((all + 0x7FFF + ((all >> 16) & 1)) >> 16)};
  }
};

/// IEEE binary16: 5 bits of exponent, 10 of fraction.
struct Half {
  std::uint16_t bits;
  explicit operator float() const {
    int exponent = bits >> 10 & 31, fraction = bits & 1023;
    auto size = exponent == 31 ? (fraction ? std::numeric_limits<float>::quiet_NaN() : std::numeric_limits<float>::infinity())
                : exponent     ? std::ldexp(static_cast<float>(1024 + fraction), exponent - 25)
                               : std::ldexp(static_cast<float>(fraction), -24);
    return bits >> 15 ? -size : size;
  }
  static Half of(float x) {
    unsigned sign = std::signbit(x) ? 0x8000 : 0;
    auto size = std::fabs(x);
    if (std::isnan(x)) return {0x7E00};
    if (size >= 65520) return {static_cast<std::uint16_t>(sign | 0x7C00)};
    int exponent = std::max(-14, size > 0 ? std::ilogb(size) : -14);
    auto fraction = static_cast<unsigned>(std::nearbyint(std::ldexp(size, 10 - exponent)));  // to even; may carry into the exponent
    return {static_cast<std::uint16_t>(sign | ((static_cast<unsigned>(exponent + 14) << 10) + fraction))};
  }
};

template <class T>
struct Wide {
  using Type = T;
  static T widen(T x) { return x; }
  static T narrow(T x) { return x; }
};
template <class T>
struct Small {
  using Type = float;
  static float widen(T x) { return static_cast<float>(x); }
  static T narrow(float x) { return T::of(x); }
};
template <>
struct Wide<Half> : Small<Half> {};
template <>
struct Wide<Bfloat> : Small<Bfloat> {};

template <class T>
T joined(T a, T b, ncclRedOp_t op) {
  switch (op) {
    case ncclProd: return static_cast<T>(a * b);
    case ncclMax: return std::max(a, b);
    case ncclMin: return std::min(a, b);
    default: return static_cast<T>(a + b);
  }
}

template <class T>
void reduce_as(void* to, const std::vector<const void*>& from, std::size_t count, ncclRedOp_t op) {
  using W = Wide<T>;
  for (std::size_t i = 0; i < count; ++i) {
    auto sum = W::widen(static_cast<const T*>(from[0])[i]);
    for (std::size_t r = 1; r < from.size(); ++r) sum = joined(sum, W::widen(static_cast<const T*>(from[r])[i]), op);
    if (op == ncclAvg) sum = static_cast<typename W::Type>(sum / static_cast<typename W::Type>(from.size()));
    static_cast<T*>(to)[i] = W::narrow(sum);
  }
}

}  // namespace

std::size_t size_of(ncclDataType_t type) {
  switch (type) {
    case ncclInt8:
    case ncclUint8: return 1;
    case ncclFloat16:
    case ncclBfloat16: return 2;
    case ncclInt32:
    case ncclUint32:
    case ncclFloat32: return 4;
    case ncclInt64:
    case ncclUint64:
    case ncclFloat64: return 8;
    default: return 0;
  }
}

void reduce(void* to, const std::vector<const void*>& from, std::size_t count, ncclDataType_t type, ncclRedOp_t op) {
  switch (type) {
    case ncclInt8: return reduce_as<std::int8_t>(to, from, count, op);
    case ncclUint8: return reduce_as<std::uint8_t>(to, from, count, op);
    case ncclInt32: return reduce_as<std::int32_t>(to, from, count, op);
    case ncclUint32: return reduce_as<std::uint32_t>(to, from, count, op);
    case ncclInt64: return reduce_as<std::int64_t>(to, from, count, op);
    case ncclUint64: return reduce_as<std::uint64_t>(to, from, count, op);
    case ncclFloat16: return reduce_as<Half>(to, from, count, op);
    case ncclFloat64: return reduce_as<double>(to, from, count, op);
    case ncclBfloat16: return reduce_as<Bfloat>(to, from, count, op);
    default: return reduce_as<float>(to, from, count, op);
  }
}

}  // namespace vt::doubles
