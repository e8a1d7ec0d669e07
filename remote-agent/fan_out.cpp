#include "remote-agent/fan_out.hpp"

#include <algorithm>
#include <cstdlib>

#include "remote-agent/gpu_ranks.hpp"
#include "remote-agent/worker.hpp"

namespace vt::agent {

namespace {

using checks::Outcome;
using nlohmann::json;

/// What is kept of the task's time for ending what hangs and for asking the GPUs afterwards.
struct Budget {
  RankTimes check, alive;
  explicit Budget(std::int64_t deadline_ms) {
    constexpr std::int64_t kReserve = 18'000;
    auto reserve = std::min(deadline_ms / 4, kReserve), part = reserve / 18;
    check = {deadline_ms - reserve, 2 * part, 5 * part, part};
    alive = {7 * part, 0, part / 2, part / 2};
  }
};

/// One GPU of the result.
struct Row {
  Gpu gpu;
  std::string ordinal;  ///< or "cpu"
  std::string health;   ///< empty: nothing is wrong with it
  json values = json::object();
  std::string error;
  bool doubtful = false;  ///< a process on it was lost
};

std::vector<std::string> ordinals_of(const RankResult& rank) {
  std::vector<std::string> out;
  if (rank.where != "all") {
    for (std::size_t at = 0; at <= rank.where.size();) {
      auto end = std::min(rank.where.find(',', at), rank.where.size());
      out.push_back(rank.where.substr(at, end - at)), at = end + 1;
    }
  } else {
    for (int i = 0; i < std::max(1, rank.counted); ++i) out.push_back(std::to_string(i));
  }
  return out;
}

/// A process that had several GPUs gives each of them its trouble; the values are the first one's.
std::vector<Row> rows_of(const std::vector<RankResult>& ranks) {
  std::vector<Row> out;
  for (auto& rank : ranks) {
    auto ordinals = ordinals_of(rank);
    for (std::size_t i = 0; i < std::max(ordinals.size(), rank.gpus.size()); ++i) {
      Row row;
      row.ordinal = i < ordinals.size() ? ordinals[i] : "cpu";
      row.gpu = i < rank.gpus.size() ? rank.gpus[i] : Gpu{"", row.ordinal == "cpu" ? "cpu" : "GPU " + row.ordinal, ""};
      row.health = rank.trouble, row.doubtful = rank.killed || !rank.trouble.empty();
      if (i == 0) row.values = rank.values, row.error = rank.error;
      out.push_back(std::move(row));
    }
  }
  return out;
}

/// Asks the GPUs on which a process was lost whether they still answer a new one.
void ask_again(std::vector<Row>& rows, const checks::Task& task, const RankTimes& times) {
  std::vector<Row*> asked;
  checks::Task question;
  question.args["gpus"] = json::array();
  for (auto& row : rows)
    if (row.doubtful) asked.push_back(&row), question.args["gpus"].push_back(std::atoi(row.ordinal.c_str()));
  if (asked.empty()) return;
  if (task.on_cpu()) question.args = {{"device", "cpu"}, {"ranks", asked.size()}};
  auto answers = run_ranks({kAlive, false, question, times, nullptr});
  for (std::size_t i = 0; i < std::min(asked.size(), answers.size()); ++i) {
    auto& said = answers[i].trouble.empty() ? answers[i].error : answers[i].trouble;
    if (said.empty()) continue;
    asked[i]->health += (asked[i]->health.empty() ? "" : ", and ") + std::string("afterwards a small kernel in a new process: ") + said;
  }
}

/// "2 x NVIDIA GeForce RTX 5090 (GPU-…, GPU-…)", "cpu".
std::string device_of(const std::vector<Row>& rows) {
  std::map<std::string, std::pair<int, std::string>> models;
  for (auto& row : rows) {
    auto& [count, uuids] = models[row.gpu.name];
    uuids += (count++ ? ", " : "") + row.gpu.uuid;
  }
  std::string out;
  for (auto& [name, members] : models) {
    if (name == "cpu" || members.second == "cpu") return "cpu";
    auto& [count, uuids] = members;
    out += (out.empty() ? "" : ", ") + (count > 1 ? std::to_string(count) + " x " : "") + (name.empty() ? "unknown" : name) + " (" + uuids +
           ")";
  }
  return out;
}

std::string error_of(const std::vector<Row>& rows) {
  if (std::any_of(rows.begin(), rows.end(), [](auto& r) { return !r.health.empty(); })) return "";
  for (auto& row : rows)
    if (!row.error.empty()) return rows.size() > 1 ? row.gpu.uuid + ": " + row.error : row.error;
  return "";
}

Outcome merge(const std::vector<Row>& rows, bool together) {
  Outcome out;
  if (together && !rows.empty()) out.values = rows[0].values;
  for (auto& row : rows) {
    if (!together)
      for (auto& [name, value] : row.values.items()) out.values[name].push_back(value);
    out.values["gpu"].push_back(row.gpu.uuid);
    out.values["health"].push_back(row.health.empty() ? "ok" : row.health);
  }
  out.device = device_of(rows), out.error = error_of(rows);
  return out;
}

}  // namespace

Outcome fan_out(const checks::Entry& check, const checks::Task& task, Channel& channel) {
  setenv("CUDA_DEVICE_ORDER", "PCI_BUS_ID", 1);  // as NVML counts them
  Budget budget(task.deadline_ms);
  bool together = check.on_gpus != nullptr;
  auto rows = rows_of(run_ranks({std::string(check.name), together, task, budget.check, &channel}));
  ask_again(rows, task, budget.alive);
  return merge(rows, together);
}

}  // namespace vt::agent
