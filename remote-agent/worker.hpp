#pragma once
#include <string>
#include <string_view>

#include "remote-agent/checks/check.hpp"

namespace vt::agent {

using FindCheck = const checks::Entry* (*)(std::string_view name);

/// Runs one built-in check in this process, or, if it is one for GPUs, in children of this process: the task comes as a line on
/// standard input, frames go to standard output. Returns the exit status: 0 if the check came to an end, even one with an error.
int work(const std::string& check, FindCheck find = checks::find);

/// The child's side of fan_out: says how many GPUs there are, reads the task on standard input, opens the devices, runs the check.
/// `where`: "cpu", an ordinal, "0,2" or "all". The check kAlive is known to every agent.
int gpu_work(const std::string& check, const std::string& where, FindCheck find = checks::find);

/// A small kernel on one GPU, its result verified: does the GPU still answer a new process?
constexpr const char* kAlive = "gpu.alive";

}  // namespace vt::agent
