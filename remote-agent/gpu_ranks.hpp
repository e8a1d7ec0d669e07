#pragma once
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "remote-agent/channel.hpp"

namespace vt::agent {

struct Gpu {
  std::string name, uuid, pci;
  std::string rung;  ///< on which its kernels were loaded: gpu::Device::rung
};

/// What became of a check in one process: on one GPU, or on all of them if the check runs on all at once.
struct RankResult {
  std::string where;      ///< "cpu", an ordinal, "0,2", "all"
  int counted = 0;        ///< GPUs the driver shows there
  std::vector<Gpu> gpus;  ///< as opened; empty if it did not get so far
  nlohmann::json values = nlohmann::json::object();
  std::string error;    ///< why it could not measure
  std::string trouble;  ///< what happened to the process: "hung in all_reduce 8 MiB", "crashed (signal 11)"
  bool killed = false;  ///< it was ended by us, so what state its GPU is in is unknown
};

/// How long each part may take, in ms.
struct RankTimes {
  std::int64_t run = 0;    ///< the check itself
  std::int64_t grace = 0;  ///< for the ranks that wait for one that is lost
  std::int64_t term = 0;   ///< between SIGTERM and SIGKILL
  std::int64_t kill = 0;   ///< after which a process that SIGKILL does not end is given up
};

struct RankJob {
  std::string check;
  bool together = false;  ///< one process for all GPUs
  const checks::Task& task;
  RankTimes times;
  Channel* channel = nullptr;           ///< where progress and metrics go and the other hosts of the group are; may be nullptr
  std::function<bool()> may = nullptr;  ///< when it says yes, the processes get their task and open their devices; none: at once
};

/// Runs the check in its processes and returns when all have ended or were given up. Never throws away what a process said
/// before it was lost. Ranks: those of this host follow each other, after those of the hosts before it in the group.
std::vector<RankResult> run_ranks(const RankJob&);

}  // namespace vt::agent
