#pragma once
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace vt::emulator {

/// One message of an API: its fields as "name:type", blank-separated. Types: s text, b boolean, i whole number, l whole number of 64 bits
/// (Google: number or text), d number, j anything; another word is a message; "*T" a list, "%T" a map from text to T; a "!" at the end:
/// required; "?" at the end: may be null.
struct Message {
  const char* name;
  const char* fields;
};

struct FieldProblem {
  enum class Kind { unknown, type, missing } kind = Kind::unknown;
  std::string parent;  ///< "disks[0].initializeParams"; empty at the top
  std::string name;    ///< of the field
  std::string wanted;  ///< type as in Message
  std::string value;   ///< what was there instead, as JSON

  [[nodiscard]] std::string path() const { return parent.empty() ? name : parent + "." + name; }
};

/// A table of messages; every request body is held against one of them.
class Fields {
 public:
  explicit Fields(const std::vector<Message>& messages);
  /// All problems, in the order of the body, missing ones of a message after its others. The body must be an object.
  [[nodiscard]] std::vector<FieldProblem> check(const std::string& message, const nlohmann::json& body) const;
  /// For comparing with the provider's own description: message -> field -> type.
  [[nodiscard]] const std::map<std::string, std::map<std::string, std::string>>& all() const { return messages_; }

 private:
  void check_value(const std::string& type, const nlohmann::json&, const FieldProblem& where, std::vector<FieldProblem>&) const;
  void check_message(const std::string& message, const nlohmann::json&, const std::string& path, std::vector<FieldProblem>&) const;

  std::map<std::string, std::map<std::string, std::string>> messages_;
};

}  // namespace vt::emulator
