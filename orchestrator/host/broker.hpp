#pragma once
#include <condition_variable>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "orchestrator/model/clock.hpp"

namespace vt {

/// Passes opaque values (an NCCL id, say) between the ranks of one group, whose agents cannot reach each other: each
/// rank's session publishes what its agent sends and delivers what the others sent. Safe from any thread.
class Broker {
 public:
  struct Message {
    int rank = 0;  ///< who published it
    std::string key, data;
  };

  void publish(const std::string& group, Message);
  /// Messages other ranks published after the first `seen`, which is moved on; for a rank that joins late, all of them.
  std::vector<Message> others(const std::string& group, int rank, std::size_t& seen);
  /// The value under `key`, waiting for it until the deadline.
  std::optional<std::string> await(const std::string& group, const std::string& key, Deadline);
  /// Drops a group that has ended.
  void forget(const std::string& group);

 private:
  std::mutex mutex_;
  std::condition_variable published_;
  std::map<std::string, std::vector<Message>> groups_;
};

}  // namespace vt
