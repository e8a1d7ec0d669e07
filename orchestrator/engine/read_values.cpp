#include "orchestrator/engine/read_values.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <regex>
#include <sstream>

#include "orchestrator/model/text.hpp"
#include "orchestrator/store/codec.hpp"
#include "remote-agent/protocol/frames.hpp"

namespace vt {

namespace {

using nlohmann::json;

/// nullopt: not readable, which no expectation may hold on; a null value: read, and nothing was there.
using Read = std::optional<Value>;

/// Text that is there but is not of the type is not readable; no text is nothing.
Read scalar(ValueType type, std::string_view text) {
  auto value = read_as(type, text);
  if (value.is_null() && !trim(text).empty()) return std::nullopt;
  return trim(text).empty() ? Value() : value;
}

/// A JSON leaf under the declared type; numbers and booleans keep theirs, text is read.
Value typed(const json& leaf, ValueType type) {
  if (leaf.is_array()) {
    Value::List list;
    for (auto& item : leaf) list.push_back(typed(item, type));
    return list;
  }
  if (leaf.is_string()) return read_as(type, leaf.get<std::string>());
  if (type == ValueType::text || type == ValueType::version)
    return leaf.is_null() ? Value() : read_as(type, leaf.is_string() ? leaf.get<std::string>() : leaf.dump());
  return value_from(leaf);
}

/// `/*` stands for every element of a list; one without what follows has nothing there, so that entry i stays that of element i.
Value from_json(const json& document, const std::string& pointer, ValueType type) try {
  auto star = pointer.find("/*");
  auto after = star + std::string_view("/*").size();
  bool each = star != std::string::npos && (after == pointer.size() || pointer[after] == '/');
  json::json_pointer at(pointer.substr(0, each ? star : std::string::npos));
  if (!document.contains(at)) return {};
  auto& found = document.at(at);
  if (!each) return typed(found, type);
  Value::List list;
  for (auto& item : found) list.push_back(from_json(item, pointer.substr(after), type));
  return list;
} catch (const json::exception&) { return {}; }

Read from_json_text(const std::string& text, const std::string& pointer, ValueType type) {
  auto document = protocol::parse_untrusted(text);
  return document.is_discarded() ? Read() : from_json(document, pointer, type);
}

/// std::regex recurses per character: a longer line could exhaust the stack, so it is not matched at all.
constexpr std::size_t kLongestLine = 4096;

/// Matched line by line: the host decides how long its output is, not how deep we recurse.
Read from_regex(const std::string& text, const ValueSpec& spec) {
  std::regex pattern(spec.read.pattern);
  Value::List found;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.size() > kLongestLine) return std::nullopt;
    for (std::sregex_iterator at(line.begin(), line.end(), pattern), end; at != end; ++at) {
      auto group = (*at)[at->size() > 1 ? 1 : 0].str();
      if (!spec.read.all) return scalar(spec.type, group);
      found.push_back(read_as(spec.type, group));
    }
  }
  return spec.read.all ? Value(found) : Value();
}

/// One CSV line; quotes as in RFC 4180.
std::vector<std::string> cells(const std::string& line) {
  std::vector<std::string> out(1);
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '"' && quoted && i + 1 < line.size() && line[i + 1] == '"') out.back() += line[++i];
    else if (line[i] == '"') quoted = !quoted;
    else if (line[i] == ',' && !quoted) out.emplace_back();
    else out.back() += line[i];
  }
  for (auto& cell : out) cell = std::string(trim(cell));
  return out;
}

Read from_csv(const std::string& text, const ValueSpec& spec) {
  std::istringstream lines(text);
  std::string line;
  if (!std::getline(lines, line)) return std::nullopt;
  auto header = cells(line);
  auto column = static_cast<std::size_t>(std::find(header.begin(), header.end(), spec.read.pattern) - header.begin());
  if (column == header.size()) return std::nullopt;
  Value::List rows;
  while (std::getline(lines, line)) {
    if (trim(line).empty()) continue;
    auto row = cells(line);
    if (!spec.read.all) return column < row.size() ? scalar(spec.type, row[column]) : Read();
    rows.push_back(column < row.size() ? read_as(spec.type, row[column]) : Value());
  }
  return spec.read.all ? Value(rows) : Value();
}

Read from_whole(const std::string& text, const ValueSpec& spec) {
  if (!spec.read.all) return scalar(spec.type, text);
  Value::List lines;
  for (auto& line : split(text, '\n')) lines.push_back(read_as(spec.type, line));
  return lines;
}

Read from_output(const Output& output, const ValueSpec& spec) {
  if (spec.read.by == Reader::By::lines) return Value(static_cast<std::int64_t>(output.lines));
  if (output.cut()) return std::nullopt;
  std::string text = output.head + output.tail;
  switch (spec.read.by) {
    case Reader::By::regex: return from_regex(text, spec);
    case Reader::By::json: return from_json_text(text, spec.read.pattern, spec.type);
    case Reader::By::csv: return from_csv(text, spec);
    default: return from_whole(text, spec);
  }
}

Read from_result(const std::string& result, const ValueSpec& spec) {
  auto pointer = spec.read.by == Reader::By::json ? spec.read.pattern : "/" + (spec.read.pattern.empty() ? spec.name : spec.read.pattern);
  return from_json_text(result, pointer, spec.type);
}

}  // namespace

Values read_values(const Check& check, const Observation& seen, const std::string& result) {
  Values values;
  for (auto& spec : check.values) {
    Read read;
    switch (spec.read.from) {
      case Reader::From::result: read = from_result(result, spec); break;
      case Reader::From::exit_code: read = seen.exit_code ? Value(*seen.exit_code) : Value(); break;
      case Reader::From::out: read = from_output(seen.out, spec); break;
      case Reader::From::err: read = from_output(seen.err, spec); break;
    }
    if (read) values[spec.name] = *read;
  }
  return values;
}

}  // namespace vt
