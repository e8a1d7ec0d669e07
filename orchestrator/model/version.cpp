#include "orchestrator/model/version.hpp"

#include <algorithm>
#include <cctype>

namespace vt {

namespace {
bool digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }
}  // namespace

std::optional<Version> Version::parse(std::string_view text) {
  auto first = std::find_if(text.begin(), text.end(), digit);
  if (first == text.end()) return std::nullopt;
  Version version;
  for (auto at = first; at != text.end() && digit(*at);) {
    unsigned long part = 0;
    for (; at != text.end() && digit(*at); ++at) {
      if (part > 1'000'000'000'000UL) return std::nullopt;
      part = part * 10 + static_cast<unsigned long>(*at - '0');
    }
    version.parts_.push_back(part);
    if (at == text.end() || *at != '.') break;
    ++at;
  }
  return version;
}

std::string Version::text() const {
  std::string out;
  for (auto part : parts_) out += (out.empty() ? "" : ".") + std::to_string(part);
  return out;
}

bool Version::is_prefix_of(const Version& other) const {
  for (std::size_t i = 0; i < parts_.size(); ++i)
    if (parts_[i] != (i < other.parts_.size() ? other.parts_[i] : 0)) return false;
  return true;
}

std::strong_ordering operator<=>(const Version& a, const Version& b) {
  for (std::size_t i = 0; i < std::max(a.parts_.size(), b.parts_.size()); ++i) {
    auto x = i < a.parts_.size() ? a.parts_[i] : 0, y = i < b.parts_.size() ? b.parts_[i] : 0;
    if (x != y) return x <=> y;
  }
  return std::strong_ordering::equal;
}

}  // namespace vt
