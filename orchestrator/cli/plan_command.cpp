#include <unistd.h>

#include "orchestrator/cli/commands.hpp"
#include "orchestrator/cli/forecast.hpp"
#include "orchestrator/cli/workplace.hpp"
#include "orchestrator/engine/subject.hpp"

namespace vt {

namespace {

/// A subject that cannot be looked at is missing to run, not a reason to plan nothing.
void look_at_subject(const Plan& plan, Forecast& forecast) {
  if (!plan.subject) return;
  auto subject = read_subject({plan.subject->git, false});
  if (!subject) return forecast.missing.push_back(subject.error().what);
  forecast.subject = *subject;
  if (plan.subject->require_clean && subject->dirty)
    forecast.missing.push_back("a clean subject: " + subject->path + " has uncommitted changes");
}

}  // namespace

int plan_command(const CommandLine& line) {
  auto catalogue = read_catalogue(line);
  if (auto code = std::get_if<int>(&catalogue)) return *code;
  auto& loaded = std::get<LoadedCatalogue>(catalogue);
  auto read = read_plan(line, loaded.catalogue);
  if (auto code = std::get_if<int>(&read)) return *code;
  auto& plan = std::get<Plan>(read);
  SystemClock clock;
  auto clouds = line.online ? open_clouds(line, clock) : predicting_clouds(line, clock);
  if (!clouds) return refuse(clouds.error());
  auto& context = clouds->context;
  auto offers = offers_for(plan, context);
  auto run_plan = make_run_plan(plan, loaded.catalogue, offers, line.selection);
  if (!run_plan) return refuse(run_plan.error());
  Forecast forecast{plan, *run_plan, {}, {}, {}};
  if (line.online) {
    forecast.online = ask_online(*clouds, *run_plan);
    apply_prices(*forecast.online, offers);
    if (auto priced = make_run_plan(plan, loaded.catalogue, offers, line.selection)) *run_plan = std::move(priced).take();
  }
  for (auto& missing : missing_to_run(plan, *run_plan, context)) forecast.missing.push_back(missing.what);
  look_at_subject(plan, forecast);
  return print(line.json ? forecast_json(forecast)
                         : forecast_text(forecast, {terminal_width(STDOUT_FILENO), use_colour(line, STDOUT_FILENO)})) &&
                 !(forecast.online && stops(*forecast.online))
             ? 0
             : 3;
}

}  // namespace vt
