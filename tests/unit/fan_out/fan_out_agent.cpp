#include <signal.h>
#include <unistd.h>

#include <fstream>

#include "remote-agent/worker.hpp"

// The worker of the shipped agent with checks that go wrong in known ways. args.culprit: the rank that does it.
namespace {

using namespace vt::checks;
using nlohmann::json;

bool is_culprit(const Task& task) { return task.rank == static_cast<int>(task.number("culprit", 0)); }

Outcome figures(const Task& task, vt::gpu::Device& device, Reporter& report) {
  report.metric("gbs", task.rank, "GB/s", "");
  Outcome out{{{"rank", task.rank}, {"world", task.world}, {"cpu", device.info().is_cpu()}}, "", ""};
  if (is_culprit(task)) out.values["only_one"] = true;
  return out;
}

Outcome hangs(const Task& task, vt::gpu::Device&, Reporter& report) {
  report.progress("all_reduce 8 MiB", 0.5);
  while (is_culprit(task)) pause();
  return {{{"wrong", 0}}, "", ""};
}

/// Goes on and on, and tells so.
Outcome dawdles(const Task&, vt::gpu::Device&, Reporter& report) {
  while (true) report.progress("step", 0.5), usleep(10'000);
}

Outcome crashes(const Task& task, vt::gpu::Device&, Reporter&) {
  if (is_culprit(task)) kill(getpid(), SIGKILL);
  return {{{"wrong", 0}}, "", ""};
}

Outcome refuses(const Task& task, vt::gpu::Device&, Reporter&) { return {json::object(), "", is_culprit(task) ? "no memory left" : ""}; }

Outcome gives_up(const Task&, vt::gpu::Device&, Reporter& report) {
  report.progress("broadcast 1 KiB", 0);
  _exit(kHung);
}

/// Each hands "0001" + rank to all and waits for all; the culprit dies before it does.
Outcome meets(const Task& task, vt::gpu::Device&, Reporter& report) {
  if (task.flag("die") && is_culprit(task)) kill(getpid(), SIGKILL);
  report.publish("from" + std::to_string(task.rank), "000" + std::to_string(task.rank));
  Outcome out;
  for (int rank = 0; rank < task.world; ++rank) {
    auto data = report.await("from" + std::to_string(rank));
    if (!data) return {json::object(), "", "nothing came from rank " + std::to_string(rank)};
    out.values["heard"].push_back(*data);
  }
  return out;
}

Outcome takes_turns(const Task& task, vt::gpu::Device&, Reporter&) {
  auto say = [&](const char* what) { std::ofstream(task.text("file"), std::ios::app) << what << task.rank << ' ' << std::flush; };
  say("begin"), say("end");
  return {};
}

Outcome has_all(const Task& task, vt::gpu::Devices& devices, Reporter&) {
  if (task.flag("die")) kill(getpid(), SIGKILL);
  return {{{"devices", devices.size()}, {"list", {1, 2, 3}}}, "", ""};
}

/// Starts a process of its own that does not end by itself and would hold the pipe.
Outcome leaves_one(const Task&, vt::gpu::Device&, Reporter&) {
  if (fork() == 0)
    while (true) pause();
  return {{{"wrong", 0}}, "", ""};
}

Outcome plain(const Task&, Reporter&) { return {{{"plain", true}}, "host", ""}; }

constexpr Entry kEntries[] = {
    {"figures", nullptr, figures},         {"hangs", nullptr, hangs},
    {"crashes", nullptr, crashes},         {"refuses", nullptr, refuses},
    {"gives_up", nullptr, gives_up},       {"meets", nullptr, meets},
    {"takes_turns", nullptr, takes_turns}, {"has_all", nullptr, nullptr, has_all},
    {"leaves_one", nullptr, leaves_one},   {"plain", plain},
    {"dawdles", nullptr, dawdles},
};

const Entry* find_here(std::string_view name) {
  for (auto& entry : kEntries)
    if (entry.name == name) return &entry;
  return nullptr;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 3 && std::string(argv[1]) == "--worker") return vt::agent::work(argv[2], find_here);
  if (argc == 4 && std::string(argv[1]) == "--gpu-worker") return vt::agent::gpu_work(argv[2], argv[3], find_here);
  return 2;
}
