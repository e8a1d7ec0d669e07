#include "providers/emulator/hosts/guest_agent.hpp"

namespace vt::emulator {

namespace {

constexpr auto kScript = R"BASH(#!/bin/bash
# Stands in for Google's guest agent on an emulated instance.
metadata=${GCE_METADATA_HOST:-169.254.169.254:80}

# request METHOD PATH [BODY]: asks the metadata server; prints what it says, succeeds if that is a 200.
request() {
  local status line reply=
  { exec 5<>"/dev/tcp/${metadata%:*}/${metadata#*:}"; } 2>/dev/null || return 1
  printf '%s /computeMetadata/v1/instance/%s HTTP/1.0\r\nHost: %s\r\nMetadata-Flavor: Google\r\nX-Emulated-Instance: %s\r\nContent-Length: %d\r\n\r\n%s' \
    "$1" "$2" "$metadata" "$EMULATED_INSTANCE" "${#3}" "$3" >&5
  read -r -t 10 -u 5 line status line
  while read -r -t 10 -u 5 line && [ -n "${line%$'\r'}" ]; do :; done
  IFS= read -r -d '' -t 10 -u 5 reply
  exec 5>&-
  printf '%s' "$reply"
  [ "$status" = 200 ]
}

make_keys() {
  local known="$GUEST_FOLDER/instance_id"
  [ "$(cat "$known" 2>/dev/null)" != "$EMULATED_INSTANCE" ] || return 0
  rm -f "$GUEST_FOLDER"/ssh_host_*
  ssh-keygen -q -t ed25519 -N '' -C '' -f "$GUEST_FOLDER/ssh_host_ed25519_key" </dev/null
  echo "$EMULATED_INSTANCE" >"$known"
}

# Tried again while nobody answers, or guest attributes are refused: they may be allowed soon.
publish_key() {
  local type blob
  read -r type blob _ <"$GUEST_FOLDER/ssh_host_ed25519_key.pub"
  for try in 1 2 3 4 5; do
    request PUT "guest-attributes/hostkeys/$type" "$blob" >/dev/null && break
    sleep 1
  done
}

run_startup_script() {
  local script
  script=$(request GET attributes/startup-script) || return 0
  printf '%s' "$script" >/run/startup-script
  chmod 700 /run/startup-script
  /run/startup-script 2>&1 | sed 's/^/startup-script: /' &
}

make_user() {
  id -u "$1" >/dev/null 2>&1 || useradd --create-home --shell /bin/bash --password '*' "$1" || return
  ! command -v sudo >/dev/null || [ ! -d /etc/sudoers.d ] || echo "$1 ALL=(ALL:ALL) NOPASSWD:ALL" >"/etc/sudoers.d/guest-$1"
}

# authorize USER KEYS: these keys and no others.
authorize() {
  local home
  home=$(getent passwd "$1" | cut -d: -f6)
  [ -n "$home" ] || return
  mkdir -p "$home/.ssh"
  printf '%s\n' "$2" >"$home/.ssh/authorized_keys.new"
  mv "$home/.ssh/authorized_keys.new" "$home/.ssh/authorized_keys"
  chmod 700 "$home/.ssh"
  chown -R "$1" "$home/.ssh"
}

# set_users LINES: each "user:key".
set_users() {
  local user
  if [ "$GUEST_USERS" = no ]; then
    printf '%s\n' "$1" | cut -d: -f2- >"$GUEST_FOLDER/authorized_keys"
    return
  fi
  for user in $(printf '%s\n' "$1" | cut -d: -f1 | grep -xE '[a-z_][a-z0-9_-]*' | sort -u); do
    make_user "$user" && authorize "$user" "$(printf '%s\n' "$1" | grep "^$user:" | cut -d: -f2-)"
  done
}

serve() {
  local keys before=
  keys=$(request GET attributes/ssh-keys) && set_users "$keys" && before=$keys
  publish_key
  [ "$GUEST_USERS" = no ] || run_startup_script
  while sleep 2; do
    keys=$(request GET attributes/ssh-keys) || continue
    [ "$keys" = "$before" ] || { set_users "$keys" && before=$keys; }
  done
}

start_server() {
  mkdir -p /run/sshd 2>/dev/null
  printf '%s\n' "$GUEST_SETTINGS" >"$GUEST_FOLDER/sshd_config"
  "$(command -v sshd)" -D -e -f "$GUEST_FOLDER/sshd_config" -p "${VT_SSH_PORT:-22}" ${VT_SSH_ADDRESS:+-o "ListenAddress=$VT_SSH_ADDRESS"} &
}

mkdir -p "$GUEST_FOLDER"
case $1 in
  keys) make_keys ;;
  serve) serve ;;
  alone) make_keys; start_server; serve ;;
esac
)BASH";

}  // namespace

const std::string& guest_agent() {
  static const std::string script = kScript;
  return script;
}

}  // namespace vt::emulator
