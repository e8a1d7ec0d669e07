#include "orchestrator/host/payload.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "orchestrator/host/fd.hpp"
#include "orchestrator/model/sha256.hpp"
#include "orchestrator/model/text.hpp"

namespace vt {

namespace {

namespace fs = std::filesystem;

// Constants: what varies comes as $1 (the agent's folder), $2 (SHA-256 in hex), $3 (length, or the set's id) and $4 (a name). No single
// quote, newline or exclamation mark may be in them.

/// Exit 3: not there. A link or somebody else's file is none.
constexpr const char* kFind =
    "LC_ALL=C; f=\"$1/payload/$2\"; if [ -h \"$1/payload\" ] || [ -h \"$f\" ]; then exit 3; fi; [ -f \"$f\" ] && [ -O \"$f\" ] || exit 3; "
    "s=$(sha256sum <\"$f\"); [ \"${s%% *}\" = \"$2\" ] || exit 3; touch \"$f\"";

/// Exit 6: could not be written; 7: what arrived is not what was sent. Files nobody used for a month go.
constexpr const char* kPut =
    "LC_ALL=C; umask 077; d=\"$1/payload\"; mkdir -p \"$d\" && [ ! -h \"$d\" ] && [ -O \"$d\" ] || exit 6; p=\"$d/.part.$$\"; "
    "cat >\"$p\" || { rm -f \"$p\"; exit 6; }; n=$(wc -c <\"$p\"); s=$(sha256sum <\"$p\"); "
    "[ \"$n\" -eq \"$3\" ] && [ \"${s%% *}\" = \"$2\" ] || { rm -f \"$p\"; echo \"$n bytes arrived\" >&2; exit 7; }; "
    "mv -f \"$p\" \"$d/$2\" || exit 6; find \"$d\" -maxdepth 1 -type f -mtime +30 -exec rm -f {} + 2>/dev/null; exit 0";

constexpr const char* kName =
    "umask 077; mkdir -p \"$1/payload/set-$3\" && [ ! -h \"$1/payload/set-$3\" ] && ln -sfn \"../$2\" \"$1/payload/set-$3/$4\" || exit 6";

/// A file in memory as long as this lives.
class Mapped {
 public:
  Mapped(const std::string& path, std::size_t bytes) : bytes_(bytes) {
    Fd file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (file.get() >= 0 && bytes > 0) at_ = mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE, file.get(), 0);
  }
  ~Mapped() {
    if (good()) munmap(at_, bytes_);
  }
  Mapped(const Mapped&) = delete;
  Mapped& operator=(const Mapped&) = delete;
  [[nodiscard]] bool good() const { return at_ != MAP_FAILED; }
  [[nodiscard]] std::string_view text() const { return {static_cast<const char*>(at_), bytes_}; }

 private:
  void* at_ = MAP_FAILED;
  std::size_t bytes_;
};

bool is_plain(const std::string& name) {
  return name.front() != '.' && name.front() != '-' &&
         name.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._+-") == std::string::npos;
}

Result<Payload::File> read_one(const fs::path& path) {
  Payload::File file{path.filename().string(), path.string(), "", 0};
  if (!is_plain(file.name))
    return fail(Errc::config, "payload: " + path.string() + " has a name that is more than letters, digits and ._+-");
  std::error_code failed;
  file.bytes = fs::file_size(path, failed);
  Mapped mapped(file.path, failed ? 0 : file.bytes);
  if (!mapped.good()) return fail(Errc::config, "payload: cannot read " + path.string() + ", or it is empty");
  file.sha256 = sha256_hex(mapped.text());
  return file;
}

/// The set, whatever the order and wherever it was read from.
std::string id_of(const Payload& payload) {
  std::string text;
  for (auto& file : payload.files) text += file.name + " " + file.sha256 + "\n";
  return sha256_hex(text).substr(0, 16);
}

Result<int> run_script(Transport& host, const char* script, const std::vector<std::string>& words, std::string_view input,
                       Deadline deadline) {
  auto command = "exec /bin/sh -c " + shell_quote(script) + " vault-test";
  for (auto& word : words) command += " " + shell_quote(word);
  VT_TRY(auto result, exec(host, command, input, deadline));
  if (result.exit_code == 0 || result.exit_code == 3) return result.exit_code;
  auto said = printable(trim(result.err));
  auto code = said.find("No space left") != std::string::npos ? Errc::disk_full : result.exit_code == 7 ? Errc::transport : Errc::refused;
  return fail(code, "payload: " + host.where() + ": " + (said.empty() ? "exit " + std::to_string(result.exit_code) : said));
}

Status put(Transport& host, const Payload::File& file, const std::string& folder, std::uint64_t& uploaded, Deadline deadline) {
  VT_TRY(int found, run_script(host, kFind, {folder, file.sha256}, "", deadline));
  if (found == 0) return {};
  Mapped mapped(file.path, file.bytes);
  if (!mapped.good()) return fail(Errc::config, "payload: cannot read " + file.path);
  VT_TRY([[maybe_unused]] int done, run_script(host, kPut, {folder, file.sha256, std::to_string(file.bytes)}, mapped.text(), deadline));
  uploaded += file.bytes;
  return {};
}

}  // namespace

Result<Payload> read_payload(const std::string& folder) {
  Payload out;
  std::error_code failed;
  for (auto& part : {fs::path(folder), fs::path(folder) / "lib"}) {
    if (part != fs::path(folder) && !fs::is_directory(part, failed)) continue;
    fs::directory_iterator at(part, failed), end;
    if (failed) return fail(Errc::config, "payload: cannot read " + part.string() + ": " + failed.message());
    for (; !failed && at != end; at.increment(failed)) {
      if (!at->is_regular_file(failed)) continue;
      VT_TRY(auto file, read_one(at->path()));
      out.files.push_back(std::move(file));
    }
  }
  if (out.files.empty()) return fail(Errc::config, "payload: " + folder + " holds no file");
  std::sort(out.files.begin(), out.files.end(), [](auto& a, auto& b) { return a.name < b.name; });
  auto twice = std::adjacent_find(out.files.begin(), out.files.end(), [](auto& a, auto& b) { return a.name == b.name; });
  if (twice != out.files.end()) return fail(Errc::config, "payload: " + folder + " holds " + twice->name + " twice, also in lib/");
  return out;
}

Result<std::string> deploy_payload(Transport& host, const Payload& payload, const std::string& folder, std::uint64_t& uploaded,
                                   Deadline deadline) {
  auto id = id_of(payload);
  for (auto& file : payload.files) {
    VT_CHECK(put(host, file, folder, uploaded, deadline));
    VT_TRY([[maybe_unused]] int named, run_script(host, kName, {folder, file.sha256, id, file.name}, "", deadline));
  }
  return folder + "/payload/set-" + id;
}

}  // namespace vt
