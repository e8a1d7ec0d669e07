#include "orchestrator/engine/mask.hpp"

#include <algorithm>
#include <array>
#include <cctype>

namespace vt {

namespace {

std::string base64(const std::string& in) {
  static constexpr char kAlphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  unsigned bits = 0;
  int have = 0;
  for (unsigned char c : in) {
    bits = (bits << 8) | c;
    for (have += 8; have >= 6; have -= 6) out += kAlphabet[(bits >> (have - 6)) & 63];
  }
  if (have > 0) out += kAlphabet[(bits << (6 - have)) & 63];
  return out;  // unpadded, so that it is found with and without padding
}

std::string per_byte(const std::string& in, std::string_view plain, const char* prefix, const char* digits) {
  std::string out;
  for (unsigned char c : in) {
    bool stays = (std::isalnum(c) && !plain.empty()) || plain.find(static_cast<char>(c)) != std::string_view::npos;
    if (stays) out += static_cast<char>(c);
    else out += std::string(prefix) + digits[c >> 4] + digits[c & 15];
  }
  return out;
}

std::string json_escaped(const std::string& in) {
  std::string out;
  for (char c : in) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

void replace_all(std::string& text, const std::string& from, const std::string& to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size()) text.replace(at, from.size(), to);
}

}  // namespace

Masker::Masker(const std::map<std::string, std::string>& secrets) {
  for (auto& [name, value] : secrets) {
    if (value.size() < kShortestSecret) continue;
    std::array forms{value,
                     base64(value),
                     json_escaped(value),
                     std::string(value.rbegin(), value.rend()),
                     per_byte(value, "-._~", "%", "0123456789ABCDEF"),
                     per_byte(value, "", "", "0123456789abcdef"),
                     per_byte(value, "", "", "0123456789ABCDEF")};
    for (auto& form : forms) forms_.emplace_back(form, "[" + name + "]");
  }
  std::sort(forms_.begin(), forms_.end(), [](auto& a, auto& b) { return a.first.size() > b.first.size(); });
}

std::string Masker::apply(std::string text) const {
  for (auto& [from, to] : forms_) replace_all(text, from, to);
  return text;
}

void Masker::apply(Value& value) const {
  if (auto text = std::get_if<std::string>(&value.v)) *text = apply(std::move(*text));
  else if (auto list = std::get_if<Value::List>(&value.v))
    for (auto& item : *list) apply(item);
}

void Masker::apply(Observation& seen) const {
  if (forms_.empty()) return;
  for (auto* text : {&seen.out.head, &seen.out.tail, &seen.err.head, &seen.err.tail, &seen.problem}) *text = apply(std::move(*text));
  for (auto& [name, value] : seen.values) apply(value);
}

}  // namespace vt
