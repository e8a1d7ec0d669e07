#include "remote-agent/probing.hpp"

#include <signal.h>

#include <nlohmann/json.hpp>

#include "remote-agent/lines.hpp"
#include "remote-agent/probe/probe.hpp"
#include "remote-agent/probe/table.hpp"
#include "remote-agent/processes.hpp"
#include "remote-agent/worker_process.hpp"

namespace vt::agent {

namespace {

using nlohmann::json;

json encode(const probe::Fact& fact) {
  json out = {{"id", fact.id}, {"evidence", fact.evidence}, {"scope", fact.scope}};
  auto value = json::parse(fact.value, nullptr, false);
  if (!value.is_discarded()) out["value"] = value;
  return out;
}

[[noreturn]] void be_prober(const probe::Options& options, int report) {
  setsid();
  signal(SIGCHLD, SIG_DFL);
  drop_descriptors({report});
  probe::probe_all(options, [&](const probe::Fact& fact) { write_all(report, line_of(encode(fact))); });
  _exit(0);
}

/// What was not told is unknown, and says why.
void add_missing(json& facts, const std::string& why) {
  auto add = [&](const std::string& id, bool login) {
    for (auto& fact : facts)
      if (text_in(fact, "id") == id) return;
    facts.push_back({{"id", id}, {"evidence", why}, {"scope", login ? "login" : "host"}});
  };
  for (auto& probe : probe::probes()) add(std::string(probe.id), probe.login);
  for (auto& tool : probe::tools()) add("tool." + std::string(tool), false);
}

}  // namespace

void Probing::start(const std::string& root, const std::string& internet, std::int64_t deadline_ms) {
  auto [mine, theirs] = make_pipe();
  child_ = fork();
  if (child_ == 0) be_prober({root, program_path(), internet}, theirs.get());
  if (auto p = find_process(child_)) start_ticks_ = p->start_ticks;
  set_nonblocking(mine.get());
  pipe_ = std::move(mine), ends_ms_ = boot_ms() + deadline_ms, facts_.clear(), lines_ = {};
}

std::optional<json> Probing::pump() {
  auto chunk = read_chunk(pipe_.get());
  bool usable = lines_.feed(chunk.bytes);
  while (auto line = usable ? lines_.next() : std::nullopt) facts_ += (facts_.empty() ? "" : ",") + *line;
  bool late = boot_ms() >= ends_ms_;
  if (usable && !chunk.end && !late) return std::nullopt;
  stop();
  auto facts = json::parse("[" + facts_ + "]", nullptr, false);
  add_missing(facts, late ? "probe timed out" : "probe ended early");
  return json{{"t", "facts"}, {"facts", std::move(facts)}};
}

void Probing::stop() {
  if (!running()) return;
  signal_all({child_}, SIGKILL);
  kill_orphans(child_, start_ticks_);
  pipe_.reset();
}

}  // namespace vt::agent
