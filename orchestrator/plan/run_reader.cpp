#include "orchestrator/model/capability_ids.hpp"
#include "orchestrator/model/text.hpp"
#include "orchestrator/plan/check_reader.hpp"

namespace vt {

namespace {

using yaml::Fields;
using yaml::Node;

ProbeRun read_probe(const Fields& fields) {
  ProbeRun run;
  fields.read("probe", run.fact);
  if (run.fact.empty() || capability_type(run.fact)) return run;
  std::vector<std::string> ids;
  for (auto& known : known_capabilities()) ids.emplace_back(known.id);
  complain(fields.problems(), fields.find("probe")->where,
           "no capability " + in_quotes(run.fact) + "; expected a capability id" + nearest_hint(run.fact, ids));
  return run;
}

AgentRun read_agent(const Fields& fields) {
  AgentRun run;
  fields.read("agent", run.name);
  auto args = fields.find("args");
  if (!args) return run;
  Fields map(*args, "args", {}, fields.problems());
  for (auto& entry : args->entries) run.args[entry.key] = read_argument(entry.value, fields.problems());
  return run;
}

CommandRun read_command(const Fields& fields) {
  CommandRun run;
  auto node = fields.find("command");
  if (node->kind != Node::Kind::list || node->items.empty()) {
    complain(fields.problems(), node->where, "command" + is_what(*node) + "; expected a program and its arguments, [uname, -r]");
    return run;
  }
  for (auto& item : node->items) run.argv.push_back(yaml::scalar(item, "a program or argument", fields.problems()));
  if (node->items.front().kind == Node::Kind::scalar && run.argv.front().empty())
    complain(fields.problems(), node->items.front().where, "the program's name is empty; expected a name");
  return run;
}

ScriptRun read_script(const Fields& fields) {
  ScriptRun run;
  fields.read("script", run.text);
  fields.read("interpreter", run.interpreter);
  return run;
}

}  // namespace

Value read_argument(const Node& node, Problems& problems) {
  if (node.kind == Node::Kind::list) {
    Value::List list;
    for (auto& item : node.items) list.push_back(read_argument(item, problems));
    return list;
  }
  auto text = yaml::scalar(node, "a value or a list of values", problems);
  if (!node.plain) return text;
  if (text == "true" || text == "false") return text == "true";
  if (auto integer = read_as(ValueType::integer, text); !integer.is_null()) return integer;
  if (auto number = read_as(ValueType::number, text); !number.is_null()) return number;
  return text;
}

How read_run(const Node& node, Problems& problems) {
  static const std::vector<std::string> forms{"probe", "agent", "command", "script"};
  Fields fields(node, "run", {"probe", "agent", "command", "script", "args", "interpreter"}, problems);
  std::vector<std::string> given;
  for (auto& form : forms)
    if (fields.find(form)) given.push_back(form);
  if (given.size() != 1) {
    if (node.kind == Node::Kind::map)
      complain(problems, node.where,
               "run has " + (given.empty() ? "none" : join(given, " and ")) + "; expected exactly one of " + join(forms, ", "));
    return ProbeRun{};
  }
  auto belongs = [&](const char* key, const std::string& form) {
    if (auto extra = fields.find(key); extra && given.front() != form)
      complain(problems, extra->where, std::string(key) + " with " + given.front() + "; expected it with " + form + " only");
  };
  belongs("args", "agent");
  belongs("interpreter", "script");
  if (given.front() == "probe") return read_probe(fields);
  if (given.front() == "agent") return read_agent(fields);
  if (given.front() == "command") return read_command(fields);
  return read_script(fields);
}

}  // namespace vt
