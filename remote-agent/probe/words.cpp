#include "remote-agent/probe/words.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>

namespace vt::probe {
namespace {

bool digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }
bool space(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }

std::string_view trimmed(std::string_view s) {
  while (!s.empty() && space(s.front())) s.remove_prefix(1);
  while (!s.empty() && space(s.back())) s.remove_suffix(1);
  return s;
}

}  // namespace

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> out;
  for (;;) {
    auto end = text.find(separator);
    out.emplace_back(text.substr(0, end));
    if (end == std::string_view::npos) return out;
    text.remove_prefix(end + 1);
  }
}

std::vector<std::string> lines(std::string_view text) {
  auto out = split(text, '\n');
  std::erase(out, "");
  return out;
}

std::vector<std::string> words(std::string_view text) {
  std::vector<std::string> out;
  for (std::size_t at = 0; at < text.size();) {
    while (at < text.size() && space(text[at])) ++at;
    auto end = at;
    while (end < text.size() && !space(text[end])) ++end;
    if (end > at) out.emplace_back(text.substr(at, end - at));
    at = end;
  }
  return out;
}

std::optional<std::int64_t> integer(std::string_view text, int base) {
  text = trimmed(text);
  std::int64_t value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<std::string> after(std::string_view text, std::string_view label) {
  for (auto& line : lines(text))
    if (line.starts_with(label)) return std::string(trimmed(std::string_view(line).substr(label.size())));
  return std::nullopt;
}

std::optional<std::set<int>> ranges(std::string_view text) {
  std::set<int> out;
  if (trimmed(text).empty()) return out;
  for (auto& part : split(trimmed(text), ',')) {
    auto dash = part.find('-');
    auto first = integer(part.substr(0, dash));
    auto last = dash == std::string::npos ? first : integer(part.substr(dash + 1));
    if (!first || !last || *first < 0 || *last < *first || *last > 1'000'000) return std::nullopt;
    for (auto i = *first; i <= *last; ++i) out.insert(static_cast<int>(i));
  }
  return out;
}

std::string version_in(std::string_view text) {
  for (auto& word : words(text)) {
    bool shaped = digit(word.front()) && digit(word.back()) && word.find('.') != std::string::npos;
    if (shaped && std::all_of(word.begin(), word.end(), [](char c) { return digit(c) || c == '.'; })) return word;
  }
  return "";
}

std::string plural(std::int64_t n, const std::string& noun) {
  return std::to_string(n) + " " + noun + (n == 1 ? "" : noun.ends_with("ss") ? "es" : "s");
}

bool starts_with_any(std::string_view text, const std::vector<std::string_view>& prefixes) {
  return std::any_of(prefixes.begin(), prefixes.end(), [&](auto prefix) { return text.starts_with(prefix); });
}

}  // namespace vt::probe
