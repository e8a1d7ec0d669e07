#pragma once
#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "orchestrator/model/result.hpp"
#include "remote-agent/base/os.hpp"

namespace vt::agent {

/// Who runs a detached job.
struct JobMeta {
  std::string job, group, boot;
  pid_t supervisor = 0;
  std::int64_t start_ticks = 0;
  /// That very process still runs.
  [[nodiscard]] bool alive() const;
};

/// The folder of one detached job: journal (its frames), meta, control (a FIFO for orders), reserve (space kept for the
/// result on a full disk).
struct JobFolder {
  std::string path;
  [[nodiscard]] std::string journal() const { return path + "/journal"; }
  [[nodiscard]] std::string control() const { return path + "/control"; }
  [[nodiscard]] std::string reserve() const { return path + "/reserve"; }
  [[nodiscard]] std::optional<JobMeta> meta() const;
  Status write_meta(const JobMeta&) const;
  /// Nothing will be added to the journal: it has a result, or its supervisor is dead.
  [[nodiscard]] bool ended() const;
  /// Gives a line to the supervisor; false: nobody is there to read it.
  [[nodiscard]] bool order(const std::string& line) const;
  void remove() const;
};

/// Where this user's detached jobs are kept on this host.
class StateFolder {
 public:
  /// The first usable one of $XDG_STATE_HOME/vault-test-agent, ~/.local/state/vault-test-agent,
  /// /var/tmp/vault-test-agent-UID and /dev/shm/vault-test-agent-UID: ours alone, and no link. Removes jobs that ended
  /// more than seven days ago.
  static Result<StateFolder> open();
  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] std::optional<JobFolder> find(const std::string& job) const;
  [[nodiscard]] std::vector<JobFolder> all() const;
  /// A folder nobody sees yet, with journal, control and reserve in it.
  [[nodiscard]] Result<JobFolder> prepare(const std::string& job) const;
  /// Gives the prepared folder its name. False: the job exists already; of any number of attempts one succeeds.
  [[nodiscard]] bool publish(JobFolder&, const std::string& job) const;

 private:
  explicit StateFolder(std::string path) : path_(std::move(path)) {}
  [[nodiscard]] std::string jobs() const { return path_ + "/jobs"; }
  void remove_old() const;
  std::string path_;
};

}  // namespace vt::agent
