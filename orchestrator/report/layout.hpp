#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace vt {

/// How a text report is laid out.
struct TextStyle {
  std::size_t width = 100;  ///< columns of the terminal
  bool colour = false;      ///< only if asked
};

enum class Tone { plain, strong, faint, good, caution, bad };
/// `text` in that tone; unchanged without colour.
std::string paint(const TextStyle&, Tone, const std::string& text);

/// Text from outside on one line, safe to print, at most `limit` characters ("..." at the cut).
std::string one_line(std::string_view, std::size_t limit = 400);
/// All of `items`, comma-separated, on one line, safe to print and never cut.
std::string list_line(const std::vector<std::string>& items);
/// Characters shown, counting UTF-8 sequences as one column each.
std::size_t shown_width(std::string_view);
std::string pad_right(std::string text, std::size_t width);
std::string pad_left(const std::string& text, std::size_t width);
/// `lead` (in that tone) and then `body` broken at spaces to the width, further lines indented under the body, or by
/// `indent` columns. Ends with a newline.
std::string wrapped(const TextStyle&, const std::string& lead, std::string_view body, Tone tone = Tone::plain,
                    std::optional<std::size_t> indent = std::nullopt);
/// "3 checks", "1 check"
std::string count_of(std::size_t number, const std::string& noun);
std::string count_of(int number, const std::string& noun);

/// Rows of cells in aligned columns two spaces apart. Widths follow the plain texts, so that colour does not shift them.
class Table {
 public:
  struct Cell {
    std::string text;
    Tone tone = Tone::plain;
    bool right = false;  ///< numbers stand at the right edge
  };
  void add(std::vector<Cell> row) { rows_.push_back(std::move(row)); }
  [[nodiscard]] std::string text(const TextStyle&) const;

 private:
  std::vector<std::vector<Cell>> rows_;
};

}  // namespace vt
