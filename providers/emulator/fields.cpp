#include "providers/emulator/fields.hpp"

#include <nlohmann/json.hpp>

#include "orchestrator/model/text.hpp"

namespace vt::emulator {

using nlohmann::json;

namespace {

bool is_whole_text(const std::string& text) {
  std::size_t start = text.starts_with('-') ? 1 : 0;
  return text.size() > start && text.size() < 20 && text.find_first_not_of("0123456789", start) == std::string::npos;
}

/// Whether a value has a type that is not a message, a list or a map.
bool has_type(char type, const json& value) {
  switch (type) {
    case 's': return value.is_string();
    case 'b': return value.is_boolean();
    case 'i': return value.is_number_integer();
    case 'l': return value.is_number_integer() || (value.is_string() && is_whole_text(value));
    case 'd': return value.is_number();
    default: return true;
  }
}

}  // namespace

Fields::Fields(const std::vector<Message>& messages) {
  for (auto& message : messages) {
    auto& fields = messages_[message.name];
    for (auto& field : split(message.fields, ' ')) {
      auto colon = field.find(':');
      fields[field.substr(0, colon)] = field.substr(colon + 1);
    }
  }
}

std::vector<FieldProblem> Fields::check(const std::string& message, const json& body) const {
  std::vector<FieldProblem> problems;
  check_message(message, body, "", problems);
  return problems;
}

void Fields::check_message(const std::string& message, const json& body, const std::string& path,
                           std::vector<FieldProblem>& problems) const {
  const auto& fields = messages_.at(message);
  for (auto& [key, value] : body.items()) {
    auto found = fields.find(key);
    if (found == fields.end()) {
      problems.push_back({FieldProblem::Kind::unknown, path, key, "", ""});
      continue;
    }
    check_value(found->second, value, {FieldProblem::Kind::type, path, key, "", ""}, problems);
  }
  for (auto& [key, type] : fields)
    if (type.ends_with('!') && !body.contains(key)) problems.push_back({FieldProblem::Kind::missing, path, key, type, ""});
}

void Fields::check_value(const std::string& declared, const json& value, const FieldProblem& where,
                         std::vector<FieldProblem>& problems) const {
  std::string type = declared;
  bool may_be_null = false;
  for (; type.ends_with('!') || type.ends_with('?'); type.pop_back()) may_be_null = may_be_null || type.ends_with('?');
  auto wrong = [&] {
    FieldProblem problem = where;
    problem.wanted = type, problem.value = value.dump();
    problems.push_back(problem);
  };
  if (value.is_null() && may_be_null) return;
  bool list = type.starts_with('*'), map = type.starts_with('%'), message = type.size() > 1 && !list && !map;
  if ((list && !value.is_array()) || ((map || message) && !value.is_object()) || (type.size() == 1 && !has_type(type[0], value)))
    return wrong();
  if (message) return check_message(type, value, where.path(), problems);
  if (!list && !map) return;
  for (auto& [key, item] : value.items()) {
    FieldProblem at = where;
    at.name += list ? "[" + key + "]" : "." + key;
    check_value(type.substr(1), item, at, problems);
  }
}

}  // namespace vt::emulator
