# shellcheck shell=bash disable=SC2034  # what it sets is read by the caller
# Sourced: a real sshd on 127.0.0.1, run as the current user with keys of its own, for examples and benchmarks.
#
#   loopback_sshd FOLDER   starts it; sets sshd_port, sshd_user, sshd_key, sshd_host_key (fingerprint), sshd_known_hosts (file)
#                          and sshd_home (HOME of what runs there). Fails, saying why, where there is none.
#   stop_loopback_sshd     ends it
#
# Looks for the program in $VAULT_TEST_SSHD, PATH and /usr/sbin.

loopback_sshd() {
  local folder=$1 program attempt
  program=${VAULT_TEST_SSHD:-$(PATH=$PATH:/usr/sbin:/usr/local/sbin command -v sshd)} || { echo "no sshd on this machine" >&2; return 1; }
  sshd_user=$(id -un) sshd_key=$folder/client sshd_known_hosts=$folder/known_hosts sshd_home=$folder/home
  mkdir -p "$sshd_home"
  ssh-keygen -q -t ed25519 -N '' -C host -f "$folder/host" && ssh-keygen -q -t ed25519 -N '' -C client -f "$sshd_key" || return 1
  sshd_host_key=$(ssh-keygen -lf "$folder/host.pub" | cut -d' ' -f2)
  for attempt in 1 2 3 4 5; do  # sshd cannot be told to pick a free port
    sshd_port=$((20000 + RANDOM))
    start_loopback_sshd "$folder" "$program" && return 0
  done
  echo "sshd does not start:" >&2
  cat "$folder/log" >&2
  return 1
}

start_loopback_sshd() {
  local folder=$1 program=$2 _
  cat >"$folder/config" <<EOF
Port $sshd_port
ListenAddress 127.0.0.1
HostKey $folder/host
AuthorizedKeysFile $sshd_key.pub
SetEnv HOME=$sshd_home
PidFile none
UsePAM no
UseDNS no
StrictModes no
PasswordAuthentication no
KbdInteractiveAuthentication no
PermitRootLogin prohibit-password
EOF
  echo "[127.0.0.1]:$sshd_port $(cut -d' ' -f1,2 "$folder/host.pub")" >"$sshd_known_hosts"
  LD_LIBRARY_PATH=${VAULT_TEST_SSHD_LIB:-} separate_machine "$folder" "$program" -D -e -f "$folder/config" 2>>"$folder/log" &
  sshd_pid=$!
  for _ in {1..100}; do
    kill -0 "$sshd_pid" 2>/dev/null || return 1
    (: <>"/dev/tcp/127.0.0.1/$sshd_port") 2>/dev/null && return 0
    sleep 0.05
  done
  stop_loopback_sshd
  return 1
}

# As root, where mounts are allowed: a claim file of its own, so that other runs on this machine do not stand in the way, and
# the unprivileged user that sshd insists on.
separate_machine() {
  local folder=$1; shift
  if [ "$(id -u)" != 0 ] || ! unshare --mount true 2>/dev/null; then exec "$@"; fi
  mkdir -p /run/sshd
  { cat /etc/passwd; grep -q '^sshd:' /etc/passwd || echo 'sshd:x:65533:65534::/run/sshd:/usr/sbin/nologin'; } >"$folder/passwd"
  (umask 0 && : >"$folder/claim" && : >>/tmp/vault-test.claim)
  # shellcheck disable=SC2016  # the inner shell's
  exec unshare --mount sh -c 'mount --bind "$0/passwd" /etc/passwd; mount --bind "$0/claim" /tmp/vault-test.claim; exec "$@"' "$folder" "$@"
}

stop_loopback_sshd() {
  [ -z "${sshd_pid:-}" ] || { kill "$sshd_pid"; wait "$sshd_pid"; } 2>/dev/null || true
  sshd_pid=
}
