#include "orchestrator/model/money.hpp"

#include <cctype>
#include <cstdio>
#include <limits>

namespace vt {

std::string Money::text() const {
  std::int64_t cents = (micro + 9'999) / 10'000;
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, "$%lld.%02lld", static_cast<long long>(cents / 100), static_cast<long long>(cents % 100));
  return buffer;
}

std::optional<Money> Money::parse(std::string_view s) {
  if (!s.empty() && s.front() == '$') s.remove_prefix(1);
  std::int64_t whole = 0;
  std::size_t i = 0;
  for (; i < s.size() && std::isdigit(static_cast<unsigned char>(s[i])); ++i) {
    if (whole > std::numeric_limits<std::int64_t>::max() / 100'000'000) return std::nullopt;
    whole = whole * 10 + (s[i] - '0');
  }
  if (i == 0) return std::nullopt;
  std::int64_t fraction = 0, scale = 1'000'000;
  if (i < s.size()) {
    if (s[i++] != '.' || i == s.size()) return std::nullopt;
    for (; i < s.size(); ++i) {
      if (!std::isdigit(static_cast<unsigned char>(s[i])) || scale == 1) return std::nullopt;
      scale /= 10;
      fraction += (s[i] - '0') * scale;
    }
  }
  return Money{whole * 1'000'000 + fraction};
}

Money price_for(Money hourly, std::int64_t seconds) {
  __extension__ using Wide = __int128;  // micro-dollars times seconds leaves 64 bits at $2.5 M/h for a year
  Wide product = static_cast<Wide>(hourly.micro) * seconds;
  return {static_cast<std::int64_t>((product + 3599) / 3600)};
}

}  // namespace vt
