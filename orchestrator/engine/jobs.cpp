#include "orchestrator/engine/jobs.hpp"

#include <nlohmann/json.hpp>

#include "orchestrator/store/codec.hpp"

namespace vt {

namespace {

struct Describe {
  protocol::Job& job;
  void operator()(const ProbeRun&) const {}
  void operator()(const NoRunner&) const {}
  void operator()(const AgentRun& run) const { job.kind = "agent", job.name = run.name, job.args = to_json(run.args).dump(); }
  void operator()(const CommandRun& run) const { job.kind = "command", job.argv = run.argv; }
  void operator()(const ScriptRun& run) const { job.kind = "script", job.script = run.text, job.interpreter = run.interpreter; }
};

}  // namespace

std::string group_of(const ObservationKey& key) { return key.run + "/" + key.layer + "/" + key.check + "#" + std::to_string(key.attempt); }

protocol::Job make_job(const Check& check, const ObservationKey& key, const std::map<std::string, std::string>& secrets) {
  protocol::Job job;
  job.id = key.run + "/" + key.layer + "/" + key.host + "/" + key.check + "#" + std::to_string(key.attempt);
  std::visit(Describe{job}, check.how);
  job.environment = check.environment;
  for (auto& name : check.secrets)
    if (auto at = secrets.find(name); at != secrets.end()) job.environment[name] = at->second;
  job.deadline_ms = check.timeout.count();
  job.detach = check.detached || check.timeout >= kDetachFrom;
  job.root = check.root;
  return job;
}

}  // namespace vt
