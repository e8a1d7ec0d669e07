#include "remote-agent/worker_process.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <map>
#include <sstream>

namespace vt::agent {

namespace {

using protocol::Job;
using Environment = std::map<std::string, std::string>;

Environment clean_environment(const Job& job) {
  Environment out = {{"PATH", program_path()}, {"LANG", "C.UTF-8"}, {"LC_ALL", "C.UTF-8"}, {"TMPDIR", "/tmp"}};
  for (auto* name : {"HOME", "USER", "TMPDIR"})
    if (auto* value = std::getenv(name)) out[name] = value;
  if (job.kind == "agent")  // where the user says that NVIDIA's libraries are, and how kernels are loaded
    for (auto* name : {"LD_LIBRARY_PATH", "VT_PAYLOAD", "VIRTUAL_ENV", "CONDA_PREFIX", "VT_RUNG"})
      if (auto* value = std::getenv(name)) out[name] = value;
  for (auto& [name, value] : job.environment) out[name] = value;
  return out;
}

/// The program as execve wants it; empty if there is none of that name.
std::string find_program(const std::string& name, const std::string& path) {
  if (name.find('/') != std::string::npos) return access(name.c_str(), F_OK) == 0 ? name : "";
  std::istringstream folders(path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    auto candidate = folder + "/" + name;
    struct stat info {};
    if (access(candidate.c_str(), X_OK) == 0 && stat(candidate.c_str(), &info) == 0 && S_ISREG(info.st_mode)) return candidate;
  }
  return "";
}

std::string own_path() {
  char path[4096];
  auto n = readlink("/proc/self/exe", path, sizeof path);
  return n > 0 ? std::string(path, static_cast<std::size_t>(n)) : "";
}

std::vector<std::string> own_words(const Job& job) {
  if (job.kind == "agent") return {own_path(), "--worker", job.name};
  return job.kind == "script" ? std::vector{job.interpreter} : job.argv;
}

/// `sudo -n` in front. Names of the job's variables are passed on, their values never appear in argv.
std::vector<std::string> under_sudo(std::vector<std::string> words, const Job& job) {
  std::vector<std::string> out = {"sudo", "-n"};
  std::string names;
  for (auto& [name, value] : job.environment) names += (names.empty() ? "" : ",") + name;
  if (!names.empty()) out.push_back("--preserve-env=" + names);
  out.push_back("--");
  out.insert(out.end(), words.begin(), words.end());
  return out;
}

/// A file in memory, so that a script is in no argv, on no disk, and needs nobody to feed it.
Fd script_file(const std::string& text) {
  Fd file(memfd_create("script", MFD_CLOEXEC));
  if (!file || !write_all(file.get(), text) || lseek(file.get(), 0, SEEK_SET) != 0) return Fd{};
  return file;
}

struct Ends {
  Fd input, out, err;  ///< the worker's 0, 1 and 2
};

/// Everything a program inherits, prepared before fork.
struct Image {
  std::string program;
  std::vector<std::string> words, variables;
  [[nodiscard]] static std::vector<char*> pointers(std::vector<std::string>& of) {
    std::vector<char*> out;
    for (auto& s : of) out.push_back(s.data());
    out.push_back(nullptr);
    return out;
  }
};

[[noreturn]] void become(Image& image, const Ends& ends, const Fd& report, pid_t supervisor) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != supervisor) _exit(127);
  dup2(ends.input.get(), 0), dup2(ends.out.get(), 1), dup2(ends.err.get(), 2);
  umask(077);
  rlimit none{0, 0};
  setrlimit(RLIMIT_CORE, &none);
  sigset_t empty;
  sigemptyset(&empty);
  sigprocmask(SIG_SETMASK, &empty, nullptr);
  for (int s : {SIGPIPE, SIGHUP, SIGCHLD}) signal(s, SIG_DFL);
  if (chdir("/") == 0) execve(image.program.c_str(), Image::pointers(image.words).data(), Image::pointers(image.variables).data());
  int why = errno;
  write_all(report.get(), {reinterpret_cast<char*>(&why), sizeof why});
  _exit(127);
}

Result<Image> prepare(const Job& job) {
  auto environment = clean_environment(job);
  Image image;
  image.words = own_words(job);
  for (auto& word : image.words)
    if (word.find('\0') != std::string::npos) return fail(Errc::usage, "an argument holds a NUL byte");
  auto missing = image.words[0];
  image.program = find_program(image.words[0], environment["PATH"]);
  if (job.root && geteuid() != 0 && !image.program.empty()) {
    image.words = under_sudo(image.words, job);
    image.program = find_program("sudo", environment["PATH"]);
    if (image.program.empty()) return fail(Errc::refused, "needs root: there is no sudo");
  }
  if (image.program.empty()) return fail(Errc::not_found, "no such program: " + missing);
  for (auto& [name, value] : environment) image.variables.push_back(name + "=" + value);
  return image;
}

/// Makes the worker's ends and keeps ours in `worker`.
Result<Ends> connect_ends(const Job& job, WorkerProcess& worker) {
  auto out = make_pipe(), err = make_pipe();
  Ends ends{Fd{}, std::move(out.write), std::move(err.write)};
  auto& from_worker = job.kind == "agent" ? worker.frames : worker.out;
  from_worker = std::move(out.read), worker.err = std::move(err.read);
  if (job.kind == "agent") {
    auto [mine, theirs] = make_pipe();
    ends.input = std::move(mine), worker.input = std::move(theirs);
    set_nonblocking(worker.input.get());
  } else {
    ends.input = job.kind == "script" ? script_file(job.script) : Fd(open("/dev/null", O_RDONLY | O_CLOEXEC));
  }
  if (!ends.input || !from_worker || !worker.err)
    return fail(Errc::internal, std::string("cannot start a program: ") + std::strerror(errno));
  set_nonblocking(from_worker.get()), set_nonblocking(worker.err.get());
  return ends;
}

}  // namespace

std::string program_path() {
  std::string path = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
  if (access("/usr/local/cuda/bin", X_OK) == 0) path += ":/usr/local/cuda/bin";
  return path;
}

Result<WorkerProcess> start_worker(const Job& job) {
  VT_TRY(auto image, prepare(job));
  WorkerProcess worker;
  VT_TRY(auto ends, connect_ends(job, worker));
  auto report = make_pipe();
  auto supervisor = getpid();
  worker.pid = fork();
  if (worker.pid == 0) become(image, ends, report.write, supervisor);
  if (worker.pid < 0) return fail(Errc::internal, std::string("cannot start a process: ") + std::strerror(errno));
  setpgid(worker.pid, worker.pid);  // both sides do it, so that it is done whoever comes first
  report.write.reset();
  int why = 0;
  if (read(report.read.get(), &why, sizeof why) != sizeof why) return worker;
  auto program = job.kind == "agent" ? job.name : image.program;
  if (why == ENOENT) return fail(Errc::not_found, "no such program: " + program);
  return fail(Errc::not_found, "cannot run " + program + ": " + std::strerror(why));
}

}  // namespace vt::agent
