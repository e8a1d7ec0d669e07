#include "remote-agent/checks/nccl_transport.hpp"

#include <charconv>
#include <set>
#include <string>

namespace vt::checks {

namespace {

std::string_view first_word(std::string_view text) { return text.substr(0, text.find_first_of(" \t,")); }

/// The text behind `mark`; empty if the line has it not.
std::string_view behind(std::string_view line, std::string_view mark) {
  auto at = line.find(mark);
  return at == line.npos ? std::string_view() : line.substr(at + mark.size());
}

/// "Channel 00/0 : 0[0] -> 1[1] via P2P/CUMEM/read": how the data is taken (read) is no way of its own.
std::string way(std::string_view line) {
  if (line.find("Channel ") == line.npos) return "";
  std::string out(first_word(behind(line, " via ")));
  if (out.ends_with("/read")) out.resize(out.size() - 5);
  return out;
}

/// "16 coll channels, 16 collnet channels, 0 nvls channels, …": the number before `what`.
int count_of(std::string_view line, std::string_view what) {
  auto end = line.find(what);
  if (end == line.npos) return 0;
  auto begin = line.find_last_not_of("0123456789", end == 0 ? 0 : end - 1);
  auto digits = line.substr(begin == line.npos ? 0 : begin + 1, end);
  int out = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), out);
  return out;
}

}  // namespace

nlohmann::json nccl_transport(std::string_view log) {
  std::set<std::string> ways;
  std::string network, joined;
  int channels = 0, nvls = 0;
  while (!log.empty()) {
    auto line = log.substr(0, log.find('\n'));
    log.remove_prefix(std::min(log.size(), line.size() + 1));
    if (auto found = way(line); !found.empty()) ways.insert(found);
    if (auto found = first_word(behind(line, "Using network ")); !found.empty()) network = found;
    channels = std::max(channels, count_of(line, " coll channels"));
    nvls = std::max(nvls, count_of(line, " nvls channels"));
  }
  for (auto& one : ways) joined += (joined.empty() ? "" : ", ") + one;
  return {{"transport", joined}, {"network", network}, {"channels", channels}, {"nvls", nvls > 0}};
}

}  // namespace vt::checks
