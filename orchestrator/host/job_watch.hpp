#pragma once
#include <nlohmann/json_fwd.hpp>
#include <optional>

#include "orchestrator/host/agent_session.hpp"
#include "orchestrator/host/broker.hpp"

namespace vt {

/// One job's frames in order: hands them to the listener, drops repeated ones, and notices when one is missing.
class JobWatch {
 public:
  JobWatch(const protocol::Job& job, const JobListener& listener, Broker* broker) : job_(job), listener_(listener), broker_(broker) {}

  /// The result, if this frame is it. Frames of other jobs are ignored. Errc::transport: a frame was lost, attach again;
  /// Errc::not_found: the agent knows no such job; Errc::refused: it refuses; Errc::internal: it sent nonsense.
  Result<std::optional<protocol::JobResult>> take(const nlohmann::json& frame);
  /// The last sequence number seen; attaching goes on from there.
  [[nodiscard]] std::int64_t last() const { return last_; }

 private:
  void tell(const nlohmann::json& frame) const;

  const protocol::Job& job_;
  const JobListener& listener_;
  Broker* broker_;
  std::int64_t last_ = 0;
};

}  // namespace vt
