#include "orchestrator/plan/scalars.hpp"

#include <array>
#include <charconv>
#include <utility>

#include "orchestrator/model/text.hpp"

namespace vt {

namespace {

constexpr std::string_view kDigits = "0123456789", kLower = "abcdefghijklmnopqrstuvwxyz", kUpper = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";

bool made_of(std::string_view text, std::initializer_list<std::string_view> alphabets) {
  for (char c : text) {
    bool known = false;
    for (auto alphabet : alphabets) known = known || alphabet.find(c) != std::string_view::npos;
    if (!known) return false;
  }
  return true;
}

}  // namespace

std::optional<long> parse_count(std::string_view text, long most) {
  long count = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (text.empty() || !made_of(text, {kDigits}) || error != std::errc{} || end != text.data() + text.size() || count > most)
    return std::nullopt;
  return count;
}

std::optional<Duration> parse_duration(std::string_view text) {
  constexpr std::array<std::pair<std::string_view, long>, 5> units{
      {{"ms", 1}, {"s", 1'000}, {"m", 60'000}, {"h", 3'600'000}, {"d", 86'400'000}}};
  constexpr long kTenYears = 3'650L * 86'400'000;
  auto digits = text.substr(0, text.find_first_not_of(kDigits));
  for (auto [unit, factor] : units)
    if (text.substr(digits.size()) == unit)
      if (auto count = parse_count(digits, kTenYears / factor)) return Duration(*count * factor);
  return std::nullopt;
}

bool is_size(std::string_view text) {
  constexpr std::array<std::string_view, 9> units{"B", "KB", "MB", "GB", "TB", "KiB", "MiB", "GiB", "TiB"};
  auto digits = text.substr(0, text.find_first_not_of(kDigits));
  auto count = parse_count(digits, 1'000'000'000);
  for (auto unit : units)
    if (count && *count > 0 && trim(text.substr(digits.size())) == unit) return true;
  return false;
}

bool is_plain_name(std::string_view text) {
  return !text.empty() && text.size() <= 63 && made_of(text.substr(0, 1), {kLower, kDigits}) && made_of(text, {kLower, kDigits, "._-"});
}

bool is_check_id(std::string_view text) {
  if (text.empty() || text.front() == '.' || text.back() == '.' || text.find("..") != std::string_view::npos) return false;
  return text.size() <= 100 && text.find('.') != std::string_view::npos && made_of(text, {kLower, kDigits, "_."});
}

bool is_baseline_key(std::string_view text) {
  constexpr std::string_view unit = "MiB";
  auto at = text.find('@');
  if (!is_check_id(text.substr(0, at)) || at == std::string_view::npos) return is_check_id(text);
  auto size = text.substr(at + 1);
  auto digits = size.substr(0, size.find_first_not_of(kDigits));
  return parse_count(digits, 1'000'000).value_or(0) > 0 && size.substr(digits.size()) == unit;
}

bool is_date(std::string_view text) {
  constexpr std::string_view form = "dddd-dd-dd";
  if (text.size() != form.size()) return false;
  for (std::size_t i = 0; i < form.size(); ++i)
    if (form[i] == 'd' ? text[i] < '0' || text[i] > '9' : text[i] != form[i]) return false;
  return true;
}

bool is_secret_name(std::string_view text) {
  return !text.empty() && made_of(text.substr(0, 1), {kUpper}) && made_of(text, {kUpper, kDigits, "_"});
}

bool is_variable_name(std::string_view text) {
  return !text.empty() && made_of(text.substr(0, 1), {kUpper, kLower, "_"}) && made_of(text, {kUpper, kLower, kDigits, "_"});
}

bool is_user_name(std::string_view text) {
  return !text.empty() && text.size() <= 32 && made_of(text.substr(0, 1), {kLower, "_"}) && made_of(text, {kLower, kDigits, "_-"});
}

bool is_address(std::string_view text) {
  return !text.empty() && text.size() <= 253 && text.front() != '-' && made_of(text, {kLower, kUpper, kDigits, ".-_:"});
}

bool is_fingerprint(std::string_view text) {
  constexpr std::string_view prefix = "SHA256:";
  return text.size() == prefix.size() + 43 && text.substr(0, prefix.size()) == prefix &&
         made_of(text.substr(prefix.size()), {kLower, kUpper, kDigits, "+/"});
}

bool is_jump(std::string_view text) {
  auto at = text.find('@');
  if (at == std::string_view::npos || !is_user_name(text.substr(0, at))) return false;
  auto host = text.substr(at + 1);
  auto colon = host.find(':');
  if (colon == std::string_view::npos) return is_address(host);
  auto port = parse_count(host.substr(colon + 1), 65'535);
  return port && *port > 0 && is_address(host.substr(0, colon));
}

}  // namespace vt
