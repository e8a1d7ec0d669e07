#pragma once
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <optional>

#include "orchestrator/host/agent_channel.hpp"
#include "orchestrator/host/agent_session.hpp"

namespace vt {

/// Set once by any thread; wakes who sleeps on it.
class CancelFlag {
 public:
  void set();
  [[nodiscard]] bool is_set() const { return set_; }
  void sleep(Duration);  ///< at most; returns at once if set

 private:
  std::atomic<bool> set_{false};
  std::mutex mutex_;
  std::condition_variable changed_;
};

/// The way to the agent of one host: makes it (connect, deploy, greet), and makes it anew after it was lost.
class AgentLink {
 public:
  AgentLink(AgentSession::Connector connector, AgentBinaries binaries, std::string run, int heartbeat_ms)
      : connector_(std::move(connector)), binaries_(std::move(binaries)), run_(std::move(run)), heartbeat_ms_(heartbeat_ms) {}

  /// One attempt; nothing to do if the link stands. A claim that was kept is made again: Errc::refused if somebody else
  /// has taken the host meanwhile.
  Status open(Deadline);
  /// Attempts with growing pauses until the deadline, the flag is set, an error that does not pass by itself, or Errc::lost: the
  /// host is known to be gone (see ask_when_lost).
  Status reopen(Deadline, CancelFlag&);
  /// Whom to ask what became of a host that cannot be reached; empty answer: nothing is known. Asked as soon as the link is lost and
  /// between attempts, at most once in five seconds.
  void ask_when_lost(std::function<std::string()> fate) { fate_ = std::move(fate); }
  void drop() { channel_.reset(); }
  [[nodiscard]] bool is_open() const { return channel_ != nullptr; }

  // An error loses the link.
  Status send(const nlohmann::json& frame);
  Result<std::optional<nlohmann::json>> next(Deadline);
  /// Sends a request and waits for the frame `answer`. An `error` frame is Errc::refused.
  Result<nlohmann::json> ask(const nlohmann::json& request, const std::string& answer, Deadline);

  /// The claim request that was granted, for later agent processes.
  void keep_claim(const nlohmann::json& request);

  [[nodiscard]] const AgentHello& hello() const { return hello_; }
  [[nodiscard]] std::uint64_t uploaded() const { return uploaded_; }

 private:
  Status greet(Deadline);
  Status reclaim(Deadline);
  std::string fate();

  AgentSession::Connector connector_;
  AgentBinaries binaries_;
  std::string run_;
  int heartbeat_ms_;
  std::unique_ptr<AgentChannel> channel_;
  AgentHello hello_;
  std::string claim_;  ///< JSON; empty = none
  std::uint64_t uploaded_ = 0;
  std::function<std::string()> fate_;
  std::optional<Deadline> not_before_;  ///< the next question to fate_
};

}  // namespace vt
