#include <algorithm>
#include <cerrno>
#include <nlohmann/json.hpp>
#include <optional>

#include "remote-agent/probe/probes.hpp"
#include "remote-agent/probe/words.hpp"

namespace vt::probe {
namespace {

const std::string kSocket = "/var/run/docker.sock";

Http ask_docker(const Host& host, const std::string& target) { return host.system.http(host.files.real(kSocket), target, host.limit()); }

bool names_nvidia(const std::string& text) { return text.find("nvidia") != std::string::npos; }

std::optional<std::string> nvidia_runtime(const nlohmann::json& info) {
  auto runtimes = info.find("Runtimes");
  if (runtimes == info.end() || !runtimes->is_object()) return std::nullopt;
  for (auto& [name, unused] : runtimes->items())
    if (names_nvidia(name)) return "Docker has the runtime " + name;
  return std::nullopt;
}

/// Docker 28.2 and later lists the devices it found; earlier ones only the folders it looks into.
std::optional<std::string> nvidia_device(const Host& host, const nlohmann::json& info) {
  if (auto devices = info.find("DiscoveredDevices"); devices != info.end() && devices->is_array())
    for (auto& device : *devices)
      if (device.is_object() && device.contains("ID") && device["ID"].is_string() && names_nvidia(device["ID"].get<std::string>()))
        return "Docker has the device " + device["ID"].get<std::string>();
  auto folders = info.find("CDISpecDirs");
  if (folders == info.end() || !folders->is_array()) return std::nullopt;
  for (auto& folder : *folders) {
    if (!folder.is_string()) continue;
    for (auto& file : host.files.list(folder.get<std::string>()).names)
      if (names_nvidia(file)) return "Docker reads the device file " + folder.get<std::string>() + "/" + file;
  }
  return std::nullopt;
}

Answer read_info(const Host& host, const std::string& body) {
  auto info = nlohmann::json::parse(body, nullptr, false);
  if (!info.is_object()) return unknown("Docker's /info is not a JSON object");
  if (auto seen = nvidia_runtime(info)) return yes(*seen);
  if (auto seen = nvidia_device(host, info)) return yes(*seen);
  return no("Docker has neither an NVIDIA runtime nor an NVIDIA device");
}

Answer has_virtualisation_flag(const Host& host) {
  auto cpuinfo = host.files.read("/proc/cpuinfo");
  if (cpuinfo.error) return unreadable("/proc/cpuinfo", cpuinfo.error);
  auto flags = after(cpuinfo.text, "flags");
  if (!flags) return yes("not an x86 processor");
  for (auto& flag : words(*flags))
    if (flag == "vmx" || flag == "svm") return yes("the processor has " + flag);
  return no("the processor has neither VMX nor SVM, so stock kernels will not start in it");
}

/// Opening a node that nothing stands behind would load a module.
Answer kvm_node(const Host& host) {
  int error = host.files.look("/dev/kvm");
  if (absent(error)) return no("no /dev/kvm");
  if (error) return unreadable("/dev/kvm", error);
  const std::string behind = "/sys/devices/virtual/misc";
  if (host.files.exists(behind) && absent(host.files.look(behind + "/kvm"))) return no("/dev/kvm is there, but no KVM module is loaded");
  return yes("/dev/kvm exists");
}

}  // namespace

Answer docker_daemon(const Host& host) {
  auto reply = ask_docker(host, "/_ping");
  if (absent(reply.error)) return no("no " + kSocket);
  if (reply.error == EACCES || reply.error == EPERM) return no(kSocket + ": permission denied for this login");
  if (reply.error == ECONNREFUSED) return no("nobody listens on " + kSocket);
  if (reply.error) return unreadable(kSocket, reply.error);
  if (reply.status != 200) return unknown("the Docker daemon answers /_ping with HTTP " + std::to_string(reply.status));
  return yes("the daemon on " + kSocket + " answers");
}

Answer docker_gpu(const Host& host) {
  auto daemon = docker_daemon(host);
  if (!daemon.is_true()) return daemon;
  auto reply = ask_docker(host, "/info");
  if (reply.error) return unknown("Docker's /info: " + why(reply.error));
  if (reply.status != 200) return unknown("the Docker daemon answers /info with HTTP " + std::to_string(reply.status));
  return read_info(host, reply.body);
}

Answer podman(const Host& host) { return tool(host, "podman"); }

Answer containers_nested(const Host& host) {
  int error = host.system.namespaces(host.limit());
  if (error == 0) return yes("a user and a mount namespace were made");
  auto limit = host.files.read("/proc/sys/user/max_user_namespaces");
  auto apparmor = host.files.read("/proc/sys/kernel/apparmor_restrict_unprivileged_userns");
  std::string hint = limit.text == "0"      ? " (max_user_namespaces is 0)"
                     : apparmor.text == "1" ? " (AppArmor restricts user namespaces)"
                                            : "";
  auto said = "making a user and a mount namespace: " + why(error) + hint;
  bool refused = error == EPERM || error == EACCES || error == ENOSPC || error == EUSERS || error == EINVAL || error == ENOSYS;
  return refused ? no(said) : unknown(said);
}

Answer kvm(const Host& host) {
  auto node = kvm_node(host);
  if (!node.is_true()) return node;
  auto kvm = host.system.kvm(host.files.real("/dev/kvm"));
  if (kvm.error == EACCES || kvm.error == EPERM) return no("/dev/kvm: permission denied for this login");
  if (kvm.error == ENODEV || kvm.error == ENXIO || absent(kvm.error)) return no("/dev/kvm: " + why(kvm.error));
  if (kvm.error) return unreadable("/dev/kvm", kvm.error);
  if (kvm.api != 12) return no("/dev/kvm speaks API " + std::to_string(kvm.api) + ", not 12");
  auto flag = has_virtualisation_flag(host);
  flag.evidence = "/dev/kvm speaks API 12; " + flag.evidence;
  return flag;
}

}  // namespace vt::probe
