#include <unistd.h>

#include "providers/container/backend.hpp"
#include "providers/container/process.hpp"

namespace vt {

namespace {

using Words = std::vector<std::string>;

void append(Words& to, const Words& words) { to.insert(to.end(), words.begin(), words.end()); }

Result<Words> namespaces() {
  std::string bwrap = find_program("bwrap");
  if (bwrap.empty()) return fail(Errc::not_found, "not installed");
  Words words{bwrap, "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--as-pid-1", "--cap-drop", "ALL"};
  if (geteuid() != 0) words.push_back("--unshare-user");
  for (auto& name : pod_capabilities()) append(words, {"--cap-add", "cap_" + name});
  return words;
}

Result<Words> trial() {
  VT_TRY(Words words, namespaces());
  append(words, {"--ro-bind", "/", "/", "--proc", "/proc"});
  append(words, with_pod_capabilities({"true"}));
  return words;
}

/// bwrap makes /dev by itself and always forbids new privileges. The machine's /proc/sys shows the pod's own names all the
/// same: they belong to whoever reads.
Result<Words> prepare(const PodStart& pod) {
  VT_TRY(Words words, namespaces());
  append(words, {"--hostname", pod.name, pod.writable ? "--bind" : "--ro-bind", pod.root, "/", "--proc", "/proc", "--dev", "/dev"});
  for (auto path : kProcReadOnly) append(words, {"--ro-bind-try", path, path});
  for (auto path : kProcHidden)
    if (access(path, F_OK) == 0) append(words, {"--ro-bind", "/dev/null", path});
  for (auto& mount : pod.mounts) {
    if (mount.kind == Mount::Kind::bind) append(words, {"--ro-bind", mount.source, mount.target});
    else append(words, {"--perms", mount.mode, "--tmpfs", mount.target});
  }
  append(words, {"--chdir", "/", "--"});
  append(words, with_pod_capabilities(pod.entry));
  return words;
}

}  // namespace

const Backend kBwrap{"bwrap", trial, prepare};

}  // namespace vt
