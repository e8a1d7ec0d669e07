#pragma once
#include <cstddef>
#include <type_traits>

/// Whether two declarations mean the same to a compiled caller: ours of a foreign function, and that of its own header. Names of types
/// may differ, opaque handles may be void*, enums may be numbers of their size.
namespace vt::test {

template <class T>
constexpr bool kNumber = std::is_integral_v<T> || std::is_enum_v<T>;
template <class T>
constexpr bool kComplete = requires {
  sizeof(T);
};

/// Structs of which we declare the beginning only, and the library asks how much it is.
template <class T>
constexpr bool kBeginning = false;

template <class Ours, class Theirs>
constexpr bool alike() {
  using A = std::remove_cv_t<Ours>;
  using B = std::remove_cv_t<Theirs>;
  if constexpr (std::is_same_v<A, B>) return true;
  else if constexpr (std::is_pointer_v<A> && std::is_pointer_v<B>) {
    using X = std::remove_cv_t<std::remove_pointer_t<A>>;
    using Y = std::remove_cv_t<std::remove_pointer_t<B>>;
    if constexpr (std::is_void_v<X> || std::is_void_v<Y>) return true;
    else if constexpr (!kComplete<X> || !kComplete<Y> || kBeginning<X>) return std::is_class_v<X> && std::is_class_v<Y>;
    else return alike<X, Y>();
  } else if constexpr (std::is_integral_v<A> && std::is_integral_v<B>)
    return sizeof(A) == sizeof(B) && std::is_signed_v<A> == std::is_signed_v<B>;
  else if constexpr (kNumber<A> && kNumber<B>) return sizeof(A) == sizeof(B);
  else if constexpr (std::is_class_v<A> && std::is_class_v<B>)
    return sizeof(A) == sizeof(B) && alignof(A) == alignof(B) && std::is_trivially_copyable_v<A> && std::is_trivially_copyable_v<B>;
  else return false;
}

template <class Ours, class Theirs>
struct SameCall : std::false_type {};
template <class R, class... P, class S, class... Q>
struct SameCall<R (*)(P...), S (*)(Q...)> {
  static constexpr bool compare() {
    if constexpr (sizeof...(P) != sizeof...(Q)) return false;
    else return alike<R, S>() && (alike<P, Q>() && ... && true);
  }
  static constexpr bool value = compare();
};
template <class Ours, class Theirs>
constexpr bool kSameCall = SameCall<Ours, Theirs>::value;

// What it must not take for the same.
static_assert(kSameCall<int (*)(void*, unsigned), std::byte* (*)(void*, unsigned)> == false);
static_assert(!kSameCall<int (*)(int), int (*)(int, int)>);
static_assert(!kSameCall<int (*)(int), int (*)(long)>);
static_assert(!kSameCall<int (*)(int), int (*)(unsigned)>);
static_assert(!kSameCall<int (*)(int*), int (*)(long*)>);
static_assert(!kSameCall<int (*)(float*), int (*)(int*)>);
static_assert(!kSameCall<int (*)(void*), int (*)(int)>);
static_assert(!kSameCall<int (*)(int**), int (*)(int*)>);
static_assert(kSameCall<int (*)(void*), int (*)(const struct Unknown*)>);

}  // namespace vt::test

/// A member at the same place and of the same size.
#define VT_SAME_MEMBER(ours, member, theirs, other)                                      \
  static_assert(offsetof(ours, member) == offsetof(theirs, other), #theirs "::" #other); \
  static_assert(sizeof(ours::member) == sizeof(theirs::other), #theirs "::" #other)
#define VT_SAME_SIZE(ours, theirs) static_assert(sizeof(ours) == sizeof(theirs) && alignof(ours) == alignof(theirs), #theirs)
#define VT_SAME_VALUE(ours, theirs) static_assert(static_cast<long long>(ours) == static_cast<long long>(theirs), #theirs)
