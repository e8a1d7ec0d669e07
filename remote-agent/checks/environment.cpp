#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "remote-agent/base/os.hpp"
#include "remote-agent/checks/check.hpp"

// Settings from outside that change what CUDA and NCCL programs do: how fast they are, or what they compute.
namespace vt::checks {

namespace {

using Texts = std::vector<std::string>;

/// Of CUDA's programming guide (environment variables), cuBLAS's, the dynamic linker's; the first ones are those DCGM refuses to run with.
constexpr std::string_view kNames[] = {"CUDA_PROFILE",
                                       "COMPUTE_PROFILE",
                                       "CUDA_LAUNCH_BLOCKING",
                                       "CUDA_FORCE_PTX_JIT",
                                       "CUDA_DISABLE_PTX_JIT",
                                       "CUDA_MODULE_LOADING",
                                       "CUDA_VISIBLE_DEVICES",
                                       "CUDA_DEVICE_MAX_CONNECTIONS",
                                       "CUBLAS_WORKSPACE_CONFIG",
                                       "NVIDIA_TF32_OVERRIDE",
                                       "LD_PRELOAD",
                                       "LD_AUDIT"};
constexpr std::string_view kBeginnings[] = {"CUDA_INJECTION", "NCCL_"};

bool matters(std::string_view variable) {
  auto name = variable.substr(0, variable.find('='));
  auto begins = [&](auto& with) { return name.starts_with(with); };
  if (name == "NCCL_VERSION") return false;  // images tell so which one is in them; NCCL does not read it
  return std::find(std::begin(kNames), std::end(kNames), name) != std::end(kNames) ||
         std::any_of(std::begin(kBeginnings), std::end(kBeginnings), begins);
}

void add_line(std::string_view line, const std::string& where, Texts& to) {
  constexpr std::size_t kLongest = 120;
  if (matters(line)) to.push_back(std::string(line.substr(0, kLongest)) + " (" + where + ")");
}

void add_lines(const std::string& text, char end, const std::string& where, Texts& to) {
  for (std::size_t at = 0; at < text.size();) {
    auto stop = std::min(text.find(end, at), text.size());
    add_line(std::string_view(text).substr(at, stop - at), where, to);
    at = stop + 1;
  }
}

void add_variables_of(const std::string& process, const std::string& where, Texts& to) {
  add_lines(agent::read_file("/proc/" + process + "/environ", 1 << 20), '\0', where, to);
}

/// What reaches programs whatever their environment: every process has the first, every NCCL reads the second.
Texts reaching() {
  Texts out;
  add_variables_of("self", "this process", out);
  auto preload = agent::read_file("/etc/ld.so.preload");
  if (preload.find_first_not_of(" \t\n") != std::string::npos)
    out.push_back(preload.substr(preload.find_first_not_of(" \t\n"), 120) + " (/etc/ld.so.preload)");
  auto* home = std::getenv("HOME");
  for (auto& file : {std::string("/etc/nccl.conf"), std::string(home ? home : "") + "/.nccl.conf"})
    add_lines(agent::read_file(file), '\n', file, out);
  return out;
}

/// What the login and the host's first process have, from which containers' programs get theirs.
Texts around() {
  Texts out;
  add_variables_of(std::to_string(getppid()), "this login", out);
  add_variables_of("1", "process 1", out);
  add_lines(agent::read_file("/etc/environment"), '\n', "/etc/environment", out);
  return out;
}

}  // namespace

/// `reaching`: what our own measurements are made with, whose processes get an environment of their own; `around`: what programs that
/// are started on this host by others get besides.
Outcome environment(const Task&, Reporter&) { return {{{"reaching", reaching()}, {"around", around()}}, "", ""}; }

}  // namespace vt::checks
