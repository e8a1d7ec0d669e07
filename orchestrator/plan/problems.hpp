#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "orchestrator/model/source_location.hpp"

namespace vt {

/// Adds "what" as one safe line.
void complain(Problems&, const SourceLocation&, std::string_view what);
/// 'text', cut to a readable length.
std::string in_quotes(std::string_view text);
/// "; expected one of a, b, c, nearest 'b'"
std::string expected_one_of(std::string_view name, const std::vector<std::string>& candidates);
/// ", nearest 'b'", or "" if nothing is near.
std::string nearest_hint(std::string_view name, const std::vector<std::string>& candidates);
/// By file (in the order the problems' files first appear in `files`), line and column; the same problem is told once.
void sort_problems(Problems&, const std::vector<std::string>& files);

}  // namespace vt
