#include "providers/emulator/hosts/vm_image.hpp"

#include <filesystem>

#include "orchestrator/model/text.hpp"
#include "providers/container/process.hpp"
#include "providers/emulator/hosts/files.hpp"
#include "providers/emulator/hosts/guest_agent.hpp"

namespace vt::emulator {

namespace {

namespace fs = std::filesystem;

constexpr auto kBuildTime = std::chrono::minutes(15);
constexpr const char* kName = "/vm-image-1";  ///< another number where the script below changes: an old image is then built anew

/// $1: the folder, which is new; guest-agent lies in it. What an instance is told comes on the kernel's command line, as vt.NAME=VALUE.
constexpr const char* kBuild = R"SH(set -eu
cd "$1"
export DEBIAN_FRONTEND=noninteractive
root=$1/root
mmdebstrap --quiet --variant=minbase \
  --include=systemd,systemd-sysv,dbus,openssh-server,linux-image-cloud-amd64,kmod,iproute2,udev,sudo,procps bookworm "$root" >build.log 2>&1 \
  || { tail -n 3 build.log; exit 1; }
rm -rf "$root"/usr/share/doc/* "$root"/usr/share/locale/* "$root"/usr/share/man/* "$root"/var/cache/apt/* "$root"/var/lib/apt/lists/*
echo '/dev/vda / ext4 rw,noatime 0 0' >"$root/etc/fstab"
: >"$root/etc/machine-id"
rm -f "$root"/etc/ssh/ssh_host_*
install -D -m 700 guest-agent "$root/.vt/guest-agent"
mkdir -p "$root/etc/systemd/network" "$root/etc/systemd/system/ssh.service.d"
printf '[Match]\nName=en* eth*\n[Network]\nAddress=10.0.2.15/24\nGateway=10.0.2.2\nLinkLocalAddressing=no\nIPv6AcceptRA=no\n' >"$root/etc/systemd/network/10-vm.network"
printf 'UseDNS no\nPermitRootLogin no\nPasswordAuthentication no\nHostKey /etc/ssh/ssh_host_ed25519_key\nMaxStartups 100:30:200\nMaxSessions 100\n' \
  >"$root/etc/ssh/sshd_config.d/instance.conf"
printf '[Unit]\nAfter=guest-keys.service\nRequires=guest-keys.service\n' >"$root/etc/systemd/system/ssh.service.d/keys.conf"
cat >"$root/.vt/settings" <<'END'
#!/bin/sh
{ echo GUEST_FOLDER=/etc/ssh; tr ' ' '\n' </proc/cmdline | sed -n 's/^vt\.//p'; } >/run/guest
END
chmod 700 "$root/.vt/settings"
cat >"$root/etc/systemd/system/guest-keys.service" <<'END'
[Unit]
Description=Host keys of a new instance
Before=ssh.service
[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=/.vt/settings
ExecStart=/bin/bash -c 'set -a; . /run/guest; exec /bin/bash /.vt/guest-agent keys'
END
cat >"$root/etc/systemd/system/guest-agent.service" <<'END'
[Unit]
Description=Guest agent
After=guest-keys.service systemd-networkd.service
[Service]
ExecStart=/bin/bash -c 'set -a; . /run/guest; exec /bin/bash /.vt/guest-agent serve'
StandardOutput=journal+console
StandardError=journal+console
Restart=always
[Install]
WantedBy=multi-user.target
END
for unit in systemd-networkd.service ssh.service guest-agent.service; do systemctl --root="$root" enable --quiet $unit; done
for unit in apt-daily.timer apt-daily-upgrade.timer dpkg-db-backup.timer e2scrub_all.timer e2scrub_reap.service fstrim.timer \
  systemd-networkd-wait-online.service systemd-timesyncd.service getty@tty1.service serial-getty@ttyS0.service; do
  ln -sf /dev/null "$root/etc/systemd/system/$unit"
done
cp "$root"/boot/vmlinuz-* vmlinuz
cp "$root"/boot/initrd.img-* initrd.img
mke2fs -q -t ext4 -d "$root" -L root -O ^has_journal -m 0 disk.raw 4G
qemu-img convert -O qcow2 disk.raw disk.qcow2
rm -rf root disk.raw
)SH";

}  // namespace

bool has_vm_image(const std::string& cache) { return fs::exists(cache + kName + "/disk.qcow2"); }

Result<VmImage> vm_image(const std::string& cache) {
  VmImage out{cache + kName};
  if (has_vm_image(cache)) return out;
  auto making = out.folder + ".new";
  std::error_code error;
  fs::remove_all(making, error);
  fs::create_directories(making, error);
  if (error) return fail(Errc::storage, "cannot make " + making + ": " + error.message());
  VT_CHECK(write_file(making + "/guest-agent", guest_agent(), 0700));
  // In namespaces of its own, so that what it mounts and starts ends with it, also when it takes too long.
  std::vector<std::string> words{find_program("unshare"), "--mount",     "--propagation", "private", "--pid", "--fork",
                                 "--kill-child",          "--mount-proc"};
  for (auto* word : {"/bin/sh", "-c", kBuild, "sh"}) words.emplace_back(word);
  words.push_back(making);
  VT_TRY(Finished built, run_program(words, Deadline::after(kBuildTime)));
  if (built.exit_code != 0)
    return fail(Errc::refused, "the image of the machines cannot be built: " + printable(join(split(built.output, '\n'), "; ")));
  fs::rename(making, out.folder, error);
  if (error) return fail(Errc::storage, "cannot make " + out.folder + ": " + error.message());
  return out;
}

}  // namespace vt::emulator
