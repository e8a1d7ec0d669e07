#pragma once
#include <array>
#include <cstddef>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>

#include "kernels/language.hpp"

namespace vt::kernels {

/// A kernel whose parameter types are forgotten: what a device is asked to launch. `arguments` are pointers to the parameters, in
/// order, as cuLaunchKernel takes them.
struct AnyKernel {
  std::string_view name;  ///< as in the image
  void (*on_cpu)(void (*function)(), void* const* arguments);
  void (*function)();
  std::span<const std::size_t> parameters;  ///< the size of each, for whoever keeps them until later
  /// Runs this lane's share here; set `lane` first.
  void operator()(void* const* arguments) const { on_cpu(function, arguments); }
};

/// A kernel by name with its parameter types: Kernel{"vt_fill_words", vt_fill_words}, or VT_NAMED(vt_fill_words).
template <class... P>
struct Kernel {
  const char* name;
  void (*function)(P...);
  [[nodiscard]] AnyKernel any() const { return {name, &call, reinterpret_cast<void (*)()>(function), kSizes}; }

 private:
  static constexpr std::array<std::size_t, sizeof...(P)> kSizes = {sizeof(P)...};
  static void call(void (*function)(), void* const* arguments) {
    unpack(reinterpret_cast<void (*)(P...)>(function), arguments, std::index_sequence_for<P...>{});
  }
  template <std::size_t... I>
  static void unpack(void (*function)(P...), [[maybe_unused]] void* const* arguments, std::index_sequence<I...>) {
    function(*static_cast<std::remove_cv_t<P>*>(arguments[I])...);
  }
};
template <class... P>
Kernel(const char*, void (*)(P...)) -> Kernel<P...>;

#define VT_NAMED(kernel) \
  ::vt::kernels::Kernel { #kernel, ::vt::kernels::kernel }

}  // namespace vt::kernels
