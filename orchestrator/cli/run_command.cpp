#include "orchestrator/cli/commands.hpp"
#include "orchestrator/cli/start_run.hpp"
#include "orchestrator/cli/workplace.hpp"

namespace vt {

int run_command(const CommandLine& line) {
  auto catalogue = read_catalogue(line);
  if (auto code = std::get_if<int>(&catalogue)) return *code;
  auto& loaded = std::get<LoadedCatalogue>(catalogue);
  auto plan = read_plan(line, loaded.catalogue);
  if (auto code = std::get_if<int>(&plan)) return *code;
  return start_run(line, {std::get<Plan>(std::move(plan)), std::move(loaded)});
}

int resume_command(const CommandLine& line) { return continue_run(line); }

}  // namespace vt
