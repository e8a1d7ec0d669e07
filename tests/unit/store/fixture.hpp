#pragma once
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <memory>
#include <string>

#include "orchestrator/store/ledger.hpp"
#include "orchestrator/store/store.hpp"

namespace vt::test {

/// A folder of its own below /tmp, removed at the end.
class TempDir {
 public:
  TempDir() {
    std::string pattern = "/tmp/vt-store-XXXXXX";
    if (mkdtemp(pattern.data())) path_ = pattern;
  }
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;
  ~TempDir() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] std::string state() const { return path_ + "/state"; }

 private:
  std::string path_;
};

/// The value of a Result, or an exception that ends the test (and a child) with its message.
template <class T>
T must(Result<T> result) {
  if (!result) throw std::runtime_error(result.error().what);
  return std::move(result).take();
}
inline void must(const Status& status) {
  if (!status) throw std::runtime_error(status.error().what);
}
template <class T>
Errc code_of(const Result<T>& result) {
  if (result) throw std::runtime_error("expected an error");
  return result.error().code;
}

inline mode_t mode_of(const std::string& path) {
  struct stat info {};
  return stat(path.c_str(), &info) == 0 ? info.st_mode & 07777 : 0;
}

inline ObservationKey key(const std::string& run, const std::string& host, const std::string& check, int attempt = 1) {
  return {.run = run, .layer = "rack", .host = host, .attempt = attempt, .check = check, .subject = ""};
}

inline Judgement judgement(const ObservationKey& k, Verdict verdict) {
  Judgement j;
  j.key = k, j.verdict = verdict, j.at = 1'700'000'000'000;
  if (verdict != Verdict::pass) j.cause = Cause::host, j.reason = "said so";
  return j;
}

inline Observation observation(const ObservationKey& k) {
  Observation o;
  o.key = k, o.exit_code = 0, o.values["value"] = "6.14.0";
  return o;
}

inline RunRow run_row(const std::string& id, EpochMs started = 1000) {
  RunRow run;
  run.id = id, run.plan = "blackwell", run.level = "quick", run.started = started, run.subject.digest = "d1", run.subject.commit = "c1";
  return run;
}

inline LayerRow layer_row(const std::string& name) {
  LayerRow layer;
  layer.name = name, layer.provider = "bare-metal";
  return layer;
}

/// A run with the layer "rack".
inline void add_run(Store& store, const std::string& id, EpochMs started = 1000) {
  must(store.add_run(run_row(id, started), {layer_row("rack")}, {}));
}

/// A resource as the engine would plan it.
inline Resource resource(Ledger& ledger, const std::string& run = "r1") {
  Resource r;
  r.owner = must(ledger.new_ownership("runpod", "acct", Duration{3'600'000}));
  r.provider = "runpod", r.account = "acct", r.kind = "pod", r.run = run, r.layer = "rack";
  r.hourly = Money{690'000}, r.reserved = Money{1'380'000}, r.lease_until = r.owner.expires;
  return r;
}

/// Runs `body` in a process of its own, whose exit status it gives; an exception of must() becomes 99.
template <class Body>
pid_t in_child(Body body) {
  auto pid = fork();
  if (pid != 0) return pid;
  try {
    _exit(body());
  } catch (const std::exception& e) {
    fprintf(stderr, "child: %s\n", e.what());
    _exit(99);
  }
}

inline int exit_status(pid_t pid) {
  int status = 0;
  if (waitpid(pid, &status, 0) != pid) return -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace vt::test
