#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "orchestrator/model/capability.hpp"
#include "orchestrator/model/clock.hpp"
#include "orchestrator/model/result.hpp"
#include "remote-agent/protocol/frames.hpp"
#include "tests/scenario/catalogue/view.hpp"

namespace vt::test {

/// A conversation with the real agent inside a view, over its standard streams.
class AgentPipe {
 public:
  static Result<AgentPipe> start(const View&, const std::string& agent);
  AgentPipe(AgentPipe&&) noexcept;
  AgentPipe(const AgentPipe&) = delete;
  ~AgentPipe();  ///< ends the agent and with it everything in the view

  Result<protocol::JobResult> run(const protocol::Job&);
  Result<Capabilities> probe();

 private:
  explicit AgentPipe(View::Process process) : process_(process) {}
  Status send(const nlohmann::json&);
  /// The next frame named `t`; others are passed over.
  Result<nlohmann::json> await(const std::string& t);

  View::Process process_;
  protocol::LineReader lines_;
  Deadline deadline_ = Deadline::after(std::chrono::seconds(60));
};

}  // namespace vt::test
