#pragma once
#include <map>
#include <string>
#include <vector>

#include "orchestrator/model/check.hpp"
#include "orchestrator/model/plan.hpp"
#include "orchestrator/plan/schema.hpp"

namespace vt {

struct PlanInput {
  std::string path;
  std::map<std::string, std::string> set;          ///< --set k=v, replaces vars
  std::map<std::string, std::string> environment;  ///< what ${env.X} sees; secrets are looked up by presence only
};

struct LoadedPlan {
  Plan plan;
  Problems problems;  ///< all of them, in file order; non-empty means the plan must not be used
};
/// Reads, guards, parses and validates a plan against the catalogue and the providers. Touches nothing but the files.
LoadedPlan load_plan(const PlanInput&, const Catalogue&, const std::vector<ProviderSchema>&);
/// The same for a resolved plan kept in the store (no includes, no files).
LoadedPlan load_resolved(const std::string& text, const std::string& name, const Catalogue&, const std::vector<ProviderSchema>&);

struct LoadedCatalogue {
  Catalogue catalogue;
  Problems problems;
  std::string text;  ///< all files as one multi-part text; parse_catalogue() reads it again (for resume)
};
/// Reads every checks/*.yaml and suites/*.yaml below `folder`, in name order.
LoadedCatalogue load_catalogue(const std::string& folder);
LoadedCatalogue parse_catalogue(const std::string& text);
/// The catalogue folder: $VAULT_TEST_CATALOGUE, beside the program's source tree, or the installed share/vault-test/plans.
std::string default_catalogue_folder();

}  // namespace vt
