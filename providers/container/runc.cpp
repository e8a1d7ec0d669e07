#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "orchestrator/model/text.hpp"
#include "providers/container/backend.hpp"
#include "providers/container/process.hpp"

namespace vt {

namespace {

using Words = std::vector<std::string>;
using nlohmann::json;

json tmpfs(const std::string& target, const std::string& mode) {
  return {{"destination", target}, {"type", "tmpfs"}, {"source", "tmpfs"}, {"options", {"nosuid", "nodev", "mode=" + mode}}};
}

json mounts_of(const PodStart& pod) {
  json mounts = json::array();
  mounts.push_back({{"destination", "/proc"}, {"type", "proc"}, {"source", "proc"}});
  mounts.push_back({{"destination", "/dev"}, {"type", "tmpfs"}, {"source", "tmpfs"}, {"options", {"nosuid", "mode=755"}}});
  mounts.push_back({{"destination", "/dev/pts"},
                    {"type", "devpts"},
                    {"source", "devpts"},
                    {"options", {"nosuid", "noexec", "newinstance", "ptmxmode=0666", "mode=0620", "gid=5"}}});
  mounts.push_back(tmpfs("/dev/shm", "1777"));
  for (auto& mount : pod.mounts) {
    if (mount.kind == Mount::Kind::tmpfs) mounts.push_back(tmpfs(mount.target, mount.mode));
    else mounts.push_back({{"destination", mount.target}, {"type", "none"}, {"source", mount.source}, {"options", {"rbind", "ro"}}});
  }
  return mounts;
}

json config_of(const PodStart& pod) {
  json capabilities = json::array(), namespaces = json::array();
  for (auto& name : pod_capabilities()) {
    std::string upper = "CAP_" + name;
    std::transform(upper.begin(), upper.end(), upper.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    capabilities.push_back(upper);
  }
  for (auto type : {"pid", "ipc", "uts", "mount"}) namespaces.push_back({{"type", type}});
  json process{{"terminal", false},
               {"user", {{"uid", pod.login.uid}, {"gid", pod.login.gid}}},
               {"args", pod.entry},
               {"env", {"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "container=oci"}},
               {"cwd", "/"},
               {"capabilities", {{"bounding", capabilities}, {"effective", capabilities}, {"permitted", capabilities}}},
               {"noNewPrivileges", false}};
  json linux_part{{"namespaces", namespaces}, {"maskedPaths", kProcHidden}, {"readonlyPaths", kProcReadOnly}};
  return {{"ociVersion", "1.0.2"}, {"process", process},       {"root", {{"path", pod.root}, {"readonly", !pod.writable}}},
          {"hostname", pod.name},  {"mounts", mounts_of(pod)}, {"linux", linux_part}};
}

/// Without root runc wants root's number in the pod, which a user namespace of one's own number cannot give.
Result<Words> trial() {
  std::string runc = find_program("runc");
  if (runc.empty()) return fail(Errc::not_found, "not installed");
  if (geteuid() != 0) return fail(Errc::auth, "needs root");
  std::string unshare = find_program("unshare");
  if (unshare.empty()) return Words{runc, "--version"};
  return Words{unshare, "--mount", "--pid", "--fork", runc, "--version"};
}

Result<Words> prepare(const PodStart& pod) {
  VT_CHECK(write_new_file(pod.folder + "/config.json", config_of(pod).dump(), 0600));
  return Words{find_program("runc"), "--root", pod.folder + "/runc", "run", "--detach", "--bundle", pod.folder, pod.mark};
}

}  // namespace

const Backend kRunc{"runc", trial, prepare};

Status clear_runc_state(const std::string& folder, const std::string& mark, Deadline deadline) {
  std::string runc = find_program("runc"), state = folder + "/runc";
  if (!std::filesystem::exists(state + "/" + mark) || runc.empty()) return {};
  VT_TRY(Finished done, run_program({runc, "--root", state, "delete", "--force", mark}, deadline));
  if (done.exit_code != 0) return fail(Errc::internal, "runc delete: " + printable(join(split(done.output, '\n'), "; ")));
  return {};
}

}  // namespace vt
