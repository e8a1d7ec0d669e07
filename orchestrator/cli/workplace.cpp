#include "orchestrator/cli/workplace.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <set>

#include "orchestrator/baseline/load.hpp"
#include "orchestrator/model/text.hpp"
#include "providers/registry.hpp"

extern char** environ;

namespace vt {

namespace {

/// Values that still name a variable nobody set.
void collect_unset(const std::string& layer, const std::string& value, std::vector<Missing>& out) {
  for (std::size_t at = 0; (at = value.find("${env.", at)) != std::string::npos; ++at) {
    auto end = value.find('}', at);
    if (end != std::string::npos) out.push_back({value.substr(at + 6, end - at - 6) + " is not set (layer " + layer + ")"});
  }
}

void collect_layer(const LayerPlan& l, const Plan& plan, const ProviderContext& context, std::vector<Missing>& out) {
  auto& layer = *l.layer;
  for (auto& [key, values] : layer.options)
    for (auto& value : values) collect_unset(layer.name, value, out);
  for (auto& host : layer.hosts)
    for (auto& text : {host.address, host.user, host.identity, host.host_key}) collect_unset(layer.name, text, out);
  auto entry = find_provider(layer.provider);
  if (!l.can_run) out.push_back({"provider " + layer.provider + " cannot run yet in this version (layer " + layer.name + ")", false});
  if (entry)
    for (auto& name : entry->make(context)->needs_environment())
      if (context.cloud.environment(name).empty()) out.push_back({name + " is not set (layer " + layer.name + ")"});
  if (context.cloud.rehearsal) return;  // its secrets are made up
  for (auto& planned : l.checks)
    for (auto& secret : planned.check->secrets)
      if (std::find(plan.secrets.begin(), plan.secrets.end(), secret) == plan.secrets.end() || !std::getenv(secret.c_str()))
        out.push_back({"secret " + secret + " is not set (check " + planned.check->id + ")"});
  for (auto& secret : plan.secrets)
    if (auto value = std::getenv(secret.c_str()); value && std::string_view(value).size() < kShortestSecret)
      out.push_back({"secret " + secret + " is shorter than " + std::to_string(kShortestSecret) + " characters and could not be masked"});
}

}  // namespace

namespace {

std::string catalogue_folder(const CommandLine& line) { return line.catalogue.empty() ? default_catalogue_folder() : line.catalogue; }

Error all_of(const Problems& problems) {
  std::vector<std::string> lines;
  for (auto& problem : problems) lines.push_back(problem.text());
  return {Errc::config, join(lines, "\n")};
}

}  // namespace

std::string own_baselines(const CommandLine& line) { return line.state_dir + "/baselines"; }

Result<Baselines> read_baselines(const CommandLine& line) {
  auto loaded = load_baselines({catalogue_folder(line) + "/baselines", own_baselines(line)});
  if (!loaded.problems.empty()) return fail(all_of(loaded.problems));
  return std::move(loaded.baselines);
}

Result<LastMeasurements> read_measurements(const CommandLine& line) {
  auto loaded = load_measurements(catalogue_folder(line) + "/measured.yaml");
  if (!loaded.problems.empty()) return fail(all_of(loaded.problems));
  return std::move(loaded.last);
}

std::variant<LoadedCatalogue, int> read_catalogue(const CommandLine& line) {
  auto folder = catalogue_folder(line);
  auto loaded = load_catalogue(folder);
  if (!loaded.problems.empty()) return refuse(loaded.problems);
  if (loaded.catalogue.checks.empty())
    return refuse(Error{Errc::config, "no checks found in '" + folder + "'; --catalogue names the folder that holds checks/ and suites/"});
  return loaded;
}

std::variant<Plan, int> read_plan(const CommandLine& line, const Catalogue& catalogue) {
  auto environment = process_environment();
  auto loaded = load_plan({line.plan, line.set, environment}, catalogue, provider_schemas());
  if (!line.rehearse.empty() && loaded.problems.empty() && !loaded.plan.missing.empty()) {
    for (auto& name : loaded.plan.missing) environment[name] = "rehearsal";  // nobody has an account for a rehearsal
    loaded = load_plan({line.plan, line.set, environment}, catalogue, provider_schemas());
  }
  if (!loaded.problems.empty()) return refuse(loaded.problems);
  return std::move(loaded.plan);
}

std::vector<ProviderSchema> provider_schemas() {
  std::vector<ProviderSchema> out;
  for (auto& entry : provider_registry()) out.push_back({entry.name, entry.options});
  return out;
}

std::map<std::string, std::string> process_environment() {
  std::map<std::string, std::string> out;
  for (char** at = environ; *at; ++at) {
    std::string pair(*at);
    if (auto equals = pair.find('='); equals != std::string::npos) out[pair.substr(0, equals)] = pair.substr(equals + 1);
  }
  return out;
}

std::map<std::string, Offer> offers_for(const Plan& plan, const ProviderContext& context) {
  std::map<std::string, Offer> out;
  for (auto& layer : plan.layers) {
    auto entry = find_provider(layer.provider);
    if (!entry) continue;
    auto provider = entry->make(context);
    Quote quote = provider->quote(layer);
    Offer offer{provider->predict(layer), quote.hourly, quote.known, entry->can_run, quote.market, quote.start_low, quote.start_high};
    for (auto& [id, value] : layer.declares)
      if (auto fact = offer.capabilities.find(id); !fact || !fact->value)
        offer.capabilities.set({id, value, "declared in the plan", FactOrigin::declared, {}});
    out[layer.name] = std::move(offer);
  }
  return out;
}

std::vector<Missing> missing_to_run(const Plan& plan, const RunPlan& run_plan, const ProviderContext& context) {
  std::vector<Missing> out;
  for (auto& l : run_plan.layers) collect_layer(l, plan, context, out);
  std::sort(out.begin(), out.end(), [](auto& a, auto& b) { return a.what < b.what; });
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

Result<std::unique_ptr<Store>> existing_store(const CommandLine& line, const Clock& clock) {
  auto store = Store::open_existing(line.state_dir, clock);
  if (!store && store.error().code == Errc::not_found)
    return fail(Errc::usage, "no runs yet in " + line.state_dir + "; start with: vault-test run plans/quickstart.yaml");
  return store;
}

Result<std::unique_ptr<Ledger>> existing_ledger(const CommandLine& line, const Clock& clock) {
  std::error_code ignored;
  auto folder = ledger_folder(line);
  if (!std::filesystem::exists(folder + "/ledger.db", ignored)) return fail(Errc::not_found, "no ledger in " + folder);
  return Ledger::open(folder, clock);
}

Context make_context(Store& store, Ledger& ledger, const Clock& clock, StopFlag& stop, Clouds& clouds) {
  std::set<std::string> accounts;
  if (auto rows = ledger.all())
    for (auto& row : *rows)
      if (!row.account.empty()) accounts.insert(row.account);
  clouds.context.accounts.assign(accounts.begin(), accounts.end());
  clouds.context.cloud.stopped = [&stop] { return stop.requested(); };
  clouds.context.cloud.urgent = [&stop] { return stop.urgent(); };
  Context context{store, ledger, clock, stop, AgentBinaries::beside_this_program(), {}, {}, {}, connect, {}, {}};
  context.provider = [&clouds](const std::string& name) { return clouds.provider(name); };
  context.rehearsal = clouds.rehearsal();
  for (auto& entry : provider_registry()) {
    auto provider = clouds.provider(entry.name);
    if (provider && !provider->existing_hosts()) context.creating_providers.emplace_back(entry.name);
  }
  return context;
}

int refuse(const Problems& problems) {
  for (auto& problem : problems) std::fprintf(stderr, "%s\n", printable(problem.text()).c_str());
  std::fprintf(stderr, "%zu problem%s; nothing was touched\n", problems.size(), problems.size() == 1 ? "" : "s");
  return 2;
}

int refuse(const Error& error) {
  std::fprintf(stderr, "vault-test: %s\n", printable(error.what).c_str());
  if (error.code == Errc::usage || error.code == Errc::config || error.code == Errc::not_found) return 2;
  return error.code == Errc::cancelled ? 130 : 3;
}

bool use_colour(const CommandLine& line, int fd) {
  if (line.colour != CommandLine::Colour::automatic) return line.colour == CommandLine::Colour::always;
  auto term = std::getenv("TERM");
  return isatty(fd) != 0 && !std::getenv("NO_COLOR") && term && std::string_view(term) != "dumb";
}

std::size_t terminal_width(int fd) {
  winsize size{};
  if (ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col >= 40) return size.ws_col;
  return 100;
}

bool print(const std::string& text) { return std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0; }

}  // namespace vt
