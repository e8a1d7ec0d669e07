#include "remote-agent/checks/disk_fio.hpp"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <nlohmann/json.hpp>
#include <sstream>

namespace vt::checks {

namespace {

using nlohmann::json;
constexpr std::size_t kLongest = 1 << 20;

std::string first_line(const std::string& text) { return text.substr(0, std::min<std::size_t>(text.find('\n'), 200)); }

struct Said {
  std::string text;
  bool in_time = false;
};

Said read_all(int fd, std::int64_t stop_at) {
  Said out;
  agent::set_nonblocking(fd);
  while (agent::wait_readable(fd, stop_at - agent::boot_ms())) {
    auto chunk = agent::read_chunk(fd);
    out.text.append(chunk.bytes.substr(0, kLongest - std::min(kLongest, out.text.size())));
    if (chunk.end) return out.in_time = true, out;
  }
  return out;
}

Result<std::string> output_of(std::vector<std::string> words, std::int64_t stop_at) {
  std::vector<char*> argv;
  for (auto& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  auto pipe = agent::make_pipe();
  auto pid = fork();
  if (pid == 0) {
    dup2(pipe.write.get(), 1), dup2(pipe.write.get(), 2);
    execvp(argv[0], argv.data());
    _exit(127);
  }
  if (pid < 0 || !pipe.read) return fail(Errc::internal, "cannot start a program");
  pipe.write.reset();
  auto said = read_all(pipe.read.get(), stop_at);
  if (!said.in_time) kill(pid, SIGKILL);
  int status = 0;
  waitpid(pid, &status, 0);
  if (!said.in_time) return fail(Errc::timeout, "fio did not end in time");
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return said.text;
  return fail(Errc::refused, "fio: " + first_line(said.text));
}

}  // namespace

bool has_fio() {
  auto* path = std::getenv("PATH");
  std::istringstream folders(path ? path : "");
  for (std::string folder; std::getline(folders, folder, ':');)
    if (access((folder + "/fio").c_str(), X_OK) == 0) return true;
  return false;
}

Result<IoFigures> read_fio(const std::string& text, const FioJob& job) try {
  auto start = text.find('{');  // warnings come first
  auto document = json::parse(start == std::string::npos ? "" : text.substr(start));
  auto& done = document.at("jobs").at(0);
  if (auto error = done.at("error").get<int>(); error != 0) return fail(Errc::refused, "fio: error " + std::to_string(error));
  auto& side = done.at(job.access.ends_with("read") ? "read" : "write");
  auto& latency = job.fsync ? done.at("sync").at("lat_ns") : side.at("clat_ns");
  IoFigures out;
  out.bytes = side.at("io_bytes").get<std::uint64_t>();
  out.bytes_per_second = side.at("bw_bytes").get<double>();
  out.per_second = side.at("iops").get<double>();
  out.p50_us = latency.at("percentile").at("50.000000").get<double>() / 1000;
  out.p99_us = latency.at("percentile").at("99.000000").get<double>() / 1000;
  if (out.bytes == 0) return fail(Errc::refused, "fio moved nothing");
  return out;
} catch (const json::exception&) { return fail(Errc::refused, "fio does not say what it measured: " + first_line(text)); }

Result<IoFigures> run_fio(const Scratch& file, const FioJob& job, std::int64_t stop_at) {
  // The data is new for every block: a drive that compresses has nothing to gain.
  std::vector<std::string> words = {"fio",
                                    "--name=vault-test",
                                    "--output-format=json",
                                    "--filename=" + file.path(),
                                    "--rw=" + job.access,
                                    "--direct=" + std::string(file.direct() ? "1" : "0"),
                                    "--refill_buffers",
                                    "--randrepeat=0",
                                    "--overwrite=1"};
  words.insert(words.end(), job.words.begin(), job.words.end());
  VT_TRY(auto text, output_of(words, stop_at));
  return read_fio(text, job);
}

}  // namespace vt::checks
