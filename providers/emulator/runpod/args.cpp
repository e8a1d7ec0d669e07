#include "providers/emulator/runpod/api.hpp"

namespace vt::emulator::runpod {

namespace {

constexpr std::string_view kBlanks = " \t\r\n";

/// Reads one word from `at`, which is no blank.
std::string next_word(const std::string& text, std::size_t& at) {
  std::string word;
  char quote = '\0';
  for (; at < text.size(); ++at) {
    char c = text[at];
    bool escapes = c == '\\' && quote != '\'' && at + 1 < text.size();
    if (escapes && (quote == '\0' || std::string_view("\"\\$`").find(text[at + 1]) != std::string_view::npos)) word += text[++at];
    else if (c == quote) quote = '\0';
    else if (quote == '\0' && (c == '"' || c == '\'')) quote = c;
    else if (quote == '\0' && kBlanks.find(c) != std::string_view::npos) break;
    else word += c;
  }
  return word;
}

}  // namespace

std::vector<std::string> words_of(const std::string& args) {
  std::vector<std::string> words;
  for (std::size_t at = 0; (at = args.find_first_not_of(kBlanks, at)) != std::string::npos;) words.push_back(next_word(args, at));
  return words;
}

}  // namespace vt::emulator::runpod
