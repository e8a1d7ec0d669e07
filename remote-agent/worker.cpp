#include "remote-agent/worker.hpp"

#include <exception>
#include <nlohmann/json.hpp>

#include "remote-agent/channel.hpp"
#include "remote-agent/fan_out.hpp"

namespace vt::agent {

namespace {

constexpr std::int64_t kTaskMs = 10'000;

checks::Outcome outcome_of(const checks::Entry& check, const checks::Task& task, Channel& channel) {
  return check.run ? check.run(task, channel) : fan_out(check, task, channel);
}

}  // namespace

int work(const std::string& name, FindCheck find) try {
  Channel channel;
  auto task = channel.read_task(kTaskMs).value_or(checks::Task{});
  auto* check = find(name);
  auto outcome = check ? outcome_of(*check, task, channel) : checks::Outcome{{}, "", "this agent has no check '" + name + "'"};
  channel.send({{"t", "values"}, {"values", outcome.values}, {"device", outcome.device}, {"error", outcome.error}});
  _exit(0);  // a thread that watches a GPU may be held up in the driver for ever
} catch (const std::exception&) {
  return 70;  // out of memory, or no threads: the supervisor reports the status
}

}  // namespace vt::agent
