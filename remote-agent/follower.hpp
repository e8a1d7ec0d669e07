#pragma once
#include <functional>
#include <memory>
#include <string>

#include "orchestrator/model/result.hpp"
#include "remote-agent/journal.hpp"
#include "remote-agent/protocol/frames.hpp"

namespace vt::agent {

/// The session's view of a job: reads its frames and gives it orders.
class Follower {
 public:
  virtual ~Follower() = default;
  [[nodiscard]] virtual int fd() const = 0;  ///< to poll for reading; -1: look every kLookMs
  /// Passes new frames on, at most a few hundred KiB a call. True: the last one was the result.
  virtual bool pump(const std::function<void(const std::string& line)>& emit) = 0;
  virtual bool order(const std::string& line) = 0;  ///< false: nobody takes it
  [[nodiscard]] virtual bool attached() const = 0;
  virtual void close() {}  ///< ends an attached job
  [[nodiscard]] const std::string& group() const { return group_; }

 protected:
  explicit Follower(std::string group) : group_(std::move(group)) {}

 private:
  std::string group_;
};

constexpr std::int64_t kLookMs = 50;

/// Starts a job that ends with this session.
Result<std::unique_ptr<Follower>> start_attached(const protocol::Job&);
/// Follows a detached job from the frame after `from`. Reports the result also if the job's supervisor is dead.
std::unique_ptr<Follower> follow(const JobFolder&, std::int64_t from);

}  // namespace vt::agent
