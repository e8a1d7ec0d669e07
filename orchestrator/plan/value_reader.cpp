#include <regex>

#include "orchestrator/model/text.hpp"
#include "orchestrator/plan/check_reader.hpp"
#include "orchestrator/plan/expectation_reader.hpp"
#include "orchestrator/plan/scalars.hpp"

namespace vt {

namespace {

using yaml::Fields;
using yaml::Node;
using By = Reader::By;
using From = Reader::From;

void check_regex(const Node& node, Problems& problems) try {
  constexpr std::size_t kLongest = 1000;  // std::regex recurses while it compiles
  if (node.text.size() > kLongest)
    complain(problems, node.where, "a regular expression of more than 1000 characters; expected a shorter one");
  else std::regex compiled(node.text);
} catch (const std::regex_error&) {
  complain(problems, node.where, in_quotes(node.text) + " is not a regular expression; expected ECMAScript syntax");
}

void check_pointer(const Node& node, Problems& problems) {
  bool valid = node.text.empty() || node.text.front() == '/';
  for (auto tilde = node.text.find('~'); valid && tilde != std::string::npos; tilde = node.text.find('~', tilde + 1))
    valid = tilde + 1 < node.text.size() && (node.text[tilde + 1] == '0' || node.text[tilde + 1] == '1');
  if (!valid) complain(problems, node.where, in_quotes(node.text) + " is not a JSON pointer; expected for example /a/b/0");
}

void must_be_true(const Fields& fields, const std::string& key) {
  bool given = true;
  fields.read(key, given);
  if (!given) complain(fields.problems(), fields.find(key)->where, key + " is false; expected true, or no such key");
}

/// Fills in how the value is read; `way` is one of the keys regex, json, csv, lines, exit, or "" for none of them.
void read_way(const Fields& fields, const std::string& way, Reader& out) {
  auto node = fields.find(way);
  if (way == "lines") out.by = By::lines;
  if (way == "exit") out.from = From::exit_code;
  if (way == "lines" || way == "exit") return must_be_true(fields, way);
  if (way.empty()) return;
  out.by = way == "regex" ? By::regex : way == "json" ? By::json : By::csv;
  out.pattern = yaml::scalar(*node, "text", fields.problems());
  if (node->kind != Node::Kind::scalar) return;
  if (out.by == By::regex) check_regex(*node, fields.problems());
  if (out.by == By::json) check_pointer(*node, fields.problems());
  if (out.by == By::csv && out.pattern.empty()) complain(fields.problems(), node->where, "csv is empty; expected the name of a column");
}

/// Probes and agent checks return values, not output.
bool returns_values(const How& how) { return std::holds_alternative<ProbeRun>(how) || std::holds_alternative<AgentRun>(how); }

Reader read_reader(const Fields& fields, const How& how, const std::string& value) {
  Reader out;
  auto& problems = fields.problems();
  std::vector<std::string> ways;
  for (const char* way : {"regex", "json", "csv", "lines", "exit"})
    if (fields.find(way)) ways.emplace_back(way);
  if (ways.size() > 1)
    complain(problems, fields.find(ways[1])->where, "a value is read by " + join(ways, " and ") + "; expected one of them");
  std::string way = ways.empty() ? "" : ways.front();
  read_way(fields, way, out);
  fields.read("all", out.all);
  if (out.all && out.by != By::regex && out.by != By::json && out.by != By::csv)
    complain(problems, fields.find("all")->where, "all without regex, json or csv; expected one of them");
  if (out.by == By::json && !out.all && out.pattern.find("/*") != std::string::npos)
    complain(problems, fields.find("json")->where, "a pointer with * reads a list; expected all: true beside it");
  int stream = 0;
  fields.read_enum("from", stream, {"stdout", "stderr"});
  if (stream == 1 && out.from == From::out) out.from = From::err;
  if (!returns_values(how)) return out;
  out.from = From::result;
  if (ways.empty()) out.pattern = value;
  bool fits = (way.empty() || (way == "json" && std::holds_alternative<AgentRun>(how))) && !fields.find("from");
  if (!fits)
    complain(problems, fields.node().where,
             "a probe or agent check has no output to read " + (way.empty() ? "from" : way) +
                 " in; expected the value itself, or json for an agent check");
  return out;
}

/// The key of a baseline's figures. A value is held against those or against an expectation, not both.
void read_baseline(const Fields& fields, ValueSpec& value) {
  auto& where = fields.find("baseline")->where;
  fields.read("baseline", value.baseline, is_baseline_key, "a key such as gemm.bf16 or nccl.all_reduce@512MiB");
  if (value.type != ValueType::number && value.type != ValueType::integer)
    complain(fields.problems(), where, "baseline of a value that is no number; expected type: number");
  if (fields.find("expect")) complain(fields.problems(), where, "a value has expect and baseline; expected one of them");
}

ValueSpec read_value(const yaml::Entry& entry, const How& how, Problems& problems) {
  ValueSpec value;
  value.name = entry.key;
  if (!is_variable_name(entry.key))
    complain(problems, entry.where, "value name " + in_quotes(entry.key) + " is not valid; expected letters, digits and '_'");
  Fields fields(entry.value, "value " + in_quotes(entry.key),
                {"type", "unit", "expect", "regex", "json", "csv", "lines", "exit", "all", "from", "baseline"}, problems);
  fields.read_enum("type", value.type, {"boolean", "integer", "number", "version", "text"});
  fields.read("unit", value.unit);
  value.read = read_reader(fields, how, entry.key);
  if (auto expect = fields.find("expect")) value.expect = read_expectation(*expect, value.type, problems);
  if (fields.find("baseline")) read_baseline(fields, value);
  if (std::holds_alternative<ProbeRun>(how) && entry.key != "value")
    complain(problems, entry.where, "value " + in_quotes(entry.key) + " of a probe; expected only the one named 'value'");
  return value;
}

}  // namespace

std::vector<ValueSpec> read_values(const Node& node, const How& how, Problems& problems) {
  std::vector<ValueSpec> out;
  Fields fields(node, "values", {}, problems);
  if (node.kind == Node::Kind::map && node.entries.empty()) complain(problems, node.where, "values is empty; expected at least one");
  for (auto& entry : node.entries) out.push_back(read_value(entry, how, problems));
  return out;
}

}  // namespace vt
