#pragma once
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "orchestrator/model/source_location.hpp"

namespace vt::yaml {

struct Entry;

/// One node of a YAML file, with the place it was written at. Aliases are expanded, tags do not exist, keys are unique.
struct Node {
  enum class Kind { nothing, scalar, list, map };
  Kind kind = Kind::nothing;
  SourceLocation where;
  std::string text;    ///< scalar: what the author wrote; after substitution, with the variables replaced
  std::string source;  ///< scalar, after substitution: the text that reads back as `text` (a literal "${" is "$${")
  bool plain = true;   ///< scalar: written without quotes
  bool open = false;   ///< scalar: its final text is not known: an environment variable in it is not set, or it was refused
  std::vector<Node> items;
  std::vector<Entry> entries;  ///< map, in file order

  [[nodiscard]] const Node* find(std::string_view key) const;  ///< nullptr if this is no map or lacks the key
  [[nodiscard]] Node* find(std::string_view key);
};

struct Entry {
  std::string key;
  SourceLocation where;
  Node value;
};

inline const Node* Node::find(std::string_view key) const {
  for (auto& entry : entries)
    if (entry.key == key) return &entry.value;
  return nullptr;
}
inline Node* Node::find(std::string_view key) { return const_cast<Node*>(std::as_const(*this).find(key)); }

}  // namespace vt::yaml
