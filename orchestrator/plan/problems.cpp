#include "orchestrator/plan/problems.hpp"

#include <algorithm>
#include <tuple>

#include "orchestrator/model/text.hpp"

namespace vt {

void complain(Problems& problems, const SourceLocation& where, std::string_view what) {
  std::string line = printable(what);
  std::replace(line.begin(), line.end(), '\n', ' ');
  problems.push_back({where, line});
}

std::string in_quotes(std::string_view text) {
  constexpr std::size_t kReadable = 60;
  if (text.size() <= kReadable) return "'" + std::string(text) + "'";
  auto cut = kReadable;
  while (cut > 0 && (static_cast<unsigned char>(text[cut]) & 0xC0U) == 0x80) --cut;  // not inside a character
  return "'" + std::string(text.substr(0, cut)) + "…'";
}

std::string nearest_hint(std::string_view name, const std::vector<std::string>& candidates) {
  constexpr std::size_t kLongestName = 200;  // the edit distance of longer texts costs time and finds nothing
  auto near = name.size() > kLongestName ? std::string() : nearest(name, candidates);
  return near.empty() ? "" : ", nearest '" + near + "'";
}

std::string expected_one_of(std::string_view name, const std::vector<std::string>& candidates) {
  return "; expected one of " + join(candidates, ", ") + nearest_hint(name, candidates);
}

void sort_problems(Problems& problems, const std::vector<std::string>& files) {
  auto key = [&](const Problem& p) {
    return std::tuple(std::find(files.begin(), files.end(), p.where.file) - files.begin(), p.where.line, p.where.column);
  };
  std::stable_sort(problems.begin(), problems.end(), [&](auto& a, auto& b) { return key(a) < key(b); });
  auto same = [](auto& a, auto& b) { return a.text() == b.text(); };
  problems.erase(std::unique(problems.begin(), problems.end(), same), problems.end());
}

}  // namespace vt
