#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "orchestrator/plan/node.hpp"

namespace vt::yaml {

inline constexpr std::size_t kLargestFile = 256 * 1024;  ///< bytes
inline constexpr std::size_t kMostNodes = 10'000;        ///< after alias expansion
inline constexpr std::size_t kDeepest = 32;

/// Turns one YAML document into nodes and refuses, with their place, what could hurt or mislead: more than the limits
/// above, invalid UTF-8, tags, merge keys, keys given twice, aliases inside their own anchor, a second document.
/// nullopt if it cannot be read to its end; a tag or a key that is refused is left out of the nodes, so that the other
/// problems of the file can be told too.
std::optional<Node> read_text(std::string_view text, const std::string& file, Problems&);
/// The same for a regular file.
std::optional<Node> read_file(const std::string& path, Problems&);
/// The bytes of a regular file of at most kLargestFile bytes.
std::optional<std::string> read_bytes(const std::string& path, Problems&);

}  // namespace vt::yaml
