#include "orchestrator/plan/check_reader.hpp"

#include "orchestrator/model/capability_ids.hpp"
#include "orchestrator/model/text.hpp"
#include "orchestrator/plan/scalars.hpp"

namespace vt {

namespace {

using yaml::Fields;
using yaml::Node;

Requirement read_requirement(const Node& node, Problems& problems) {
  std::vector<std::string> parts, ids;
  for (auto& known : known_capabilities()) ids.emplace_back(known.id);
  for (auto item : yaml::scalars(node, "a capability expression", problems)) {
    auto part = Requirement::parse(item->text);
    if (!part) {
      complain(problems, item->where, part.error().what);
      continue;
    }
    parts.push_back(item->text);
    for (auto& id : part->ids())
      if (!capability_type(id))
        complain(problems, item->where, "no capability " + in_quotes(id) + "; expected a capability id" + nearest_hint(id, ids));
  }
  auto all = Requirement::parse(join(parts, ", "));
  return all ? std::move(all).take() : Requirement();
}

LogSource read_log(const Node& node, Problems& problems) {
  if (node.kind == Node::Kind::scalar && node.text == "kernel") return {};
  bool one = node.kind == Node::Kind::map && node.entries.size() == 1;
  if (!one || (node.entries[0].key != "journal" && node.entries[0].key != "file")) {
    complain(problems, node.where, "not a log; expected kernel, {journal: UNIT} or {file: /PATH}");
    return {};
  }
  auto& entry = node.entries[0];
  LogSource log{entry.key == "file" ? LogSource::Kind::file : LogSource::Kind::journal,
                yaml::scalar(entry.value, "the name of a unit or file", problems)};
  if (log.kind == LogSource::Kind::file && entry.value.kind == Node::Kind::scalar && (log.name.empty() || log.name.front() != '/'))
    complain(problems, entry.value.where, "log file " + in_quotes(log.name) + " is not absolute; expected a path that begins with '/'");
  if (log.kind == LogSource::Kind::journal && (log.name.empty() || log.name.front() == '-'))
    complain(problems, entry.value.where, "unit " + in_quotes(log.name) + " is not a name; expected for example docker");
  return log;
}

std::vector<LogSource> read_logs(const Node& node, Problems& problems) {
  std::vector<LogSource> out;
  if (node.kind != Node::Kind::list) return {read_log(node, problems)};
  for (auto& item : node.items) out.push_back(read_log(item, problems));
  return out;
}

void read_environment(const Fields& fields, Check& check) {
  auto& problems = fields.problems();
  if (auto secrets = fields.find("secrets"))
    for (auto item : yaml::scalars(*secrets, "the name of a secret", problems)) {
      check.secrets.push_back(item->text);
      if (!is_secret_name(item->text))
        complain(problems, item->where, "secret " + in_quotes(item->text) + " is not a name; expected [A-Z][A-Z0-9_]*");
    }
  auto environment = fields.find("environment");
  if (!environment) return;
  Fields map(*environment, "environment", {}, problems);
  for (auto& entry : environment->entries) {
    if (!is_variable_name(entry.key))
      complain(problems, entry.where,
               "environment variable " + in_quotes(entry.key) + " is not a valid name; expected letters, digits and '_'");
    check.environment[entry.key] = yaml::scalar(entry.value, "text", problems);
  }
}

void read_when(const Fields& fields, Check& check) {
  fields.read_enum("severity", check.severity, {"gate", "warn", "info"});
  fields.read_enum("scope", check.scope, {"orchestrator", "image", "layer", "host", "gpu", "pair", "group"});
  fields.read_enum("level", check.level, {"quick", "standard", "full"});
  if (auto needs = fields.find("requires")) check.needs = read_requirement(*needs, fields.problems());
  fields.read("after", check.after);
  fields.read("timeout", check.timeout);
  fields.read("typical", check.typical);
  fields.read("detached", check.detached);
  fields.read("disruptive", check.disruptive);
  fields.read("root", check.root);
}

/// What the agent tells of each GPU of every check that runs on them, besides what the check measures. Only such checks have `health`.
void add_circumstances(Check& check) {
  if (!std::holds_alternative<AgentRun>(check.how) || !check.value("health")) return;
  for (std::string name : {"rung", "conditions"}) {
    if (check.value(name)) continue;
    ValueSpec spec;
    spec.name = name, spec.read = {Reader::From::result, Reader::By::json, "/" + name, true};
    check.values.push_back(spec);
  }
}

}  // namespace

Check read_check(const Node& node, Problems& problems) {
  static const std::vector<std::string> keys{
      "id",       "title",      "why",  "requirement", "severity",    "scope",  "level", "requires", "after", "run",  "timeout", "typical",
      "detached", "disruptive", "root", "secrets",     "environment", "values", "do",    "logs",     "cpu",   "burn", "levels"};
  Check check;
  check.where = node.where;
  Fields fields(node, "a check", keys, problems);
  fields.need("id");
  fields.need("title");
  fields.read("id", check.id, is_check_id, "[a-z0-9_]+(\\.[a-z0-9_]+)+, for example os.kernel");
  fields.read("title", check.title);
  fields.read("why", check.why);
  fields.read("requirement", check.requirement);
  read_when(fields, check);
  if (auto run = fields.need("run")) check.how = read_run(*run, problems);
  read_tuning(fields, check);
  read_environment(fields, check);
  if (auto values = fields.need("values")) check.values = read_values(*values, check.how, problems);
  add_circumstances(check);
  fields.read("do", check.remedy);
  if (auto logs = fields.find("logs")) check.logs = read_logs(*logs, problems);
  return check;
}

}  // namespace vt
