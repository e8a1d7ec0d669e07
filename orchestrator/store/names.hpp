#pragma once
#include <string_view>

namespace vt {

/// The enumerator that name() prints as `text`; `last` is the enum's last one, and the answer for an unknown text,
/// which the CHECKs of the schema keep out.
template <class Enum>
Enum enum_of(std::string_view text, Enum last) {
  for (int i = 0; i < static_cast<int>(last); ++i)
    if (name(static_cast<Enum>(i)) == text) return static_cast<Enum>(i);
  return last;
}

}  // namespace vt
