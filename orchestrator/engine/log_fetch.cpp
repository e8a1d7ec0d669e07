#include "orchestrator/engine/log_fetch.hpp"

#include "orchestrator/model/sha256.hpp"
#include "orchestrator/model/text.hpp"

namespace vt {

namespace {

constexpr const char* kLines = "400";
/// A failure often starts before the check that shows it.
constexpr Duration kBefore = std::chrono::minutes(2);

struct Fetch {
  std::string name;
  std::vector<std::string> argv;
};

Fetch fetch_for(const LogSource& source) {
  if (source.kind == LogSource::Kind::journal)
    return {"journal-" + source.name, {"journalctl", "--no-pager", "-n", kLines, "-u", source.name}};
  if (source.kind == LogSource::Kind::file) return {source.name, {"tail", "-n", kLines, "--", source.name}};
  return {"kernel", {"dmesg"}};
}

std::vector<Fetch> all_fetches(const Check& check, const Observation& seen) {
  auto since = "@" + std::to_string((seen.started - kBefore.count()) / 1000);
  std::vector<Fetch> out{fetch_for({LogSource::Kind::kernel, ""}),
                         {"journal", {"journalctl", "--no-pager", "-n", kLines, "--since", since}}};
  for (auto& source : check.logs)
    if (source.kind != LogSource::Kind::kernel) out.push_back(fetch_for(source));
  return out;
}

}  // namespace

Status fetch_logs(Context& c, AgentSession& session, const Masker& masker, const Check& check, const Observation& seen) {
  for (auto& fetch : all_fetches(check, seen)) {
    protocol::Job job;
    job.id = seen.key.run + "/" + seen.key.layer + "/" + seen.key.host + "/logs/" + check.id + "#" + std::to_string(seen.key.attempt) +
             fetch.name;
    job.kind = "command";
    job.argv = fetch.argv;
    auto result = session.run(job, {});
    if (!result) return fail(result.error());
    if (result->exit_code != 0 || result->out.bytes == 0) continue;
    auto text = masker.apply(result->out.head + result->out.tail);
    ArtefactRow row{seen.key.run, seen.key.layer, seen.key.host, check.id, fetch.name, sha256_hex(text), text.size(), c.clock.wall()};
    VT_CHECK(c.store.add_artefact(row, text));
  }
  return {};
}

}  // namespace vt
