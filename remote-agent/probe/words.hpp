#pragma once
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

/// Reading the small texts of /proc and /sys.
namespace vt::probe {

std::vector<std::string> lines(std::string_view);
std::vector<std::string> words(std::string_view);                                 ///< separated by white space
std::vector<std::string> split(std::string_view, char separator);                 ///< empty parts are kept
std::optional<std::int64_t> integer(std::string_view, int base = 10);             ///< the whole text is one number
std::optional<std::string> after(std::string_view text, std::string_view label);  ///< rest of the line that starts with label, trimmed
std::optional<std::set<int>> ranges(std::string_view);                            ///< "0-3,8" of cpu and node lists; "" is the empty set
std::string version_in(std::string_view);                                         ///< first "570.86.15"-like number in it, or ""
std::string plural(std::int64_t n, const std::string& noun);                      ///< "1 drive", "2 drives"
bool starts_with_any(std::string_view, const std::vector<std::string_view>& prefixes);

}  // namespace vt::probe
