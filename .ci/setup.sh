# Sourced by ./vault-test and ./run-tests: installs Debian packages that are missing, after saying so.
# Packages are named with a file or program that shows they are there, so that nothing is asked of dpkg on every start.

build_packages=(
  g++:/usr/bin/g++ cmake:/usr/bin/cmake ninja-build:/usr/bin/ninja pkg-config:/usr/bin/pkg-config git:/usr/bin/git
  libyaml-cpp-dev:/usr/include/yaml-cpp/yaml.h nlohmann-json3-dev:/usr/include/nlohmann/json.hpp
  libssh-dev:/usr/include/libssh/libssh.h libcli11-dev:/usr/include/CLI/CLI.hpp libspdlog-dev:/usr/include/spdlog/spdlog.h
  libsqlite3-dev:/usr/include/sqlite3.h libsqlitecpp-dev:/usr/include/SQLiteCpp/SQLiteCpp.h libexpected-dev:/usr/include/tl/expected.hpp
  libssl-dev:/usr/include/openssl/evp.h libcurl4-openssl-dev:/usr/include/*/curl/curl.h libcpp-httplib-dev:/usr/include/httplib.h
)

as_root() {
  if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi
}

# need PACKAGE:FILE… : installs those whose file is missing.
need() {
  local missing=() entry
  for entry in "$@"; do compgen -G "${entry#*:}" >/dev/null || missing+=("${entry%%:*}"); done
  [ ${#missing[@]} = 0 ] && return 0
  if ! command -v apt-get >/dev/null; then
    echo "missing: ${missing[*]} (Debian names); install them and start again" >&2
    return 1
  fi
  echo "installing: ${missing[*]}" >&2
  as_root apt-get update -qq >&2
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
}

# An OpenSSH server for the pod-like hosts, without installing one: an installed openssh-server would listen on this
# machine's network from then on. The package is only unpacked, into FOLDER.
unpacked_sshd() {
  local folder=$1 file
  [ -x /usr/sbin/sshd ] && return 0
  if [ ! -x "$folder/usr/sbin/sshd" ] && command -v apt-get >/dev/null; then
    echo "fetching openssh-server (unpacked into ${folder#"$PWD"/}, not installed) for the pod-like host" >&2
    mkdir -p "$folder"
    (cd "$folder" && apt-get download -qq openssh-server libwrap0 >/dev/null && for file in *.deb; do dpkg-deb -x "$file" .; done && rm -f ./*.deb) >&2 || return 0
  fi
  [ -x "$folder/usr/sbin/sshd" ] || return 0
  export VAULT_TEST_SSHD=$folder/usr/sbin/sshd
  file=$(compgen -G "$folder/*/*/libwrap.so.0" || compgen -G "$folder/usr/lib/*/libwrap.so.0" || true)
  [ -z "$file" ] || export VAULT_TEST_SSHD_LIB=${file%/*}
}
