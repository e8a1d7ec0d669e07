#pragma once
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "orchestrator/baseline/measured.hpp"
#include "orchestrator/cli/clouds.hpp"
#include "orchestrator/cli/command_line.hpp"
#include "orchestrator/engine/context.hpp"
#include "orchestrator/model/check.hpp"
#include "orchestrator/plan/load.hpp"
#include "orchestrator/planner/run_plan.hpp"

namespace vt {

/// What commands share: catalogue, providers, databases. Each function says on standard error what is wrong.

/// The catalogue, or the exit code after its problems were printed.
std::variant<LoadedCatalogue, int> read_catalogue(const CommandLine&);
/// The shipped baselines and the user's own; Errc::config with all of their problems.
Result<Baselines> read_baselines(const CommandLine&);
/// Where the user's own are.
std::string own_baselines(const CommandLine&);
/// Where each check was last run on hardware.
Result<LastMeasurements> read_measurements(const CommandLine&);
std::variant<Plan, int> read_plan(const CommandLine&, const Catalogue&);
std::vector<ProviderSchema> provider_schemas();
std::map<std::string, std::string> process_environment();

/// What each layer's provider says without asking anybody.
std::map<std::string, Offer> offers_for(const Plan&, const ProviderContext&);
/// Something that is missing to run a layer.
struct Missing {
  std::string what;   ///< "GCP_PROJECT is not set (layer gcp-image)"
  bool stops = true;  ///< false: the other layers can run all the same
  bool operator==(const Missing&) const = default;
};
/// Environment variables, secrets and providers that are missing to run these layers; sorted.
std::vector<Missing> missing_to_run(const Plan&, const RunPlan&, const ProviderContext&);

Result<std::unique_ptr<Store>> existing_store(const CommandLine&, const Clock&);
/// The ledger if there is one; never creates it.
Result<std::unique_ptr<Ledger>> existing_ledger(const CommandLine&, const Clock&);

/// An engine context on opened databases; the clouds outlive it.
Context make_context(Store&, Ledger&, const Clock&, StopFlag&, Clouds&);

/// Prints problems, one per line, and gives exit code 2.
int refuse(const Problems&);
/// Prints the error and gives the exit code that belongs to it.
int refuse(const Error&);

/// Whether to colour what goes to this stream.
bool use_colour(const CommandLine&, int fd);
std::size_t terminal_width(int fd);
/// Writes all of it to standard output; false if nobody reads any more.
bool print(const std::string&);

}  // namespace vt
