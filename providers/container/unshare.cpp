#include <unistd.h>

#include "orchestrator/model/text.hpp"
#include "providers/container/backend.hpp"
#include "providers/container/process.hpp"

namespace vt {

namespace {

using Words = std::vector<std::string>;

Result<Words> namespaces() {
  std::string unshare = find_program("unshare");
  if (unshare.empty() || find_program("setpriv").empty()) return fail(Errc::not_found, "not installed");
  Words words{unshare, "--mount", "--pid", "--fork", "--ipc", "--uts"};
  if (geteuid() != 0) words.insert(words.end(), {"--user", "--map-current-user", "--keep-caps"});
  return words;
}

Result<Words> trial() {
  VT_TRY(Words words, namespaces());
  std::string capped = join(with_pod_capabilities({"true"}), " ");
  words.insert(words.end(), {"/bin/sh", "-c", "mount -t proc proc /proc && " + capped});
  return words;
}

/// /proc and /dev as a container has them. "$root" is the pod's "/"; $read_only and $hidden are kProcReadOnly and kProcHidden.
constexpr const char* kProcAndDev = R"(
mount --bind "$root" "$root"
mount -t proc -o nosuid,nodev,noexec proc "$root/proc"
for path in $read_only; do
  [ -e "$root$path" ] || continue
  mount --bind "$root$path" "$root$path"
  mount -o remount,bind,ro "$root$path"
done
for path in $hidden; do
  [ ! -e "$root$path" ] || mount --bind /dev/null "$root$path"
done
mount -t tmpfs -o nosuid,mode=755 tmpfs "$root/dev"
for node in null zero full random urandom tty; do
  : >"$root/dev/$node"
  mount --bind "/dev/$node" "$root/dev/$node"
done
mkdir "$root/dev/pts" "$root/dev/shm"
mount -t devpts -o "nosuid,noexec,newinstance,ptmxmode=0666,mode=0620$tty_group" devpts "$root/dev/pts"
mount -t tmpfs -o nosuid,nodev,mode=1777 tmpfs "$root/dev/shm"
ln -s pts/ptmx "$root/dev/ptmx"
ln -s /proc/self/fd "$root/dev/fd"
ln -s fd/0 "$root/dev/stdin"
ln -s fd/1 "$root/dev/stdout"
ln -s fd/2 "$root/dev/stderr"
)";

constexpr const char* kReadOnly = "mount -o remount,bind,ro \"$root\"\n";

/// Leaves the machine's "/" behind for good.
constexpr const char* kEnter = R"(cd "$root"
pivot_root . .vt/old
umount -l /.vt/old
cd /
)";

std::string line_for(const Mount& mount) {
  std::string target = "\"$root\"" + shell_quote(mount.target);
  if (mount.kind == Mount::Kind::tmpfs) return "mount -t tmpfs -o nosuid,nodev,mode=" + mount.mode + " tmpfs " + target + "\n";
  return "[ -e " + target + " ] || mkdir -p " + target + "\nmount --rbind " + shell_quote(mount.source) + " " + target +
         "\nmount -o remount,bind,ro " + target + "\n";
}

std::string script_for(const PodStart& pod) {
  std::string script = "#!/bin/sh\n# Makes the pod's mounts and becomes its process 1.\nset -eu\n";
  script += "root=" + shell_quote(pod.root) + "\ntty_group=" + (pod.login.uid == 0 ? ",gid=5" : "") + "\n";
  script += "read_only='" + join({std::begin(kProcReadOnly), std::end(kProcReadOnly)}, " ") + "'\nhidden='" +
            join({std::begin(kProcHidden), std::end(kProcHidden)}, " ") + "'\n";
  std::string name = shell_quote(pod.name);
  script += "hostname " + name + " 2>/dev/null || echo " + name + " >/proc/sys/kernel/hostname\n";
  script += kProcAndDev;
  for (auto& mount : pod.mounts) script += line_for(mount);
  if (!pod.writable) script += kReadOnly;
  script += kEnter;
  script += "exec";
  for (auto& word : with_pod_capabilities(pod.entry)) script += " " + shell_quote(word);
  return script + "\n";
}

Result<Words> prepare(const PodStart& pod) {
  VT_TRY(Words words, namespaces());
  std::string script = pod.folder + "/enter";
  VT_CHECK(write_new_file(script, script_for(pod), 0600));
  words.insert(words.end(), {"/bin/sh", script, pod.mark});
  return words;
}

}  // namespace

const Backend kUnshare{"unshare", trial, prepare};

}  // namespace vt
