#include <cstdio>
#include <sstream>

#include "providers/emulator/runpod/api.hpp"

// GET /v2/pods/{id}/logs: what there is so far, as server-sent events; the stream then ends.
namespace vt::emulator::runpod {

namespace {

struct Line {
  EpochMs at;
  const char* source;
  std::string text;
};

/// The container's lines carry no time of their own: they are told as of its start.
std::vector<Line> lines_of(const Account& account, const Pod& pod, const std::string& source) {
  std::vector<Line> lines;
  if (source != "container")
    for (auto& [at, text] : pod.events) lines.push_back({at, "system", text});
  std::istringstream said(source == "system" ? "" : account.world.hosting->log(pod.id));
  for (std::string text; std::getline(said, text);) lines.push_back({pod.started, "container", text});
  return lines;
}

std::string event(const Line& line, std::size_t number) {
  char id[64];
  std::snprintf(id, sizeof id, "%s/%012zu", stamp(line.at).c_str(), number);
  json data = {{"ts", stamp(line.at)}, {"source", line.source}, {"line", line.text}};
  return "id: " + std::string(id) + "\ndata: " + data.dump(-1, ' ', false, json::error_handler_t::replace) + "\n\n";
}

Reply pod_logs(Account& account, const Call& call) {
  auto found = account.pods.find(call.parts[0]);
  if (found == account.pods.end() || found->second->hidden) return problem(404, "pod not found");
  std::string since = call.header("last-event-id").empty() ? call.param("since") : call.header("last-event-id");
  since = since.substr(0, since.find('/'));
  auto lines = lines_of(account, *found->second, call.param("source"));
  std::size_t tail = call.param("tail").empty() ? 100 : std::strtoul(call.param("tail").c_str(), nullptr, 10);
  std::size_t first = since.empty() && lines.size() > tail ? lines.size() - tail : 0;
  std::string text;
  for (std::size_t i = first; i < lines.size(); ++i)
    if (since.empty() || stamp(lines[i].at) >= since) text += event(lines[i], i + 1);
  return {200, text, "text/event-stream", {}};
}

}  // namespace

void add_logs(const std::shared_ptr<Account>& account) { route(account, "GET", "/v2/pods/{}/logs", CallKind::none, pod_logs); }

}  // namespace vt::emulator::runpod
