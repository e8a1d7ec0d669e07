#include <regex>

#include "orchestrator/model/text.hpp"
#include "providers/emulator/gcp/api.hpp"

namespace vt::emulator::gcp {

namespace {

/// The words of a filter: quoted texts, operators, brackets, anything else up to the next of these.
std::vector<std::string> words_of(const std::string& filter) {
  std::vector<std::string> words;
  for (std::size_t i = 0; i < filter.size();) {
    char c = filter[i];
    std::size_t from = i;
    if (c == ' ') {
      ++i;
      continue;
    }
    if (c == '"') {
      i = std::min(filter.find('"', i + 1), filter.size() - 1) + 1;
    } else if (c == '(' || c == ')' || c == '=' || c == ':') {
      ++i;
    } else if (filter.compare(i, 2, "!=") == 0) {
      i += 2;
    } else {
      i = std::min(filter.find_first_of(" \"()=:!", i + 1), filter.size());
    }
    words.push_back(filter.substr(from, i - from));
  }
  return words;
}

/// The value at a dotted path as text; nullopt if there is none. A label's key may have dots of its own.
std::optional<std::string> value_at(const json& row, const std::string& path) {
  const json* at = &row;
  std::string rest = path;
  while (!rest.empty()) {
    if (!at->is_object()) return std::nullopt;
    auto dot = at->contains(rest) ? std::string::npos : rest.find('.');
    auto found = at->find(rest.substr(0, dot));
    if (found == at->end()) return std::nullopt;
    at = &*found;
    rest = dot == std::string::npos ? "" : rest.substr(dot + 1);
  }
  return at->is_string() ? at->get<std::string>() : at->dump();
}

std::string unquoted(const std::string& word) { return word.size() > 1 && word.front() == '"' ? word.substr(1, word.size() - 2) : word; }

bool holds(const std::optional<std::string>& value, const std::string& op, const std::string& wanted) {
  if (op == "=") return value && *value == wanted;
  if (op == "!=") return !value || *value != wanted;
  if (op == ":") return value && (wanted == "*" || value->find(wanted) != std::string::npos);
  bool match = value && std::regex_match(*value, std::regex(wanted));
  return (op == "eq") == match;
}

}  // namespace

std::optional<bool> passes(const std::string& filter, const json& row) {
  std::vector<std::string> words;
  for (auto& word : words_of(filter))
    if (word != "(" && word != ")" && word != "AND") words.push_back(word);
  if (words.size() % 3 != 0) return std::nullopt;
  bool all = true;
  for (std::size_t i = 0; i < words.size(); i += 3) {
    const std::string& op = words[i + 1];
    if (op != "=" && op != "!=" && op != ":" && op != "eq" && op != "ne") return std::nullopt;
    all = all && holds(value_at(row, words[i]), op, unquoted(words[i + 2]));
  }
  return all;
}

}  // namespace vt::emulator::gcp
