#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "orchestrator/host/transport.hpp"
#include "orchestrator/model/capability.hpp"
#include "remote-agent/protocol/frames.hpp"

namespace vt {

class Broker;

/// The agent executables at hand, by architecture ("x86_64" -> path).
struct AgentBinaries {
  std::string folder;   ///< holds vault-test-agent-<arch>
  std::string payload;  ///< folder with libraries of the user's for the agent; empty: none
  [[nodiscard]] std::string path(const std::string& arch) const;
  /// The folder beside this executable, or ../libexec/vault-test.
  static AgentBinaries beside_this_program();
};

/// Puts the agent on the host unless a file with the same SHA-256 is there already (then nothing is uploaded): upload over
/// exec with length and hash, into the first folder of ~/.cache/vault-test, /var/tmp, /dev/shm that is ours and executable. The
/// payload goes beside it, and may take longer than `deadline`: a quarter of an hour. Returns the command that starts the agent. `uploaded`
/// says how many bytes went over.
struct Deployed {
  std::string command, arch;
  std::uint64_t uploaded = 0;
};
Result<Deployed> deploy(Transport&, const AgentBinaries&, Deadline);

struct AgentHello {
  int protocol = 0, uid = 0;
  std::string build, arch, boot_id, dir;
  std::int64_t now_ms = 0;
};

/// What a running job reports on the way.
struct JobListener {
  std::function<void(const std::string& text, double fraction)> progress = [](auto&, double) {};
  std::function<void(const std::string& frame_json)> other = [](auto&) {};  ///< metric, log
};

/// A conversation with the agent on one host. One thread at a time.
class AgentSession {
 public:
  /// How to get to the host again after the connection was cut.
  using Connector = std::function<Result<std::unique_ptr<Transport>>(Deadline)>;

  /// Connects, deploys, greets. `run` names the run; it is part of the state folder's layout on the host.
  /// The agent sends a heartbeat when it has nothing else to say; three missed ones mean that it is lost.
  static Result<std::unique_ptr<AgentSession>> start(Connector, const AgentBinaries&, const std::string& run, Deadline,
                                                     int heartbeat_ms = protocol::kHeartbeatMs);
  ~AgentSession();
  /// Jobs with a `group` exchange values with the other ranks through this broker, which their sessions share.
  void join_groups(std::shared_ptr<Broker>);
  /// What to ask when the host cannot be reached: why it is gone, empty if nothing is known. A run() whose connection was cut is then
  /// over with Errc::lost as soon as there is an answer. Asked at most once in five seconds.
  void ask_when_lost(std::function<std::string()> fate);

  [[nodiscard]] const AgentHello& hello() const;
  [[nodiscard]] std::uint64_t uploaded_bytes() const;
  Result<Capabilities> probe(Deadline);
  struct Claim {
    bool ok = false;
    std::string holder;
  };
  /// Takes the host for this token (run/layer); held while this session or one of its detached jobs lives.
  Result<Claim> claim(const std::string& token, bool exclusive, Deadline);
  /// Runs the job to its result. The agent enforces job.deadline_ms; this side gives up 15 s later. A cut connection: a
  /// detached job is attached again (for up to `reattach`), an attached one is an error (Errc::transport).
  /// `attach` = the job was started by an earlier orchestrator: only attach, Errc::not_found if the host has no such job.
  Result<protocol::JobResult> run(const protocol::Job&, const JobListener&, bool attach = false, Duration reattach = Duration{120'000});
  /// Forgets an ended detached job's journal on the host.
  Status forget(const std::string& job);
  /// Makes a run() in another thread return Errc::cancelled soon, after telling the agent to cancel its jobs.
  void cancel();

 private:
  struct Impl;
  explicit AgentSession(std::unique_ptr<Impl>);
  std::unique_ptr<Impl> impl_;
};

}  // namespace vt
