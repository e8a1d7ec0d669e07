#include "tests/scenario/gpu/fake_host.hpp"

#include <unistd.h>

#include <string_view>

namespace vt::test {

namespace {

/// In the new namespace: $1 = scratch folder, $2 = folder with the doubles, $3 = driver version, $4 = GPUs, then the command.
constexpr std::string_view kEnter = R"(set -eu
scratch=$1 gpus=$2 driver=$3 count=$4
shift 4
mount -t tmpfs -o mode=755 view "$scratch"
mkdir "$scratch/upper" "$scratch/work" "$scratch/dev"
mount -t overlay -o "lowerdir=$gpus:/usr/lib,upperdir=$scratch/upper,workdir=$scratch/work" view /usr/lib
for toolkit in /usr/local/cuda*; do
  [ ! -d "$toolkit" ] || mount -t tmpfs view "$toolkit"
done
mount -t tmpfs -o mode=755 view /proc/driver
mkdir -p /proc/driver/nvidia/gpus
echo "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  $driver  Release Build" > /proc/driver/nvidia/version
for node in null zero full random urandom tty; do
  : > "$scratch/dev/$node"
  mount --bind "/dev/$node" "$scratch/dev/$node"
done
for folder in pts shm; do
  mkdir "$scratch/dev/$folder"
  mount --bind "/dev/$folder" "$scratch/dev/$folder"
done
ln -s /proc/self/fd "$scratch/dev/fd"
: > "$scratch/dev/nvidiactl"
: > "$scratch/dev/nvidia-uvm"
i=0
while [ "$i" -lt "$count" ]; do
  : > "$scratch/dev/nvidia$i"
  i=$((i + 1))
  mkdir "/proc/driver/nvidia/gpus/0000:0$i:00.0"
done
mount --rbind "$scratch/dev" /dev
exec "$@"
)";

std::string unshare() {
  std::string user = geteuid() == 0 ? "" : " --user --map-root-user";
  return "unshare --mount --propagation private" + user;
}

}  // namespace

FakeHost::FakeHost(int count, const std::string& model) : gpus(count, model) {
  shell("mkdir " + folder_.path() + "/scratch");
  program_.catalogue = VT_SOURCE_DIR "/plans";
}

void FakeHost::write_scripts() {
  auto binary = std::string(VT_BIN_DIR "/vault-test");
  auto doubles = gpus.folder();
  std::string driver = gpus.host()["driver"];
  auto count = std::to_string(gpus.host()["gpus"].size());
  write_file(folder_ / "enter", std::string(kEnter));
  write_file(folder_ / "vault-test",
             "#!/bin/sh\nexec " + unshare() + " /bin/sh " + folder_ / "enter" + " " + folder_ / "scratch" + " " + doubles + " " + driver +
                 " " + count + " " + binary + " \"$@\"\n",
             0700);
  program_.binary = folder_ / "vault-test";
}

Ended FakeHost::run(const std::vector<std::string>& arguments) {
  write_scripts();
  return program_.run(arguments, 60);
}

Ended FakeHost::check(const std::string& id, const std::string& params) {
  auto layer = "provider: local, checks: [" + id + "]" + (params.empty() ? "" : ", params: {" + id + ": " + params + "}");
  return run({"run", plan("vault-test: 1\nname: rig\nlayers:\n  rig: {" + layer + "}\n")});
}

std::string why_no_fake_host() {
  auto script = unshare() + " /bin/sh -c 'mount -t tmpfs view /proc/driver' 2> /dev/null";
  return shell(script) == 0 ? "" : "no private mount namespace here";
}

}  // namespace vt::test
