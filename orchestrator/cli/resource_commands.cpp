#include <cstdio>
#include <nlohmann/json.hpp>

#include "orchestrator/cli/commands.hpp"
#include "orchestrator/cli/signals.hpp"
#include "orchestrator/cli/workplace.hpp"
#include "orchestrator/engine/lifecycle.hpp"
#include "orchestrator/engine/reap.hpp"
#include "orchestrator/model/text.hpp"

namespace vt {

namespace {

constexpr int kStillOpen = 5;

nlohmann::json resource_json(const Resource& r) {
  return {{"name", r.owner.name},
          {"provider", r.provider},
          {"kind", r.kind},
          {"state", name(r.state)},
          {"run", r.run},
          {"layer", r.layer},
          {"created", utc_text(r.created)},
          {"lease_until", utc_text(r.lease_until)},
          {"hourly_microusd", r.hourly.micro},
          {"keep", r.keep},
          {"in_use", Ledger::holder_alive(r)},
          {"reason", r.reason}};
}

std::string resource_line(const Resource& r) {
  std::string state = std::string(name(r.state)) + (r.keep ? ", kept" : Ledger::holder_alive(r) ? ", in use" : "");
  return r.owner.name + "  " + r.provider + "  " + state + "  run " + r.run + "/" + r.layer + "  " + r.hourly.text() + "/h  lease until " +
         utc_text(r.lease_until) + "\n";
}

/// Databases and a context, for commands that change resources.
struct Hands {
  SystemClock clock;
  std::unique_ptr<Store> store;
  std::unique_ptr<Ledger> ledger;
  Clouds clouds;
  std::unique_ptr<Context> context;
};

Result<std::unique_ptr<Hands>> open_hands(const CommandLine& line) {
  auto hands = std::make_unique<Hands>();
  VT_TRY(hands->ledger, existing_ledger(line, hands->clock));
  VT_TRY(hands->store, Store::open(line.state_dir, hands->clock));
  VT_TRY(hands->clouds, open_clouds(line, hands->clock));
  hands->context = std::make_unique<Context>(make_context(*hands->store, *hands->ledger, hands->clock, stop_on_signals(), hands->clouds));
  return hands;
}

int nothing_open(const CommandLine& line) { return print(line.json ? "[]\n" : "nothing is open\n") ? 0 : 3; }

constexpr int kNoLimit = 1'000'000;

ReapOrder reap_order(const CommandLine& line) {
  ReapOrder order{line.dry_run};
  if (line.yes) order.most = kNoLimit;
  return order;
}

int tell(const ReapReport& report) {
  for (auto& text : report.lines) print(printable(text) + "\n");
  print(std::to_string(report.released) + " released, " + std::to_string(report.left) + " left\n");
  return report.left > 0 ? kStillOpen : 0;
}

int write_key(const CommandLine& line, const Ledger& ledger) {
  if (auto written = write_install_key(line.write_key, ledger.key()); !written) return refuse(written.error());
  print("the key of this installation is in " + line.write_key +
        "; whoever has it can mark things as ours. Elsewhere: vault-test reap --stateless --key FILE\n");
  return 0;
}

/// For a cron job elsewhere: no ledger, only the key and the providers' credentials.
int sweep_without_ledger(const CommandLine& line) {
  if (line.key_file.empty())
    return refuse(Error{Errc::usage, "--stateless needs --key FILE; make one with: vault-test reap --write-key FILE"});
  auto key = read_install_key(line.key_file);
  if (!key) return refuse(key.error());
  SystemClock clock;
  auto clouds = open_clouds(line, clock);
  if (!clouds) return refuse(clouds.error());
  clouds->context.accounts = line.accounts;
  std::vector<std::unique_ptr<Provider>> owned;
  std::vector<Provider*> providers;
  for (auto& name : line.providers.empty() ? std::vector<std::string>{"gcp", "runpod"} : line.providers) {
    auto provider = clouds->provider(name);
    if (!provider) return refuse(Error{Errc::usage, "--provider " + name + ": expected gcp or runpod"});
    providers.push_back(owned.emplace_back(std::move(provider)).get());
  }
  return tell(reap_stateless(*key, providers, clock, stop_on_signals(), reap_order(line)));
}

Status release_named(Hands& hands, const std::string& wanted) {
  VT_TRY(std::optional<Resource> row, hands.ledger->find(wanted));
  if (!row) return fail(Errc::usage, "no resource '" + wanted + "'; see `vault-test resources`");
  if (!is_open(row->state)) return fail(Errc::usage, wanted + " is " + std::string(name(row->state)) + " already");
  if (row->owner.install != hands.ledger->key().install)
    return fail(Errc::usage, wanted + " belongs to another installation: this ledger was copied; release it there");
  if (Ledger::holder_alive(*row)) return fail(Errc::usage, wanted + " is in use by a running vault-test");
  auto provider = hands.context->provider(row->provider);
  if (!provider) return fail(Errc::usage, "provider " + row->provider + " is unknown to this version");
  VT_CHECK(hands.ledger->take_over(wanted));
  return release(*hands.context, *provider, wanted);
}

}  // namespace

int resources_command(const CommandLine& line) {
  SystemClock clock;
  auto ledger = existing_ledger(line, clock);
  if (!ledger) return ledger.error().code == Errc::not_found ? nothing_open(line) : refuse(ledger.error());
  auto rows = line.all ? (*ledger)->all() : (*ledger)->open_resources();
  if (!rows) return refuse(rows.error());
  auto list = nlohmann::json::array();
  std::string out;
  bool open = false;
  for (auto& row : *rows) list.push_back(resource_json(row)), out += resource_line(row), open |= is_open(row.state);
  if (rows->empty()) return nothing_open(line);
  print(line.json ? list.dump(2, ' ', true, nlohmann::json::error_handler_t::replace) + "\n" : out);
  return open ? kStillOpen : 0;
}

int reap_command(const CommandLine& line) {
  if (line.stateless) return sweep_without_ledger(line);
  auto hands = open_hands(line);
  bool no_ledger = !hands && hands.error().code == Errc::not_found;
  if (no_ledger && line.write_key.empty()) return nothing_open(line);
  if (!hands) return refuse(hands.error());
  if (!line.write_key.empty()) return write_key(line, *(*hands)->ledger);
  auto report = reap(*(*hands)->context, reap_order(line));
  return report ? tell(*report) : refuse(report.error());
}

int release_command(const CommandLine& line) {
  auto hands = open_hands(line);
  if (!hands) return refuse(hands.error());
  Status released = release_named(**hands, line.name);
  if (!released) {
    refuse(released.error());
    return released.error().code == Errc::usage ? 2 : kStillOpen;
  }
  print(line.name + ": gone\n");
  return 0;
}

}  // namespace vt
