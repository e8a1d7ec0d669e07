#include <algorithm>
#include <span>

#include "remote-agent/checks/links_transfer.hpp"
#include "remote-agent/checks/mem_taken.hpp"
#include "remote-agent/checks/outcome.hpp"

namespace vt::checks {

namespace {

using nlohmann::json;

constexpr std::size_t kLeast = 8;

/// One word first: what is broken altogether shows before 64 MiB are waited for (the order of DCGM's test for broken P2P).
Result<std::vector<std::size_t>> sizes_of(const Task& task, const Pair& pair) {
  auto mib = std::clamp(task.number("mib", task.on_cpu() ? 1 : 64), 1.0, 65536.0);
  VT_TRY(auto at_sender, fitting(*pair.from, static_cast<std::size_t>(mib) * 1024 * 1024));
  VT_TRY(auto most, fitting(*pair.to, at_sender));
  return std::vector{kLeast, most};
}

/// What all transfers of one check showed.
struct Findings {
  std::uint64_t transfers = 0, wrong = 0;
  std::vector<std::string> failing;  ///< a line for each pair, path and size that went wrong
  void add(const Pair& pair, const std::string& path, std::size_t bytes, const Arrived& arrived) {
    ++transfers, wrong += arrived.wrong.count;
    if (arrived.wrong.count > 0) failing.push_back(pair.text() + ", " + path + ", " + std::to_string(bytes) + " bytes: " + arrived.text());
  }
  void into(json& out) const { out["transfers"] = transfers, out["wrong"] = wrong, out["failing"] = failing; }
};

struct Job {
  const Task& task;
  Findings& findings;
};

Status carry_all(const Pair& pair, std::span<const Path> paths, const std::string& how, const Job& job) {
  VT_TRY(auto sizes, sizes_of(job.task, pair));
  VT_TRY(auto transfers, Transfers::make(pair, sizes.back()));
  for (auto path : paths)
    for (auto bytes : sizes) {
      VT_TRY(auto arrived, transfers.carry(path, bytes, job.task.flag("fault")));
      job.findings.add(pair, std::string(name(path)) + how, bytes, arrived);
    }
  return {};
}

constexpr Path kAnywhere[] = {Path::copy, Path::host}, kPeer[] = {Path::copy, Path::write, Path::read};

/// Pairs whose devices reach each other from now on; that cannot be taken back, so what is to be seen without it comes before.
Result<std::vector<Pair>> connected(const std::vector<Pair>& pairs) {
  std::vector<Pair> out;
  for (auto& pair : pairs) {
    auto there = pair.from->reach(*pair.to), back = pair.to->reach(*pair.from);
    for (auto* status : {&there, &back})
      if (!*status && status->error().code == Errc::lost) return fail(status->error());
    if (there && back) out.push_back(pair);
  }
  return out;
}

std::vector<std::string> texts(const std::vector<Pair>& pairs) {
  std::vector<std::string> out;
  for (auto& pair : pairs) out.push_back(pair.text());
  return out;
}

Result<json> run_links(const std::vector<gpu::Device*>& devices, const Task& task, Reporter& report) {
  auto pairs = pairs_of(devices);
  Findings findings;
  Job job{task, findings};
  double done = 0;
  for (auto& pair : pairs) {
    report.progress(pair.text(), done++ / static_cast<double>(pairs.size()));
    VT_CHECK(carry_all(pair, kAnywhere, "", job));
  }
  VT_TRY(auto peers, connected(pairs));
  for (auto& pair : peers) {
    report.progress(pair.text() + ", peer access", 1);
    VT_CHECK(carry_all(pair, std::span(kPeer).first(1), " with peer access", job));
  }
  json out{{"pairs", texts(pairs)}, {"peers", peers.size()}};
  findings.into(out);
  return out;
}

Result<json> run_peers(const std::vector<gpu::Device*>& devices, const Task& task, Reporter& report) {
  VT_TRY(auto peers, connected(pairs_of(devices)));
  if (peers.empty()) return fail(Errc::not_found, "no pair of GPUs here offers peer access");
  Findings findings;
  double done = 0;
  for (auto& pair : peers) {
    report.progress(pair.text(), done++ / static_cast<double>(peers.size()));
    VT_CHECK(carry_all(pair, kPeer, " with peer access", {task, findings}));
  }
  json out{{"pairs", texts(peers)}};
  findings.into(out);
  return out;
}

}  // namespace

/// Data between every two GPUs over whatever there is, every transfer verified where it arrives.
Outcome links_integrity(const Task& task, gpu::Devices& devices, Reporter& report) {
  return outcome(*devices.at(0), run_links(pointers(devices), task, report));
}
/// The same where GPUs reach each other's memory: by copy engine, by kernels that write, by kernels that read.
Outcome p2p_integrity(const Task& task, gpu::Devices& devices, Reporter& report) {
  return outcome(*devices.at(0), run_peers(pointers(devices), task, report));
}
Outcome links_of_one(const Task& task, gpu::Device& device, Reporter& report) {
  return outcome(device, run_links({&device}, task, report));
}

}  // namespace vt::checks
