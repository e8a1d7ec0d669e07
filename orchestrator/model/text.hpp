#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace vt {

std::string_view trim(std::string_view);
std::vector<std::string> split(std::string_view text, char separator);  ///< parts trimmed, empty ones dropped
std::string join(const std::vector<std::string>& parts, std::string_view separator);
/// The candidate with the smallest edit distance to `name`, if it is close enough to be a typing error; else "".
std::string nearest(std::string_view name, const std::vector<std::string>& candidates);
/// Shell-style pattern: '*' any run of characters, '?' one.
bool glob_match(std::string_view pattern, std::string_view text);
/// Text from a host, safe to print: control characters other than newline and tab become "\xNN" (also C1 and
/// escape sequences), so that a host cannot drive the reader's terminal.
std::string printable(std::string_view);
/// At most `most` bytes of text that may be anything: the result is valid UTF-8, no character is split, and of what was no UTF-8 each
/// byte is a '?'.
std::string cut_text(std::string_view text, std::size_t most);
/// `text` as one word of a POSIX shell command.
std::string shell_quote(std::string_view text);

}  // namespace vt
