#include <algorithm>

#include "remote-agent/checks/miscompares.hpp"
#include "remote-agent/checks/nccl_bench.hpp"
#include "remote-agent/checks/outcome.hpp"

namespace vt::checks {

namespace {

using nlohmann::json;

constexpr double kMib = 1024.0 * 1024;

/// What one rank has measured over the sizes.
struct Sweep {
  std::uint64_t wrong = 0;
  std::string first_wrong = "none";
  json sizes = json::array();
  double busbw = 0, algbw = 0;  ///< GB/s of the last size, out of place
};

std::vector<std::uint64_t> sizes_of(const Task& task) {
  std::vector<std::uint64_t> out;
  auto listed = task.args.find("mib");
  if (listed != task.args.end() && listed->is_array())
    for (auto& mib : *listed)
      if (mib.is_number()) out.push_back(static_cast<std::uint64_t>(std::clamp(mib.get<double>(), 1e-5, 1e6) * kMib));
  return out.empty() ? std::vector{static_cast<std::uint64_t>(task.number("mib", 8) * kMib)} : out;
}

/// One size, in place or not: verified, timed, and verified once more, since errors may come with the heat of it.
class Round {
 public:
  Round(const Task& task, NcclBench& bench, std::vector<Sweep>& sweeps) : task_(task), bench_(bench), sweeps_(sweeps) {}

  Result<NcclBench::Timed> run(std::uint64_t bytes, bool in_place) {
    VT_CHECK(verify(bytes, in_place));
    VT_TRY(auto timed, bench_.time(bytes, in_place, whole("warmup", 5), whole("iterations", 20)));
    VT_CHECK(verify(bytes, in_place));
    return timed;
  }

 private:
  [[nodiscard]] int whole(const char* name, int otherwise) const {
    return static_cast<int>(std::clamp(task_.number(name, otherwise), 0.0, 1e6));
  }
  Status verify(std::uint64_t bytes, bool in_place) {
    VT_TRY(auto found, bench_.verify(bytes, in_place, task_.flag("fault")));
    for (std::size_t i = 0; i < found.size(); ++i) {
      auto& sweep = sweeps_[i];
      if (sweep.wrong == 0 && found[i].count > 0)
        sweep.first_wrong = size_text(bytes) + (in_place ? ", in place: " : ": ") + text(found[i], bytes / sizeof(float));
      sweep.wrong += found[i].count;
    }
    return {};
  }

  const Task& task_;
  NcclBench& bench_;
  std::vector<Sweep>& sweeps_;
};

/// algbw = size / time, in GB/s (10^9 bytes).
json figures(std::uint64_t bytes, const NcclBench::Timed& timed, std::size_t rank, double bus_factor) {
  auto seconds = timed.seconds[rank], algbw = static_cast<double>(bytes) / std::max(seconds, 1e-9) / 1e9;
  return {{"us", seconds * 1e6}, {"algbw", algbw}, {"busbw", algbw * bus_factor}, {"iterations", timed.iterations}};
}

Status measure(const Task& task, NcclSession& session, const NcclOperation& operation, std::uint64_t bytes, std::vector<Sweep>& sweeps) {
  VT_TRY(auto bench, NcclBench::make(session, operation, bytes));
  Round round(task, bench, sweeps);
  auto factor = operation.bus_factor(session.world());
  VT_TRY(auto outside, round.run(bytes, false));
  auto inside = operation.in_place ? round.run(bytes, true) : Result<NcclBench::Timed>(NcclBench::Timed());
  if (!inside) return fail(inside.error());
  for (std::size_t i = 0; i < sweeps.size(); ++i) {
    json size = {{"mib", static_cast<double>(bytes) / kMib}, {"out_of_place", figures(bytes, outside, i, factor)}};
    if (operation.in_place) size["in_place"] = figures(bytes, *inside, i, factor);
    sweeps[i].algbw = size["out_of_place"]["algbw"], sweeps[i].busbw = size["out_of_place"]["busbw"];
    sweeps[i].sizes.push_back(std::move(size));
  }
  return {};
}

/// Sizes that fit all ranks, twice each and with room left for NCCL.
Result<std::vector<std::uint64_t>> fitting(const Task& task, NcclSession& session, Reporter& report, json& left_out) {
  VT_TRY(auto free, least_free(task, session, report));
  std::vector<std::uint64_t> out;
  for (auto bytes : sizes_of(task)) {
    if (2 * bytes <= free / 10 * 9) out.push_back(bytes);
    else left_out.push_back(static_cast<double>(bytes) / kMib);
  }
  if (out.empty()) return fail(Errc::capacity, "no size fits into the " + size_text(free) + " that are free on every GPU");
  return out;
}

Result<json> collective(const Task& task, gpu::Device& device, Reporter& report) {
  auto* operation = nccl_operation(task.text("operation"));
  if (!operation) return fail(Errc::usage, "there is no operation '" + task.text("operation") + "'");
  VT_TRY(auto session, NcclSession::join(task, device, report, gpu::Calls::at_once));
  json left_out = json::array();
  VT_TRY(auto sizes, fitting(task, *session, report, left_out));
  std::vector<Sweep> sweeps(1);
  for (auto bytes : sizes) VT_CHECK(measure(task, *session, *operation, bytes, sweeps));
  auto& sweep = sweeps[0];
  report.metric(std::string(operation->name) + " busbw", sweep.busbw, "GB/s", device.info().uuid);
  auto out = session->about();
  out["wrong"] = sweep.wrong, out["first_wrong"] = sweep.first_wrong;
  out["busbw"] = sweep.busbw, out["algbw"] = sweep.algbw, out["sizes"] = sweep.sizes, out["left_out_mib"] = left_out;
  return out;
}

/// Lists with one entry per GPU, as fan_out makes them of processes.
Result<json> single_process(const Task& task, gpu::Devices& devices, Reporter& report) {
  VT_TRY(auto session, NcclSession::join_all(task, devices, report));
  json left_out = json::array(), out;
  VT_TRY(auto sizes, fitting(task, *session, report, left_out));
  std::vector<Sweep> all(devices.size());
  for (auto& operation : nccl_operations()) {
    std::vector<Sweep> sweeps(devices.size());
    for (auto bytes : sizes) VT_CHECK(measure(task, *session, operation, bytes, sweeps));
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (all[i].wrong == 0 && sweeps[i].wrong > 0) all[i].first_wrong = std::string(operation.name) + " " + sweeps[i].first_wrong;
      all[i].wrong += sweeps[i].wrong;
      out[std::string(operation.name)].push_back(sweeps[i].busbw);
    }
  }
  for (auto& sweep : all) out["wrong"].push_back(sweep.wrong), out["first_wrong"].push_back(sweep.first_wrong);
  auto about = session->about();
  for (auto& [name, value] : about.items()) out[name] = json::array({value});
  return out;
}

}  // namespace

Outcome nccl_collective(const Task& task, gpu::Device& device, Reporter& report) {
  return outcome(device, collective(task, device, report));
}

Outcome nccl_single_process(const Task& task, gpu::Devices& devices, Reporter& report) {
  auto measured = single_process(task, devices, report);
  if (!measured) return {json::object(), "", measured.error().what};
  return {std::move(measured).take(), "", ""};
}

}  // namespace vt::checks
