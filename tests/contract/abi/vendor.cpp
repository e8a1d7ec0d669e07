#include "tests/contract/abi/vendor.hpp"

#include <cctype>
#include <cstdlib>
#include <fstream>

namespace vt::test {

namespace {

bool in_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

std::string word_at(const std::string& line, std::size_t from) {
  auto end = from;
  while (end < line.size() && in_name(line[end])) ++end;
  return line.substr(from, end - from);
}

/// What is told by one line; `at` is that of a number, `name` what it belongs to.
void note(std::map<std::string, long long>& to, const std::string& name, const std::string& line, std::size_t at) {
  at = line.find_first_not_of(" \t(", at);
  if (name.empty() || at == line.npos) return;
  char* end = nullptr;
  auto value = std::strtoll(line.c_str() + at, &end, 0);
  if (end != line.c_str() + at) to.emplace(name, value);
}

}  // namespace

std::map<std::string, long long> constants_in(const std::string& file) {
  std::map<std::string, long long> out;
  std::ifstream in(file);
  constexpr std::string_view kDefine = "#define ";
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with(kDefine)) {
      auto begin = line.find_first_not_of(" \t", kDefine.size());
      auto name = begin == line.npos ? "" : word_at(line, begin);
      note(out, name, line, begin == line.npos ? line.size() : begin + name.size());
      continue;
    }
    for (auto equals = line.find('='); equals != line.npos; equals = line.find('=', equals + 1)) {
      auto end = line.find_last_not_of(" \t", equals == 0 ? 0 : equals - 1);
      if (end == line.npos || !in_name(line[end])) continue;
      auto begin = end;
      while (begin > 0 && in_name(line[begin - 1])) --begin;
      note(out, line.substr(begin, end - begin + 1), line, equals + 1);
    }
  }
  return out;
}

void expect_same_constants(const std::string& double_, const std::string& header, const std::vector<std::string>& prefixes) {
  auto ours = constants_in(VT_SOURCE_DIR "/tests/doubles/" + double_ + "/abi.hpp"), theirs = constants_in(header);
  std::size_t compared = 0;
  for (auto& [name, value] : ours)
    for (auto& prefix : prefixes)
      if (name.starts_with(prefix)) {
        ASSERT_TRUE(theirs.contains(name)) << name << " is not in " << header;
        EXPECT_EQ(value, theirs[name]) << name;
        ++compared;
      }
  EXPECT_GT(compared, 5U) << double_;
}

std::string missing_in(const gpu::Library& library, const std::vector<std::string>& names) {
  std::string out;
  for (auto& name : names)
    if (!library.symbol(name.c_str())) out += library.path() + " has no " + name + "\n";
  return out;
}

}  // namespace vt::test
