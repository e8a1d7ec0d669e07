#include "providers/emulator/runpod/api.hpp"

// Reading, changing and ending pods.
namespace vt::emulator::runpod {

namespace {

std::shared_ptr<Pod> find_pod(const Account& account, const std::string& id) {
  auto found = account.pods.find(id);
  return found == account.pods.end() || found->second->hidden ? nullptr : found->second;
}

Reply no_pod() { return problem(404, "pod not found"); }

using PodHandler = std::function<Reply(Account&, const Call&, const std::shared_ptr<Pod>&)>;
AccountHandler with_pod(PodHandler handler) {
  return [handler = std::move(handler)](Account& account, const Call& call) {
    auto pod = find_pod(account, call.parts[0]);
    return pod ? handler(account, call, pod) : no_pod();
  };
}

Reply list_pods(Account& account, const Call& call) {
  json shown = json::array();
  for (auto& [id, pod] : account.pods)
    if (!pod->hidden && (!pod->in_cluster || call.param("includeClusterPods") == "true")) shown.push_back(account.show(*pod));
  if (call.faults.has(FaultKind::partial)) shown.erase(shown.begin(), shown.begin() + static_cast<std::ptrdiff_t>((shown.size() + 1) / 2));
  return json_reply({{"pods", shown}});
}

Reply get_pod(Account& account, const Call&, const std::shared_ptr<Pod>& pod) { return json_reply(account.show(*pod)); }

/// A pod that is said to be gone and is not.
Reply end_pod(Account& account, const Call& call, const std::shared_ptr<Pod>& pod) {
  if (pod->in_cluster) return problem(409, "pod is a member of a cluster; delete the cluster");
  if (call.number != 0) account.world.books->touched(pod->id, call.number);
  if (call.faults.has(FaultKind::undead)) {
    account.world.after(call.faults.length(FaultKind::undead), [&account, id = pod->id] {
      if (auto left = account.pods.find(id); left != account.pods.end()) account.remove(std::shared_ptr<Pod>(left->second), "deleted");
    });
  } else {
    account.remove(pod, "deleted");
  }
  return {204, "", "application/json", {}};
}

Reply change_pod(Account& account, const Call& call, const std::shared_ptr<Pod>& pod) {
  json body;
  if (auto refusal = refuse_body(call, "UpdatePodRequest", body)) return *refusal;
  if (body.contains("templateId")) return problem(404, "template not found");
  pod->name = body.value("name", pod->name);
  for (auto& [key, value] : body.items()) pod->body[key] = value;
  account.world.books->touched(pod->id, call.number);
  account.world.books->set_marks(pod->id, marks_of(pod->body));
  bool in_container = false;  // what the container must be restarted for
  for (auto key : {"image", "args", "env", "ports", "disk", "mounts"}) in_container = in_container || body.contains(key);
  if (in_container && pod->status == "RUNNING" && !pod->foreign) account.restart(pod);
  return json_reply(account.show(*pod));
}

Reply act_on_pod(Account& account, const Call& call, const std::shared_ptr<Pod>& pod) {
  json body;
  if (auto refusal = refuse_body(call, "PodActionRequest", body)) return *refusal;
  std::string action = body["action"];
  json allowed = account.show(*pod)["actions"];
  bool locked = pod->body.value("locked", false) && action != "start";
  if (locked || std::find(allowed.begin(), allowed.end(), action) == allowed.end())
    return problem(409, locked ? "pod is locked" : "action not valid for current pod status");
  if (action == "terminate") return end_pod(account, call, pod);
  account.world.books->touched(pod->id, call.number);
  if (action == "start") account.start(pod);
  else if (action == "stop") account.stop(pod);
  else account.restart(pod);
  return json_reply(account.show(*pod));
}

}  // namespace

void add_pods(const std::shared_ptr<Account>& account) {
  route(account, "POST", "/v2/pods", CallKind::create, create_pod);
  route(account, "GET", "/v2/pods", CallKind::list, list_pods);
  route(account, "GET", "/v2/pods/{}", CallKind::get, with_pod(get_pod));
  route(account, "PATCH", "/v2/pods/{}", CallKind::change, with_pod(change_pod));
  route(account, "DELETE", "/v2/pods/{}", CallKind::remove, with_pod(end_pod));
  route(account, "POST", "/v2/pods/{}/action", CallKind::change, with_pod(act_on_pod));
}

}  // namespace vt::emulator::runpod
