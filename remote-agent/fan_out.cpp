#include "remote-agent/fan_out.hpp"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <limits>

#include "remote-agent/checks/gpu_nvml.hpp"
#include "remote-agent/conditions.hpp"
#include "remote-agent/gpu/monitor.hpp"
#include "remote-agent/gpu_ranks.hpp"
#include "remote-agent/worker.hpp"

namespace vt::agent {

namespace {

using checks::Outcome;
using nlohmann::json;

/// What is kept of the task's time for ending what hangs and for asking the GPUs afterwards. NVML is given 3 s, also where that is much of
/// a short task's time: some drivers take a second for an answer, and a GPU is not to be called unknown for that.
struct Budget {
  RankTimes check, alive;
  std::int64_t nvml, late;
  explicit Budget(std::int64_t deadline_ms) {
    constexpr std::int64_t kMost = 18'000, kShort = 9'000, kNvml = 3'000;
    auto reserve = std::min(std::max(deadline_ms / 4, std::min(deadline_ms * 2 / 5, kShort)), kMost);
    nvml = std::min(reserve / 3, kNvml);
    auto part = (reserve - nvml) / 15;
    check = {deadline_ms - reserve, 2 * part, 5 * part, part};
    alive = {7 * part, 0, part / 2, part / 2};
    late = part / 2;
  }
};

/// One GPU of the result.
struct Row {
  Gpu gpu;
  std::string ordinal;  ///< or "cpu"
  std::string health;   ///< empty: nothing is wrong with it
  json values = json::object(), telemetry = json::object();
  std::string error;
  bool opened = false;
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
      row.gpu = i < rank.gpus.size() ? rank.gpus[i] : Gpu{"", row.ordinal == "cpu" ? "cpu" : "GPU " + row.ordinal, "", ""};
      row.opened = i < rank.gpus.size();
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

void add_to(std::string& text, const std::string& more) {
  if (!more.empty()) text += (text.empty() ? "" : "; ") + more;
}

/// NVML writes eight digits of the domain, CUDA four.
bool same_slot(const std::string& a, const std::string& b) {
  constexpr std::size_t kShort = std::string_view("0000:00:00.0").size();
  if (a.size() < kShort || b.size() < kShort) return false;
  auto lower = [](char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); };
  return std::equal(a.end() - kShort, a.end(), b.end() - kShort, [&](char x, char y) { return lower(x) == lower(y); });
}

/// A GPU that a process could not open is told from its ordinal: both sides count in the order of the PCI bus.
const gpu::GpuReport* report_on(const Row& row, const std::vector<gpu::GpuReport>& all) {
  for (auto& report : all)
    if (row.opened && (report.uuid == row.gpu.uuid || same_slot(report.pci, row.gpu.pci))) return &report;
  auto ordinal = static_cast<std::size_t>(std::max(0, std::atoi(row.ordinal.c_str())));
  return !row.opened && ordinal < all.size() ? &all[ordinal] : nullptr;
}

/// What NVML saw. A GPU that was used and that nothing is known about is not "ok".
void add_telemetry(std::vector<Row>& rows, const gpu::MonitorReport& seen) {
  for (auto& row : rows) {
    if (auto* report = report_on(row, seen.gpus)) {
      add_to(row.health, report->health), row.telemetry = report->telemetry;
      if (!row.doubtful) add_to(row.health, report->of_a_kill);
      else if (!report->of_a_kill.empty()) row.telemetry["notes"].push_back(report->of_a_kill + ": its process was killed");
      if (!row.opened) row.gpu.uuid = report->uuid;
    } else if (row.opened) {
      add_to(row.health, "unknown: " + (seen.trouble.empty() ? "NVML does not list this GPU" : seen.trouble));
    }
  }
}

/// How much hotter each GPU became than the coolest of those beside it.
void compare_temperatures(std::vector<Row>& rows) {
  const json::json_pointer hottest("/temperature_c/max");
  double coolest = std::numeric_limits<double>::max();
  for (auto& row : rows)
    if (row.telemetry.contains(hottest)) coolest = std::min(coolest, row.telemetry[hottest].get<double>());
  for (auto& row : rows)
    if (row.telemetry.contains(hottest)) row.telemetry["temperature_c"]["above_coolest"] = row.telemetry[hottest].get<double>() - coolest;
}

std::string device_of(const std::vector<Row>& rows) {
  std::vector<std::pair<std::string, std::string>> known;
  for (auto& row : rows) {
    if (row.gpu.uuid == "cpu") return "cpu";
    known.emplace_back(row.gpu.name.empty() ? "unknown" : row.gpu.name, row.gpu.uuid);
  }
  return checks::device_text(known);
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
  auto gpus = json::array(), health = json::array(), telemetry = json::array(), conditions = json::array(), rungs = json::array();
  for (auto& row : rows) {
    if (!together) checks::append_row(out.values, row.values, gpus.size());
    gpus.push_back(row.gpu.uuid), health.push_back(row.health.empty() ? "ok" : row.health), telemetry.push_back(row.telemetry);
    conditions.push_back(conditions_of(row.telemetry)), rungs.push_back(row.gpu.rung.empty() ? json() : json(row.gpu.rung));
  }
  out.values["gpu"] = gpus, out.values["health"] = health, out.values["telemetry"] = telemetry, out.values["conditions"] = conditions;
  if (!out.values.contains("rung")) out.values["rung"] = rungs;  // a check that tries the rungs tells its own
  out.device = device_of(rows), out.error = error_of(rows);
  return out;
}

gpu::Monitor::Trace trace_to(Channel& channel) {
  return [&channel](const std::string& name, double value, const std::string& unit, const std::string& uuid) {
    channel.metric(name, value, unit, uuid);
  };
}

}  // namespace

Outcome fan_out(const checks::Entry& check, const checks::Task& task, Channel& channel) {
  constexpr std::int64_t kReadyMs = 5000;  // a GPU without a persistent driver takes seconds to be asked
  Budget budget(task.deadline_ms);
  RankJob job{std::string(check.name), check.on_gpus != nullptr, task, budget.check, &channel};
  if (task.on_cpu()) {
    auto rows = rows_of(run_ranks(job));
    ask_again(rows, task, budget.alive);
    return merge(rows, job.together);
  }
  setenv("CUDA_DEVICE_ORDER", "PCI_BUS_ID", 1);  // as NVML counts them; before there are threads
  gpu::Monitor monitor(task.flag("trace") ? trace_to(channel) : nullptr);
  job.may = [&monitor, until = boot_ms() + kReadyMs] { return monitor.ready() || boot_ms() > until; };
  auto rows = rows_of(run_ranks(job));
  ask_again(rows, task, budget.alive);
  bool lost = std::any_of(rows.begin(), rows.end(), [](auto& row) { return row.doubtful || !row.error.empty(); });
  add_telemetry(rows, monitor.finish(budget.nvml, lost ? budget.late : 0));
  compare_temperatures(rows);
  return merge(rows, job.together);
}

}  // namespace vt::agent
