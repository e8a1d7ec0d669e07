#include "remote-agent/gpu/xid.hpp"

namespace vt::gpu {

namespace {

using enum XidClass;

constexpr std::string_view kReset = "reset the GPU or restart; if it comes again, service",
                           kProgram = "look for a faulty program; from a verified one suspect hardware or driver",
                           kLink = "reset the GPU, check NVLink bridges and cables", kWatch = "watch it; if it comes often, service",
                           kVideo = "restart the program; if it comes again, service";

struct Row {
  int first, last;
  Xid xid;
};
// clang-format off: a table
constexpr Row kRows[] = {
    {8, 8, {program, "stopped processing", kProgram}},
    {11, 11, {program, "corrupted push buffer", kProgram}},
    {13, 13, {program, "graphics engine exception", kProgram}},
    {25, 25, {program, "illegal push buffer", kProgram}},
    {31, 31, {program, "memory page fault", kProgram}},
    {32, 32, {program, "corrupted push buffer", kProgram}},
    {37, 38, {program, "driver firmware error", kProgram}},
    {39, 41, {program, "copy engine exception", kProgram}},
    {43, 43, {program, "stopped processing", kProgram}},
    {44, 44, {program, "fault during a context switch", kProgram}},
    {45, 45, {program, "channel removed after an earlier error", "see the Xid before it"}},
    {46, 46, {fatal, "stopped processing", kReset}},
    {48, 48, {fatal, "double bit ECC error", kReset}},
    {54, 54, {fatal, "auxiliary power is not connected", "check the power cables of the card"}},
    {60, 60, {program, "video processor exception", kVideo}},
    {62, 62, {fatal, "internal microcontroller halted", kReset}},
    {63, 63, {warning, "a memory row or page was replaced", "reset the GPU to activate it, then test its memory"}},
    {64, 64, {fatal, "a memory row or page could not be replaced", "reset the GPU; then service"}},
    {66, 67, {program, "illegal access by the driver", "update the driver"}},
    {68, 68, {program, "video decoder exception", kVideo}},
    {69, 69, {program, "graphics engine class error", kProgram}},
    {70, 72, {program, "copy engine error", kProgram}},
    {74, 74, {fatal, "NVLink error", kLink}},
    {75, 77, {program, "copy engine error", kProgram}},
    {78, 78, {program, "vGPU did not start", "update driver and firmware"}},
    {79, 79, {fatal, "fell off the bus", "power the machine off and on; then reseat the card and its power cables, then service"}},
    {80, 80, {program, "corrupted data sent to the GPU", kProgram}},
    {82, 84, {program, "video or image decoder error", kVideo}},
    {85, 85, {program, "copy engine error", kProgram}},
    {86, 86, {program, "optical flow engine error", kVideo}},
    {88, 89, {program, "video decoder error", kVideo}},
    {92, 92, {warning, "many single bit ECC errors", kWatch}},
    {93, 93, {warning, "InfoROM written more often than it may be", kWatch}},
    {94, 94, {warning, "contained memory error", "restart the program and reset the GPU when it is idle"}},
    {95, 95, {fatal, "uncontained memory error", kReset}},
    {96, 105, {program, "video or image decoder error", kVideo}},
    {106, 107, {notice, "test message", ""}},
    {109, 109, {fatal, "context switch timed out", kReset}},
    {110, 110, {fatal, "security fault", kReset}},
    {119, 120, {fatal, "its system processor (GSP) does not answer or failed", "power the machine off and on; update the driver"}},
    {121, 121, {warning, "chip-to-chip link error", kWatch}},
    {126, 135, {program, "copy engine error", kProgram}},
    {136, 136, {fatal, "NVLink training failed", kLink}},
    {137, 137, {warning, "NVLink privilege error", kWatch}},
    {139, 139, {program, "optical flow engine error", kVideo}},
    {140, 140, {fatal, "unrecovered ECC error", kReset}},
    {141, 141, {program, "CUDA fast path error", kProgram}},
    {142, 142, {program, "video encoder error", kVideo}},
    {143, 143, {fatal, "did not initialise", kReset}},
    {144, 150, {fatal, "NVLink error", kLink}},
    {151, 151, {fatal, "key rotation failed", "restart the virtual machine"}},
    {152, 153, {program, "accelerator error", kProgram}},
    {154, 154, {warning, "the recovery that the GPU needs has changed", "see the Xid before it and health.recovery"}},
    {155, 155, {fatal, "NVLink error seen by software", kLink}},
    {156, 156, {fatal, "a part of the chip was retired", "reset the GPU to activate it, then test it"}},
    {157, 157, {warning, "a part of the chip could not be retired", kWatch}},
    {158, 158, {fatal, "fatal timeout", kReset}},
    {159, 159, {program, "coherent link error", kProgram}},
    {160, 161, {warning, "a memory channel was retired, or could not be", kWatch}},
    {162, 163, {notice, "power smoothing switched", ""}},
    {164, 165, {warning, "power smoothing is worn out", kWatch}},
    {166, 166, {warning, "traffic before the link was encrypted", kWatch}},
    {167, 167, {fatal, "fatal PCIe timeout", "power the machine off and on; reseat the card"}},
    {168, 168, {fatal, "memory capacity was reduced after errors", "service"}},
    {169, 169, {fatal, "internal microcontroller halted", kReset}},
    {170, 170, {warning, "interrupt in confidential mode", kWatch}},
    {171, 172, {fatal, "uncorrectable memory error", kReset}},
};
// clang-format on

}  // namespace

Xid xid(int code) {
  for (auto& row : kRows)
    if (code >= row.first && code <= row.last) return row.xid;
  return {unknown, "not in NVIDIA's catalogue", "look it up in a newer catalogue; treat it as a fault if it comes again"};
}

bool fails_a_check(int code) {
  constexpr int kContained = 94;  // repaired, but the data of whoever ran is lost: that was us
  auto kind = xid(code).kind;
  return kind == fatal || kind == program || code == kContained;
}

std::string told(int code) {
  auto known = xid(code);
  auto out = "XID " + std::to_string(code) + ": " + std::string(known.what);
  return known.todo.empty() ? out : out + " (" + std::string(known.todo) + ")";
}

}  // namespace vt::gpu
