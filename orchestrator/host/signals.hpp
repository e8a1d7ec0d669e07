#pragma once
#include <string_view>

namespace vt {

/// Exit status of a program ended by this signal, as shells report it: 128 + number ("KILL" -> 137). An unknown name
/// gives 255.
int status_of_signal(std::string_view name);

}  // namespace vt
