#pragma once

namespace vt {

/// Deleter of a unique_ptr for a C library's object that `Free` gives back.
template <auto Free>
struct FreeWith {
  template <class T>
  void operator()(T* p) const {
    Free(p);
  }
};

}  // namespace vt
