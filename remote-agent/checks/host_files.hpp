#pragma once
#include <optional>
#include <string>
#include <vector>

/// Small reads of /sys and /proc.
namespace vt::checks {

/// The first line of a file, without white space at its end; empty if it cannot be read.
std::string line_of(const std::string& path);
/// The number at the start of a file ("16.0 GT/s PCIe" is 16); nullopt if there is none.
std::optional<double> number_of(const std::string& path);
/// The names in a folder, sorted; none if it cannot be read.
std::vector<std::string> names_in(const std::string& folder);

}  // namespace vt::checks
