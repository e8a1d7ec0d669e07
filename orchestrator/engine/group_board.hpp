#pragma once
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "orchestrator/engine/stop.hpp"
#include "orchestrator/host/broker.hpp"
#include "orchestrator/model/result.hpp"

namespace vt {

/// Where the hosts of one layer meet for the checks they do together. A host comes, stays away from one check, or is gone for
/// good; a check begins once every host has done one of the three, with those that came. Safe from any thread.
class GroupBoard {
 public:
  /// In the order of their ranks.
  explicit GroupBoard(std::vector<std::string> hosts) : hosts_(std::move(hosts)) {}

  struct Seat {
    int rank = 0, world = 1;
  };
  /// Waits for the others. Errc::timeout: not all of them came to it or left by the deadline; Errc::cancelled: the run was stopped.
  Result<Seat> meet(const std::string& check, const std::string& host, const StopFlag&, Deadline);
  /// This host does not take part in that check.
  void stay_away(const std::string& check, const std::string& host);
  /// This host takes part in nothing any more.
  void leave(const std::string& host);

  [[nodiscard]] std::size_t size() const { return hosts_.size(); }
  /// What their sessions exchange values through.
  const std::shared_ptr<Broker>& broker() { return broker_; }

 private:
  enum class Answer { none, comes, stays_away };
  struct Meeting {
    std::map<std::string, Answer> answers;
    std::vector<std::string> members;  ///< fixed when it begins
    bool begun = false;
  };
  bool begin_if_settled(Meeting&);

  std::vector<std::string> hosts_, gone_;
  std::shared_ptr<Broker> broker_ = std::make_shared<Broker>();
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::string, Meeting> meetings_;
};

}  // namespace vt
