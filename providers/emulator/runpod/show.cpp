#include "providers/emulator/runpod/api.hpp"

// A pod as the API shows it.
namespace vt::emulator::runpod {

namespace {

json actions_of(const Pod& pod) {
  if (pod.status == "RUNNING") return {"stop", "restart", "terminate"};
  if (pod.status == "EXITED" || pod.status == "ERROR") return {"start", "terminate"};
  return {"stop", "terminate"};
}

json endpoint(const std::string& host, int port, const std::string& user, const std::string& command) {
  return {{"host", host}, {"port", port}, {"username", user}, {"command", command}};
}

json ssh_of(const Pod& pod, const std::string& login) {
  std::string proxy = pod.id + "-64410000";
  json out = {{"proxy", endpoint("ssh.runpod.io", 22, proxy, "ssh " + proxy + "@ssh.runpod.io")}, {"direct", nullptr}};
  if (pod.status == "PROVISIONING") out["proxy"] = nullptr;
  if (pod.shown_port != 0 && pod.status == "RUNNING")
    out["direct"] = endpoint("127.0.0.1", pod.shown_port, login, "ssh " + login + "@127.0.0.1 -p " + std::to_string(pod.shown_port));
  return out;
}

json runtime_of(const Pod& pod, EpochMs now) {
  if (pod.status != "RUNNING") return nullptr;
  json ports = json::array(), gpus = json::array();
  if (pod.wants_ssh()) ports.push_back({{"private", 22}, {"public", nullptr}, {"type", "tcp"}, {"ip", nullptr}});
  if (pod.shown_port != 0) ports[0]["public"] = pod.shown_port, ports[0]["ip"] = "127.0.0.1";
  int seen = pod.faults.has(FaultKind::no_gpu) ? 0 : pod.gpus();
  for (int i = 0; i < seen; ++i) gpus.push_back({{"util", 0}, {"memoryUtil", 0}});
  json out = {{"uptime", (now - pod.started) / 1000}, {"cpu", {{"util", 1}}}, {"memory", {{"util", 3}}}, {"ports", ports}};
  if (pod.body.contains("gpu")) out["gpus"] = gpus;
  return out;
}

}  // namespace

bool Pod::wants_ssh() const {
  auto ports = body.value("ports", json::array());
  return std::find(ports.begin(), ports.end(), "22/tcp") != ports.end();
}

json Account::show(const Pod& pod) const {
  json out = {{"id", pod.id},
              {"name", pod.name},
              {"status", pod.status},
              {"actions", actions_of(pod)},
              {"dataCenterId", pod.center.empty() ? json() : json(pod.center)},
              {"cudaVersion", pod.cuda.empty() ? json() : json(pod.cuda)},
              {"ssh", ssh_of(pod, world.hosting->login())},
              {"template", nullptr},
              {"cost", pod.status == "EXITED" || pod.status == "TERMINATED" ? 0.0 : dollars(pod.hourly)},
              {"locked", pod.body.value("locked", false)},
              {"globalNetworking", {{"enabled", pod.body.value("globalNetworking", false)}}},
              {"runtime", runtime_of(pod, Clock::wall())},
              {"createdAt", stamp(pod.created)},
              {"startedAt", pod.started == 0 ? json() : json(stamp(pod.started))}};
  for (auto key : {"image", "args", "disk", "mounts", "ports", "env", "registry", "cloud"}) out[key] = pod.body.value(key, json());
  if (pod.body.contains("gpu")) out["gpu"] = {{"id", pod.body["gpu"]["id"]}, {"count", pod.gpus()}};
  if (pod.body.contains("cpu")) {
    out["cpu"] = pod.body["cpu"];
    out["cpu"]["memory"] = 2 * pod.body["cpu"].value("vcpuCount", 2);
  }
  if (pod.in_cluster) out["cluster"] = {{"id", "cluster-of-a-stranger"}, {"rank", 0}};
  return out;
}

}  // namespace vt::emulator::runpod
