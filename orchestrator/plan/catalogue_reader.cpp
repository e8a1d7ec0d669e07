#include "orchestrator/plan/catalogue_reader.hpp"

#include <algorithm>
#include <map>

#include "orchestrator/model/text.hpp"
#include "orchestrator/plan/check_reader.hpp"
#include "orchestrator/plan/cycles.hpp"
#include "orchestrator/plan/scalars.hpp"

namespace vt {

namespace {

using yaml::Fields;
using yaml::Node;

Suite read_suite(const Node& node, Problems& problems) {
  Suite suite;
  suite.where = node.where;
  Fields fields(node, "a suite", {"id", "title", "checks"}, problems);
  fields.need("id");
  fields.need("title");
  fields.read("id", suite.id, is_plain_name, "[a-z0-9][a-z0-9._-]{0,62}");
  fields.read("title", suite.title);
  if (fields.need("checks")) fields.read("checks", suite.checks);
  if (auto checks = fields.find("checks"); checks && checks->kind == Node::Kind::list && checks->items.empty())
    complain(problems, checks->where, "the suite has no checks; expected at least one");
  return suite;
}

/// The rows below `key` ("checks" or "suites").
template <class Read>
void read_rows(const Node& file, const std::string& key, Problems& problems, Read read) {
  Fields fields(file, "the file", {"vault-test-" + key, key}, problems);
  int version = 1;
  fields.read("vault-test-" + key, version, 1, 1);
  auto rows = fields.need(key);
  if (!rows) return;
  if (rows->kind != Node::Kind::list) return complain(problems, rows->where, key + is_what(*rows) + "; expected a list");
  for (auto& row : rows->items) read(row);
}

template <class Row>
void check_unique(const std::vector<Row>& rows, const std::string& what, Problems& problems) {
  std::map<std::string, const Row*> seen;
  for (auto& row : rows) {
    auto [first, is_new] = seen.emplace(row.id, &row);
    if (is_new || row.id.empty()) continue;
    auto& where = first->second->where;
    complain(problems, row.where,
             what + " " + in_quotes(row.id) + " is there twice, first at " + where.file + ":" + std::to_string(where.line) +
                 "; expected unique ids");
  }
}

}  // namespace

void read_catalogue_file(const Node& file, Catalogue& out, Problems& problems) {
  if (file.kind == Node::Kind::map && file.find("vault-test-checks"))
    read_rows(file, "checks", problems, [&](auto& row) { out.checks.push_back(read_check(row, problems)); });
  else if (file.kind == Node::Kind::map && file.find("vault-test-suites"))
    read_rows(file, "suites", problems, [&](auto& row) { out.suites.push_back(read_suite(row, problems)); });
  else complain(problems, file.where, "neither checks nor suites; expected the key vault-test-checks: 1 or vault-test-suites: 1");
}

void check_catalogue(const Catalogue& catalogue, Problems& problems) {
  check_unique(catalogue.checks, "check", problems);
  check_unique(catalogue.suites, "suite", problems);
  std::vector<std::string> ids;
  for (auto& check : catalogue.checks) ids.push_back(check.id);
  auto must_exist = [&](const std::string& id, const SourceLocation& where, const std::string& user) {
    if (std::find(ids.begin(), ids.end(), id) == ids.end())
      complain(problems, where,
               user + " names check " + in_quotes(id) + ", which is not there; expected a check id" + nearest_hint(id, ids));
  };
  Graph graph;
  for (auto& check : catalogue.checks) {
    graph[check.id] = check.after;
    for (auto& id : check.after) must_exist(id, check.where, "after of " + check.id);
  }
  for (auto& suite : catalogue.suites)
    for (auto& id : suite.checks) must_exist(id, suite.where, "suite " + suite.id);
  for (auto& cycle : cycles(graph))
    complain(problems, catalogue.check(cycle.front())->where, "checks wait for each other: " + join(cycle, " -> ") + "; expected no cycle");
}

}  // namespace vt
