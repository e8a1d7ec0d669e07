#pragma once
#include <string>
#include <string_view>

namespace vt {

/// Example command lines for a command's --help; "" = the program as a whole.
std::string examples_for(std::string_view command);

}  // namespace vt
