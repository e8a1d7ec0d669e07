#include <algorithm>

#include "orchestrator/plan/include.hpp"
#include "orchestrator/plan/load.hpp"
#include "orchestrator/plan/paths.hpp"
#include "orchestrator/plan/plan_context.hpp"
#include "orchestrator/plan/problems.hpp"
#include "orchestrator/plan/variables.hpp"
#include "orchestrator/plan/yaml_reader.hpp"
#include "orchestrator/plan/yaml_writer.hpp"

namespace vt {

namespace {

using yaml::Node;

PlanContext make_context(const Catalogue& catalogue, const std::vector<ProviderSchema>& providers, Problems& problems) {
  PlanContext context{catalogue, providers, {}, {}, problems};
  for (auto& check : catalogue.checks) context.check_ids.push_back(check.id);
  for (auto& suite : catalogue.suites) context.suite_ids.push_back(suite.id);
  return context;
}

/// The tree without what has been used up, as text. What is too large to be read back is a problem now, not at resume.
std::string resolve(Node tree, const std::string& file, Problems& problems) {
  auto used_up = [](auto& entry) { return entry.key == "vars" || entry.key == "include"; };
  tree.entries.erase(std::remove_if(tree.entries.begin(), tree.entries.end(), used_up), tree.entries.end());
  auto text = yaml::write(tree);
  Problems limits;
  if (!yaml::read_text(text, file, limits))
    complain(problems, {file, 0, 0}, "with its includes and variables the plan is " + limits.front().what);
  return text;
}

/// From the merged tree on, a plan from files and a resolved one are read alike.
LoadedPlan read_tree(Node tree, const VariableInput& input, PlanContext& context) {
  LoadedPlan out;
  auto use = substitute(tree, input, context.problems);
  make_paths_absolute(tree, input.environment, context.problems);
  out.plan = read_plan(tree, context);
  out.plan.path = input.file;
  out.plan.environment.assign(use.used.begin(), use.used.end());
  out.plan.missing.assign(use.unset.begin(), use.unset.end());
  if (context.problems.empty()) out.plan.resolved = resolve(std::move(tree), input.file, context.problems);
  return out;
}

}  // namespace

LoadedPlan load_plan(const PlanInput& input, const Catalogue& catalogue, const std::vector<ProviderSchema>& providers) {
  LoadedPlan out;
  Problems problems;
  std::vector<std::string> files;
  if (auto tree = read_with_includes(input.path, files, problems)) {
    auto context = make_context(catalogue, providers, problems);
    out = read_tree(std::move(*tree), {input.set, input.environment, input.path}, context);
    for (auto& secret : out.plan.secrets)
      if (!input.environment.count(secret)) out.plan.missing.push_back(secret);
  }
  out.plan.path = input.path;
  sort_problems(problems, files);
  out.problems = std::move(problems);
  return out;
}

LoadedPlan load_resolved(const std::string& text, const std::string& name, const Catalogue& catalogue,
                         const std::vector<ProviderSchema>& providers) {
  LoadedPlan out;
  Problems problems;
  if (auto tree = yaml::read_text(text, name, problems)) {
    auto is_include = [](auto& entry) { return entry.key == "include"; };
    if (auto include = std::find_if(tree->entries.begin(), tree->entries.end(), is_include); include != tree->entries.end())
      complain(problems, include->where, "include in a stored plan; expected one self-contained text");
    auto context = make_context(catalogue, providers, problems);
    out = read_tree(std::move(*tree), {{}, {}, name}, context);
  }
  out.plan.path = name;
  sort_problems(problems, {name});
  out.problems = std::move(problems);
  return out;
}

}  // namespace vt
