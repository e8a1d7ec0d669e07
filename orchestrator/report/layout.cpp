#include "orchestrator/report/layout.hpp"

#include <algorithm>

#include "orchestrator/model/text.hpp"

namespace vt {

namespace {

constexpr std::string_view code_of(Tone tone) {
  switch (tone) {
    case Tone::strong: return "1";
    case Tone::faint: return "2";
    case Tone::good: return "32";
    case Tone::caution: return "33";
    case Tone::bad: return "1;31";
    default: return "";
  }
}

constexpr bool continues(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

}  // namespace

std::string paint(const TextStyle& style, Tone tone, const std::string& text) {
  if (!style.colour || tone == Tone::plain || text.empty()) return text;
  return "\x1b[" + std::string(code_of(tone)) + "m" + text + "\x1b[0m";
}

std::size_t shown_width(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) { return !continues(c); }));
}

std::string one_line(std::string_view text, std::size_t limit) {
  auto out = printable(trim(text));
  for (char& c : out)
    if (c == '\n' || c == '\t') c = ' ';
  if (shown_width(out) <= limit || limit < 4) return out;
  std::size_t cut = 0, shown = 0;
  for (; cut < out.size(); ++cut)
    if (!continues(out[cut]) && ++shown > limit - 3) break;
  return out.substr(0, cut) + "...";
}

std::string pad_right(std::string text, std::size_t width) {
  auto shown = shown_width(text);
  if (shown < width) text.append(width - shown, ' ');
  return text;
}

std::string pad_left(const std::string& text, std::size_t width) {
  auto shown = shown_width(text);
  return shown < width ? std::string(width - shown, ' ') + text : text;
}

std::string list_line(const std::vector<std::string>& items) { return one_line(join(items, ", "), std::string::npos); }

std::string wrapped(const TextStyle& style, const std::string& lead, std::string_view body, Tone tone, std::optional<std::size_t> indent) {
  auto column = shown_width(lead), hang = indent.value_or(column);
  std::string out = paint(style, tone, lead);
  bool first = true;
  for (auto& word : split(body, ' ')) {
    auto size = shown_width(word);
    if (!first && column + 1 + size > style.width) out += "\n" + std::string(hang, ' '), column = hang, first = true;
    if (!first) out += ' ', ++column;
    out += word, column += size, first = false;
  }
  return out + "\n";
}

std::string count_of(std::size_t number, const std::string& noun) { return std::to_string(number) + " " + noun + (number == 1 ? "" : "s"); }
std::string count_of(int number, const std::string& noun) { return count_of(static_cast<std::size_t>(std::max(0, number)), noun); }

std::string Table::text(const TextStyle& style) const {
  std::vector<std::size_t> widths;
  for (auto& row : rows_)
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (i == widths.size()) widths.push_back(0);
      widths[i] = std::max(widths[i], shown_width(row[i].text));
    }
  std::string out;
  for (auto& row : rows_) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      auto gap = std::string(widths[i] - shown_width(row[i].text), ' ');
      auto cell = paint(style, row[i].tone, row[i].text);
      bool last = i + 1 == row.size();
      line += (i ? "  " : "") + (row[i].right ? gap + cell : last ? cell : cell + gap);
    }
    out += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  return out;
}

}  // namespace vt
