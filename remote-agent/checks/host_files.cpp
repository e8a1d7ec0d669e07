#include "remote-agent/checks/host_files.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "remote-agent/base/os.hpp"

namespace vt::checks {

std::string line_of(const std::string& path) {
  auto text = agent::read_file(path);
  text.resize(std::min(text.size(), text.find('\n')));
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.pop_back();
  return text;
}

std::optional<double> number_of(const std::string& path) {
  auto text = line_of(path);
  char* end = nullptr;
  auto number = std::strtod(text.c_str(), &end);
  return end == text.c_str() ? std::nullopt : std::optional(number);
}

std::vector<std::string> names_in(const std::string& folder) {
  std::vector<std::string> out;
  std::error_code error;
  for (std::filesystem::directory_iterator at(folder, error), end; !error && at != end; at.increment(error))
    out.push_back(at->path().filename());
  std::sort(out.begin(), out.end());
  return out;
}

}  // namespace vt::checks
