#include "remote-agent/journal.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "remote-agent/lines.hpp"
#include "remote-agent/processes.hpp"

namespace vt::agent {

namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kKeptMs = 7LL * 24 * 3600 * 1000;
constexpr std::int64_t kUnfinishedMs = 3600 * 1000;  ///< a prepared folder that was never published
constexpr off_t kReserve = 16 * 1024;                ///< enough for a result without output
constexpr const char* kUnfinished = ".new-";

std::string because() { return std::string(": ") + std::strerror(errno); }

/// The id as one file name, different for different ids.
std::string safe_name(const std::string& job) {
  std::string out;
  for (char c : job) {
    bool plain = std::isalnum(static_cast<unsigned char>(c)) || c == '-' || c == '_' || (c == '.' && !out.empty());
    char escaped[4];
    std::snprintf(escaped, sizeof escaped, "%%%02X", static_cast<unsigned char>(c));
    out += plain ? std::string(1, c) : escaped;
  }
  return out;
}

/// Makes `path` a folder of ours alone; what is there already must be one.
bool usable(const std::string& path) {
  std::error_code ignored;
  fs::create_directories(fs::path(path).parent_path(), ignored);
  mkdir(path.c_str(), 0700);
  Fd folder(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  struct stat info {};
  if (!folder || fstat(folder.get(), &info) != 0 || info.st_uid != geteuid()) return false;
  if ((info.st_mode & 077) != 0 && fchmod(folder.get(), 0700) != 0) return false;
  auto jobs = path + "/jobs";
  return (mkdir(jobs.c_str(), 0700) == 0 || errno == EEXIST) && access(jobs.c_str(), W_OK | X_OK) == 0;
}

std::vector<std::string> candidates() {
  auto user = std::to_string(geteuid());
  auto* state = std::getenv("XDG_STATE_HOME");
  auto* home = std::getenv("HOME");
  std::vector<std::string> out;
  if (state && *state == '/') out.push_back(std::string(state) + "/vault-test-agent");
  if (home && *home == '/') out.push_back(std::string(home) + "/.local/state/vault-test-agent");
  for (std::string folder : {"/var/tmp", "/dev/shm"}) out.push_back(folder + "/vault-test-agent-" + user);
  return out;
}

std::int64_t age_ms(const std::string& path) {
  struct stat info {};
  return stat(path.c_str(), &info) == 0 ? wall_ms() - info.st_mtim.tv_sec * 1000 : 0;
}

}  // namespace

bool JobMeta::alive() const {
  auto now = find_process(supervisor);
  return boot == boot_id() && now && now->start_ticks == start_ticks && now->state != 'Z';
}

std::optional<JobMeta> JobFolder::meta() const {
  auto frame = frame_of(read_file(path + "/meta"));
  if (!frame) return std::nullopt;
  JobMeta out{text_in(*frame, "job"), text_in(*frame, "group"), text_in(*frame, "boot"), 0, number_in(*frame, "ticks", 0)};
  out.supervisor = static_cast<pid_t>(number_in(*frame, "pid", 0));
  return out.supervisor > 0 ? std::optional(out) : std::nullopt;
}

Status JobFolder::write_meta(const JobMeta& m) const {
  Fd file(open((path + "/meta").c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
  auto text = line_of({{"job", m.job}, {"group", m.group}, {"boot", m.boot}, {"pid", m.supervisor}, {"ticks", m.start_ticks}});
  if (!file || !write_all(file.get(), text)) return fail(Errc::disk_full, "cannot write the job's meta file" + because());
  return {};
}

bool JobFolder::ended() const {
  auto m = meta();
  if (!m || !m->alive()) return true;
  Fd file(open(journal().c_str(), O_RDONLY | O_CLOEXEC));
  std::string end(protocol::kMaxFrame + 2, '\0');
  auto from = std::max<off_t>(0, lseek(file.get(), 0, SEEK_END) - static_cast<off_t>(end.size()));
  auto n = pread(file.get(), end.data(), end.size(), from);
  if (n <= 1) return false;
  end.resize(static_cast<std::size_t>(n) - 1);  // the last line's end
  auto frame = frame_of(end.substr(end.rfind('\n') + 1));
  return frame && text_in(*frame, "t") == "result";
}

bool JobFolder::order(const std::string& line) const {
  Fd fifo(open(control().c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC));
  if (!fifo) return false;
  fcntl(fifo.get(), F_SETPIPE_SZ, static_cast<int>(protocol::kMaxFrame));
  return write_all(fifo.get(), line);
}

void JobFolder::remove() const {
  std::error_code ignored;
  fs::remove_all(path, ignored);
}

Result<StateFolder> StateFolder::open() {
  std::string tried;
  for (auto& path : candidates()) {
    if (usable(path)) {
      StateFolder folder(path);
      folder.remove_old();
      return folder;
    }
    tried += (tried.empty() ? "" : ", ") + path;
  }
  return fail(Errc::storage, "no folder for detached jobs; tried " + tried);
}

std::optional<JobFolder> StateFolder::find(const std::string& job) const {
  JobFolder folder{jobs() + "/" + safe_name(job)};
  return folder.meta() ? std::optional(folder) : std::nullopt;
}

std::vector<JobFolder> StateFolder::all() const {
  std::vector<JobFolder> out;
  std::error_code ignored;
  for (auto& entry : fs::directory_iterator(jobs(), ignored)) out.push_back({entry.path()});
  return out;
}

Result<JobFolder> StateFolder::prepare(const std::string& job) const {
  if (safe_name(job).size() > 200) return fail(Errc::usage, "the job's id is too long");
  auto pattern = jobs() + "/" + kUnfinished + "XXXXXX";
  if (!mkdtemp(pattern.data())) return fail(Errc::disk_full, "cannot make the job's folder" + because());
  JobFolder folder{pattern};
  Fd journal(::open(folder.journal().c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  Fd reserve(::open(folder.reserve().c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  errno = reserve ? posix_fallocate(reserve.get(), 0, kReserve) : errno;
  if (!journal || !reserve || errno != 0 || mkfifo(folder.control().c_str(), 0600) != 0) {
    auto why = because();
    folder.remove();
    return fail(Errc::disk_full, "cannot make the job's journal" + why);
  }
  return folder;
}

bool StateFolder::publish(JobFolder& folder, const std::string& job) const {
  auto path = jobs() + "/" + safe_name(job);
  if (rename(folder.path.c_str(), path.c_str()) != 0) return false;
  folder.path = path;
  return true;
}

void StateFolder::remove_old() const {
  for (auto& folder : all()) {
    bool unfinished = fs::path(folder.path).filename().string().rfind(kUnfinished, 0) == 0;
    auto meta = folder.meta();
    if (age_ms(folder.journal()) > (unfinished ? kUnfinishedMs : kKeptMs) && !(meta && meta->alive())) folder.remove();
  }
}

}  // namespace vt::agent
