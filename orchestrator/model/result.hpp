#pragma once
#include <string>
#include <tl/expected.hpp>
#include <utility>

namespace vt {

/// What kind of thing went wrong; decides the exit code and whether trying again can help.
enum class Errc {
  usage,
  config,
  auth,
  capacity,
  not_found,
  timeout,
  transport,
  host_key,
  storage,
  disk_full,
  refused,
  cancelled,
  quota,         ///< the account's limit
  region_quota,  ///< the limit of a region or market of it
  lost,          ///< the host is gone: preempted, deleted, vanished
  budget,        ///< a spending cap of the user's
  internal
};

struct Error {
  Errc code = Errc::internal;
  std::string what;  ///< one line: what is wrong, what was expected
  /// Trying the same thing again may work (a network fault, a timeout, no capacity).
  [[nodiscard]] bool retryable() const { return code == Errc::timeout || code == Errc::transport || code == Errc::capacity; }
};

/// A value or an Error. Unlike a bare alias it cannot be dropped silently (`nodiscard` on the class), and the
/// value cannot be referenced out of a temporary, which dangles in range-for: call take() instead.
template <class T>
class [[nodiscard]] Result : public tl::expected<T, Error> {
  using Base = tl::expected<T, Error>;

 public:
  using Base::Base;
  using Base::operator*;
  T&& operator*() && = delete;
  T take() && { return std::move(this->value()); }
};

template <>
class [[nodiscard]] Result<void> : public tl::expected<void, Error> {
 public:
  using tl::expected<void, Error>::expected;
};

using Status = Result<void>;

inline tl::unexpected<Error> fail(Errc code, std::string what) { return tl::unexpected<Error>(Error{code, std::move(what)}); }
inline tl::unexpected<Error> fail(Error error) { return tl::unexpected<Error>(std::move(error)); }

}  // namespace vt

#define VT_CONCAT_(a, b) a##b
#define VT_CONCAT(a, b) VT_CONCAT_(a, b)
/// VT_TRY(auto x, f()); assigns the value of f() or returns its error from the enclosing function.
#define VT_TRY(decl, expr)                                                                  \
  auto VT_CONCAT(vt_try_, __LINE__) = (expr);                                               \
  if (!VT_CONCAT(vt_try_, __LINE__)) return vt::fail(VT_CONCAT(vt_try_, __LINE__).error()); \
  decl = std::move(VT_CONCAT(vt_try_, __LINE__)).take() /* NOLINT(bugprone-macro-parentheses): a declaration */
/// VT_CHECK(f()); returns the error of a Status from the enclosing function.
#define VT_CHECK(expr) \
  if (auto vt_status = (expr); !vt_status) return vt::fail(vt_status.error())
