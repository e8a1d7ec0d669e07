#include "tests/scenario/catalogue/agent_pipe.hpp"

#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <nlohmann/json.hpp>
#include <utility>

#include "orchestrator/store/codec.hpp"

namespace vt::test {

using nlohmann::json;

Result<AgentPipe> AgentPipe::start(const View& view, const std::string& agent) {
  signal(SIGPIPE, SIG_IGN);
  VT_TRY(auto process, view.start(agent, "--stdio"));
  AgentPipe pipe(process);
  VT_CHECK(pipe.send({{"t", "hello"}, {"protocol", protocol::kVersion}, {"run", "catalogue"}, {"heartbeat_ms", protocol::kHeartbeatMs}}));
  auto hello = pipe.await("hello");
  if (!hello) return fail(Errc::transport, "the agent does not greet: " + hello.error().what + "; " + view.complaints());
  return pipe;
}

AgentPipe::AgentPipe(AgentPipe&& other) noexcept
    : process_(std::exchange(other.process_, {})), lines_(std::move(other.lines_)), deadline_(other.deadline_) {}

AgentPipe::~AgentPipe() {
  if (process_.pid < 0) return;
  close(process_.in);
  close(process_.out);
  kill(process_.pid, SIGKILL);  // unshare --kill-child: the view's first process dies with it
  waitpid(process_.pid, nullptr, 0);
}

Status AgentPipe::send(const json& frame) {
  auto line = frame.dump() + "\n";
  for (std::size_t at = 0; at < line.size();) {
    auto written = write(process_.in, line.data() + at, line.size() - at);
    if (written <= 0) return fail(Errc::transport, "the agent does not read");
    at += static_cast<std::size_t>(written);
  }
  return {};
}

Result<json> AgentPipe::await(const std::string& t) {
  while (true) {
    while (auto line = lines_.next()) {
      auto frame = json::parse(*line, nullptr, false);
      if (frame.is_discarded()) return fail(Errc::transport, "not a frame: " + *line);
      if (frame.value("t", "") == t) return frame;
      if (frame.value("t", "") == "error") return fail(Errc::internal, "the agent refuses: " + *line);
    }
    pollfd waiting{process_.out, POLLIN, 0};
    if (poll(&waiting, 1, static_cast<int>(deadline_.left().count())) <= 0) return fail(Errc::timeout, "no " + t + " from the agent");
    std::array<char, 65536> buffer{};
    auto length = read(process_.out, buffer.data(), buffer.size());
    if (length <= 0) return fail(Errc::transport, "the agent is gone");
    if (!lines_.feed({buffer.data(), static_cast<std::size_t>(length)})) return fail(Errc::transport, "a frame is too long");
  }
}

Result<protocol::JobResult> AgentPipe::run(const protocol::Job& job) {
  VT_CHECK(send(protocol::encode(job)));
  VT_TRY(auto frame, await("result"));
  auto result = protocol::decode_result(frame);
  if (!result) return fail(Errc::transport, "not a result: " + frame.dump());
  return *result;
}

Result<Capabilities> AgentPipe::probe() {
  VT_CHECK(send({{"t", "probe"}}));
  VT_TRY(auto frame, await("facts"));
  Capabilities out;
  for (auto& fact : frame.at("facts")) {
    std::optional<Value> value;
    if (fact.contains("value")) value = value_from(fact.at("value"));
    out.set({fact.at("id"), value, fact.at("evidence"), FactOrigin::probed, FactScope::host});
  }
  return out;
}

}  // namespace vt::test
