#pragma once
#include <string>
#include <vector>

#include "orchestrator/model/check.hpp"
#include "orchestrator/model/plan.hpp"
#include "orchestrator/plan/node.hpp"
#include "orchestrator/plan/schema.hpp"

namespace vt {

/// What plans are checked against.
struct PlanContext {
  const Catalogue& catalogue;
  const std::vector<ProviderSchema>& providers;
  std::vector<std::string> check_ids, suite_ids;  ///< of the catalogue
  Problems& problems;
};

/// Names of the catalogue in a list; unknown ones are problems at their place.
std::vector<std::string> read_checks(const yaml::Node&, PlanContext&);
/// `expect` of a plan or layer: "check.id" or "check.id/value" -> what it must be.
Expectations read_expectations(const yaml::Node&, PlanContext&);
/// `params` of a layer: arguments of agent checks in place of the catalogue's.
Params read_params(const yaml::Node&, PlanContext&);
Budget read_budget(const yaml::Node&, PlanContext&);
std::vector<HostSpec> read_hosts(const yaml::Node&, const std::string& provider, PlanContext&);
/// Keys every provider accepts beside its own: how the image is built and configured.
const std::vector<std::string>& runner_keys();
/// The keys of a layer that are not `common`: checked against the provider's list and flattened.
Options read_options(const yaml::Node& layer, const std::vector<std::string>& common, const std::string& provider, PlanContext&);
/// One layer. Its `expect` is put over `shared`.
Layer read_layer(const yaml::Entry&, const Expectations& shared, PlanContext&);
/// Gates name other layers, and no layer waits for itself, directly or not.
void check_gates(const yaml::Node& layers, const std::vector<Layer>&, PlanContext&);
/// The whole plan from its merged, substituted tree. Leaves path, environment, missing and resolved empty.
Plan read_plan(const yaml::Node&, PlanContext&);

}  // namespace vt
