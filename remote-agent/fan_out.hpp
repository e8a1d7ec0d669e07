#pragma once
#include "remote-agent/channel.hpp"

namespace vt::agent {

/// Runs an `on_gpu` or `on_gpus` check: this process watches and never creates a CUDA context; the check runs in children of it
/// (`--gpu-worker NAME`), which a hang, a crash or a lost GPU may cost and nothing else. GPUs: args.gpus (list of ordinals) or all.
///
/// Values of the result:
///   <name>        list: what each GPU's check returned under that name, in the order of the GPUs; null where a GPU has none
///   gpu           list of GPU UUIDs in that order
///   health        list, one text per GPU: "ok", or what is wrong with the GPU itself: "XID 79: fell off the bus", "hung in all_reduce
///                 8 MiB", "crashed (signal 11)", "hw thermal slowdown 12.0 s", "3 uncorrected ECC errors"
///   telemetry     list of objects: power_w, temperature_c, sm_mhz, memory_mhz ({min, mean, max}), throttled_s ({reason: s}),
///                 pcie ({generation, width} under load), links (what they counted meanwhile: gpu::LinkErrors);
///                 temperature_c/above_coolest: C above the coolest GPU's max
///   conditions    list: the telemetry in words; "not sampled" where there is none
///   rung          list: on which rung its kernels were loaded (gpu::Device::rung); null if its device was not opened
/// A GPU whose check said that it could not measure (Outcome.error) makes the whole check an error, unless another is unhealthy.
/// Afterwards every GPU is asked again: NVML, and after a hang or crash a small kernel in a new process.
/// The check has three quarters of the task's time, of a short one three fifths, of a long one all but 18 s; the rest is for ending what
/// hangs and for that. A process that still told of progress just before its time ended was too slow (an error), and did not hang.
/// Where ranks wait for each other, the loss of one ends the others after a short grace.
checks::Outcome fan_out(const checks::Entry&, const checks::Task&, Channel&);

}  // namespace vt::agent
