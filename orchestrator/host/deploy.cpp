#include <algorithm>
#include <cstring>
#include <fstream>
#include <optional>

#include "orchestrator/host/agent_session.hpp"
#include "orchestrator/host/payload.hpp"
#include "orchestrator/model/failpoint.hpp"
#include "orchestrator/model/sha256.hpp"
#include "orchestrator/model/text.hpp"

namespace vt {

namespace {

// The scripts are constants: what varies comes as $1 (SHA-256 in hex) and $2 (length in decimal). They run under any
// POSIX sh, and as one word of any login shell: no single quote, newline or exclamation mark may be in them.

/// Folders that are ours: $d is one of them in the loop's body. Ends with the loop's `do`.
constexpr const char* kEachFolder =
    "LC_ALL=C; export LC_ALL; umask 077; u=$(id -u); "
    "command -v sha256sum >/dev/null || { echo sha256sum is missing >&2; exit 4; }; "
    "for d in \"$HOME/.cache/vault-test\" \"/var/tmp/vault-test-$u\" \"/dev/shm/vault-test-$u\"; do ";

/// Exit 3: not there.
constexpr const char* kFind =
    "f=\"$d/vault-test-agent-$1\"; "
    "if [ -h \"$d\" ] || [ -h \"$f\" ]; then continue; fi; [ -O \"$d\" ] && [ -O \"$f\" ] && [ -f \"$f\" ] || continue; "
    "s=$(sha256sum <\"$f\"); [ \"${s%% *}\" = \"$1\" ] || continue; \"$f\" --version >/dev/null 2>&1 || continue; "
    "touch \"$f\"; printf \"%s\\n\" \"$f\"; exit 0; done; exit 3";

/// Exit 5: no folder is usable; 6: the upload failed, with the reason on stderr; 7: what arrived is not what was sent;
/// 8: it does not start. A small script tells folders that are mounted noexec before the upload.
constexpr const char* kPut =
    "mkdir -p \"$d\" 2>/dev/null; if [ -h \"$d\" ]; then continue; fi; [ -d \"$d\" ] && [ -O \"$d\" ] && chmod 700 \"$d\" || continue; "
    "f=\"$d/vault-test-agent-$1\"; p=\"$d/.part.$$\"; "
    "e=$( { printf \"#!/bin/sh\\nexit 0\\n\" >\"$p\" && chmod 700 \"$p\"; } 2>&1 ) || "
    "case \"$e\" in *space*|*quota*) rm -f \"$p\"; echo \"$e\" >&2; exit 6;; *) continue;; esac; "
    "\"$p\" 2>/dev/null || { rm -f \"$p\"; continue; }; "
    "cat >\"$p\" || { rm -f \"$p\"; exit 6; }; "
    "n=$(wc -c <\"$p\"); s=$(sha256sum <\"$p\"); "
    "[ \"$n\" -eq \"$2\" ] && [ \"${s%% *}\" = \"$1\" ] || { rm -f \"$p\"; echo \"$n bytes arrived\" >&2; exit 7; }; "
    "\"$p\" --version >/dev/null || { rm -f \"$p\"; exit 8; }; mv -f \"$p\" \"$f\" || exit 6; "
    "find \"$d\" -type f \"(\" -name \"vault-test-agent-*\" -mtime +30 -o -name \".part.*\" -mtime +1 \")\" -exec rm -f {} + 2>/dev/null; "
    "printf \"%s\\n\" \"$f\"; exit 0; done; exit 5";

/// Libraries of CUDA have hundreds of MB; the connection is known to work by then.
constexpr Duration kPayloadTime = std::chrono::minutes(15);

struct Binary {
  std::string bytes, sha256;
};

Result<Binary> load(const AgentBinaries& binaries, const std::string& arch) {
  auto path = binaries.path(arch);
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  if (!file) return fail(Errc::not_found, "deploy: no agent for architecture " + printable(arch) + " here (" + path + ")");
  Binary binary;
  binary.bytes.resize(static_cast<std::size_t>(std::max<std::streamoff>(0, file.tellg())));
  file.seekg(0);
  if (!file.read(binary.bytes.data(), static_cast<std::streamsize>(binary.bytes.size()))) binary.bytes.clear();
  if (binary.bytes.empty()) return fail(Errc::internal, "deploy: cannot read " + path);
  binary.sha256 = sha256_hex(binary.bytes);
  return binary;
}

Result<ExecResult> run_script(Transport& host, const char* body, const Binary& binary, std::string_view input, Deadline deadline) {
  auto script = shell_quote(std::string(kEachFolder) + body);
  auto command = "exec /bin/sh -c " + script + " vault-test " + binary.sha256 + " " + std::to_string(binary.bytes.size());
  return exec(host, command, input, deadline);
}

/// The path a script printed as its last line: a login script may print before it.
std::string last_line(std::string_view out) {
  out = trim(out);
  auto at = out.rfind('\n');
  return std::string(at == std::string_view::npos ? out : out.substr(at + 1));
}

Error explain(const ExecResult& result, const std::string& where) {
  auto said = printable(trim(result.err));
  auto full = said.find("No space left") != std::string::npos || said.find("uota exceeded") != std::string::npos;
  if (full) return {Errc::disk_full, "deploy: disk full on " + where + ": " + said};
  switch (result.exit_code) {
    case 4: return {Errc::refused, "deploy: " + where + " has no sha256sum; install coreutils there"};
    case 5:
      return {Errc::refused, "deploy: no folder on " + where + " is ours, writable and executable (tried ~/.cache, /var/tmp, /dev/shm)"};
    case 7: return {Errc::transport, "deploy: the upload to " + where + " was incomplete: " + said};
    case 8: return {Errc::refused, "deploy: the agent does not start on " + where + ": " + said};
    default: return {Errc::refused, "deploy: the upload to " + where + " failed (exit " + std::to_string(result.exit_code) + "): " + said};
  }
}

Result<std::string> architecture(Transport& host, Deadline deadline) {
  VT_TRY(auto result, exec(host, "uname -m", "", deadline));
  auto arch = last_line(result.out);
  bool plain = !arch.empty() && arch.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") == std::string::npos;
  if (result.exit_code == 0 && plain) return arch;
  return fail(Errc::refused, "deploy: " + host.where() + " does not run commands as expected (`uname -m` gave exit " +
                                 std::to_string(result.exit_code) + ", '" + printable(arch.substr(0, 80)) + "'); a restricted shell?");
}

Result<std::optional<std::string>> find(Transport& host, const Binary& binary, Deadline deadline) {
  VT_TRY(auto result, run_script(host, kFind, binary, "", deadline));
  if (result.exit_code == 0) return last_line(result.out);
  if (result.exit_code == 3) return std::nullopt;
  return fail(explain(result, host.where()));
}

Result<std::string> upload(Transport& host, const Binary& binary, Deadline deadline) {
  VT_FAILPOINT("agent.deploy");
  VT_TRY(auto result, run_script(host, kPut, binary, binary.bytes, deadline));
  if (result.exit_code != 0) return fail(explain(result, host.where()));
  return last_line(result.out);
}

}  // namespace

Result<Deployed> deploy(Transport& host, const AgentBinaries& binaries, Deadline deadline) {
  Deployed out;
  VT_TRY(out.arch, architecture(host, deadline));
  VT_TRY(auto binary, load(binaries, out.arch));
  VT_TRY(auto path, find(host, binary, deadline));
  if (!path) {
    VT_TRY(path, upload(host, binary, deadline));
    out.uploaded = binary.bytes.size();
  }
  VT_FAILPOINT("agent.deployed");
  std::string given;
  if (!binaries.payload.empty()) {
    VT_TRY(auto payload, read_payload(binaries.payload));
    VT_TRY(auto there, deploy_payload(host, payload, path->substr(0, path->rfind('/')), out.uploaded, Deadline::after(kPayloadTime)));
    given = "env VT_PAYLOAD=" + shell_quote(there) + " ";
  }
  out.command = "exec " + given + shell_quote(*path) + " --stdio";
  return out;
}

}  // namespace vt
