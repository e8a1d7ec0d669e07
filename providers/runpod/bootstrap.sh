# What a pod runs. Comments and indentation are cut before it is sent, and it holds no single quote: see bootstrap.hpp, which
# also says which variables it needs.
umask 077
PATH=${PATH:-/usr/bin:/bin}:/usr/local/sbin:/usr/sbin:/sbin
export PATH

VT_DIR=${VT_DIR:-/run/vault-test}
{ mkdir -p "$VT_DIR" && : >"$VT_DIR/probe"; } 2>/dev/null || { VT_DIR=/tmp/vault-test; mkdir -p "$VT_DIR"; }
# A restarted container proves everything anew.
rm -f "$VT_DIR/probe" "$VT_DIR/contact" "$VT_DIR/lease-proof"
export VT_DIR

# First of all, what ends the pod. It needs no file that could be missing, only curl, for which it waits.
vt_watchdog=$(cat <<"END"
say() { echo "lease: $*"; }
up() { read -r whole rest </proc/uptime; echo "${whole%%.*}"; }
call() {
  method=$1 path=$2
  shift 2
  printf "Authorization: Bearer %s\n" "$RUNPOD_API_KEY" |
    curl -s -o /dev/null -m 20 -A vault-test-lease -w "%{http_code}" -H @- -X "$method" "$@" "$VT_API/pods/$RUNPOD_POD_ID$path"
}
act() { call POST /action -H "Content-Type: application/json" -d "{\"action\":\"$1\"}"; }
gone() { [ "$1" = 204 ] || [ "$1" = 404 ] || [ "$1" = 200 ]; }
finish() {
  say "$1; this pod ends itself"
  while :; do
    answer=$(call DELETE "")
    say "delete: ${answer:-no curl}"
    gone "$answer" || { answer=$(act terminate); say "terminate: ${answer:-no curl}"; }
    gone "$answer" || { answer=$(act stop); say "stop: ${answer:-no curl}"; }
    sleep "$tick"
  done
}
prove() {
  command -v curl >/dev/null 2>&1 || return 0
  answer=$(call GET "")
  proof="failed: asked about itself with its own key, the pod gets HTTP status ${answer:-none}"
  [ "$answer" = 200 ] && proof="proved $(date -u +%Y-%m-%dT%H:%M:%SZ)"
  echo "$proof" >"$VT_DIR/lease-proof.new" && mv "$VT_DIR/lease-proof.new" "$VT_DIR/lease-proof"
}
number() { case $1 in "" | *[!0-9]*) echo "$2" ;; *) echo "$1" ;; esac; }

tick=$(number "${VT_TICK:-}" 15)
grace=$(number "${VT_BOOT_GRACE:-}" 600)
expires=$(number "${VT_EXPIRES:-}" 0)
began=$(up)
left=$((expires - $(date +%s)))
lease=$(number "${VT_LEASE:-}" "$left")
[ "$left" -le "$lease" ] || left=$lease
proof=
while :; do
  age=$(($(up) - began))
  [ "$(date +%s)" -lt "$expires" ] && [ "$age" -lt "$left" ] || finish "the lease is over"
  [ "$age" -lt "$grace" ] || [ -e "$VT_DIR/contact" ] || finish "nobody came for $grace s"
  case $proof in proved*) ;; *) prove ;; esac
  case $proof in "") sleep 1 ;; *) sleep "$tick" ;; esac
done
END
)
session=
command -v setsid >/dev/null 2>&1 && session=setsid
VT_HOST_KEY= VT_CLIENT_KEY= $session sh -c "$vt_watchdog" vt-lease </dev/null &

server() { for s in "${VT_SSHD:-}" "$(command -v sshd)" /usr/sbin/sshd; do [ -x "$s" ] && echo "$s" && return; done; return 1; }
equipped() { server && command -v curl && { [ -s /etc/ssl/certs/ca-certificates.crt ] || [ "${VT_API#https}" = "$VT_API" ]; }; }
until equipped >/dev/null 2>&1; do
  export DEBIAN_FRONTEND=noninteractive
  apt-get -q update
  apt-get -q -y --no-install-recommends install openssh-server curl ca-certificates && equipped >/dev/null 2>&1 && break
  echo "not complete yet; again in 5 s"
  sleep 5
done

printf "%s" "$VT_HOST_KEY" | base64 -d >"$VT_DIR/host_key"
printf "%s\n" "$VT_CLIENT_KEY" >"$VT_DIR/authorized_keys"
# What the image sets for its programs, a login must see too.
login="VT_DIR=$VT_DIR"
for name in PATH LD_LIBRARY_PATH LIBRARY_PATH CUDA_HOME CUDA_VERSION NVIDIA_VISIBLE_DEVICES NVIDIA_DRIVER_CAPABILITIES; do
  eval "value=\${$name:-}"
  case $value in "" | *[!-A-Za-z0-9_./:,+=@%]*) ;; *) login="$login $name=$value" ;; esac
done
cat >"$VT_DIR/sshd_config" <<END
Port ${VT_SSH_PORT:-22}
${VT_SSH_ADDRESS:+ListenAddress $VT_SSH_ADDRESS}
HostKey $VT_DIR/host_key
HostKeyAlgorithms ssh-ed25519
AuthorizedKeysFile $VT_DIR/authorized_keys
AuthenticationMethods publickey
PermitRootLogin prohibit-password
PasswordAuthentication no
KbdInteractiveAuthentication no
StrictModes no
UsePAM no
UseDNS no
PidFile none
PrintMotd no
PrintLastLog no
X11Forwarding no
AllowTcpForwarding no
MaxSessions 100
MaxStartups 100:30:200
SetEnv $login
END
umask 022
mkdir -p /run/sshd 2>/dev/null
# The keys of host and account are no business of a login: process 1 shows its first environment to root.
VT_SERVER=$(server)
export VT_SERVER
exec env -u VT_HOST_KEY -u RUNPOD_API_KEY sh -c "while :; do \"\$VT_SERVER\" -D -e -f \"\$VT_DIR/sshd_config\"; sleep 1; done" vt-server
