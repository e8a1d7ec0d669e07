#include <algorithm>

#include "remote-agent/base/os.hpp"
#include "remote-agent/checks/check.hpp"
#include "remote-agent/checks/gemm_verify.hpp"

namespace vt::checks {

namespace {

using kernels::Format;

constexpr Format kFormats[] = {Format::fp64, Format::fp32, Format::tf32,  Format::bf16, Format::fp16,
                               Format::e4m3, Format::e5m2, Format::nvfp4, Format::int8};

/// What the whole check has seen.
struct Seen {
  GemmFindings findings;
  std::string types, lacking;
};

void list(std::string& texts, const std::string& text, const char* between) { texts += (texts.empty() ? "" : between) + text; }

/// What one format and kernel may spend on repeats: together half of the time there is. Without this the slow ones would take it all.
double seconds_for_repeats(const Task& task) {
  constexpr double kPart = 0.5 / 2 / std::size(kFormats);  // two kernels for each format: our own and cuBLASLt's
  return static_cast<double>(task.deadline_ms) / 1e3 * kPart;
}

/// fp64 runs at 1/64 of the rate of fp32 on GPUs that are not made for it (CUDA programming guide, arithmetic instructions), and our own
/// kernel reaches only a part of that.
double wanted_size(const Task& task, Format format, bool library) {
  constexpr double kOwnFp64 = 2048, kFp64 = 4096;
  auto size = task.number("size", 2048);
  return format == Format::fp64 ? std::min(size, library ? kFp64 : kOwnFp64) : size;
}

/// One format with one kernel: drawn and known answers, and the same bits again.
Result<GemmFindings> try_problem(GemmProblem& problem, const Task& task, std::uint64_t seed) {
  GemmFindings out;
  VT_CHECK(problem.draw(kernels::Draw::integers, seed));
  VT_CHECK(problem.run());
  VT_TRY(auto known, verify(problem, seed));
  out.add(known);
  VT_CHECK(problem.draw(kernels::Draw::normal, seed));
  VT_CHECK(problem.run());
  if (task.flag("fault")) VT_CHECK(problem.spoil());
  VT_TRY(auto drawn, verify(problem, seed));
  out.add(drawn);
  VT_TRY(auto repeats, verify_repeats(problem, static_cast<int>(task.number("repeats", 10)), seconds_for_repeats(task)));
  out.add(repeats);
  return out;
}

Status try_format(gpu::Device& device, Format format, gpu::CublasLt* library, const Task& task, Seen& seen) {
  VT_TRY(auto size, fitting_size(device, wanted_size(task, format, library != nullptr)));
  auto problem = GemmProblem::make(device, format, size, library);
  if (!problem && library && problem.error().code == Errc::refused) {
    list(seen.lacking, problem.error().what, "; ");
    return {};
  }
  if (!problem) return fail(problem.error());
  // Another seed for every run: what an earlier one has left in memory must not look right.
  VT_TRY(auto found, try_problem(*problem, task, static_cast<std::uint64_t>(agent::wall_ms())));
  seen.findings.add(found);
  list(seen.types, gpu::name(format) + std::string(library ? " (cuBLASLt)" : " (own)"), ", ");
  return {};
}

nlohmann::json told(const Seen& seen, const gpu::Device& device) {
  auto& f = seen.findings;
  return {{"wrong", f.wrong()},        {"compared", f.compared},     {"wrong_elements", f.elements},
          {"wrong_rows", f.rows},      {"wrong_samples", f.samples}, {"nonfinite", f.nonfinite},
          {"not_repeated", f.repeats}, {"repeats", f.again},         {"worst_error", f.worst},
          {"first_wrong", f.first},    {"types", seen.types},        {"lacking", seen.lacking.empty() ? "none" : seen.lacking},
          {"rung", device.rung()}};
}

Result<nlohmann::json> correct(const Task& task, gpu::Device& device, Reporter& report) {
  auto library = gpu::CublasLt::open(device);
  Seen seen;
  if (!library) list(seen.lacking, library.error().what, "; ");
  double done = 0;
  for (auto format : kFormats) {
    report.progress(gpu::name(format), done++ / static_cast<double>(std::size(kFormats)));
    if (!has(device.info(), format) || (!task.text("type").empty() && task.text("type") != gpu::name(format))) continue;
    VT_CHECK(try_format(device, format, nullptr, task, seen));
    // cuBLASLt multiplies e5m2 with e4m3 only.
    if (library && format != Format::e5m2) VT_CHECK(try_format(device, format, &*library, task, seen));
  }
  auto out = told(seen, device);
  if (library) out["library"] = "cuBLASLt " + library->version() + " " + library->path();
  return out;
}

}  // namespace

/// Products of every format the device has (or args.type), of args.size, by our own kernel and by the host's cuBLASLt: against
/// references, against a known answer, and up to args.repeats times against themselves, as often as half of the deadline allows. args.fault
/// spoils one element.
Outcome gemm_correct(const Task& task, gpu::Device& device, Reporter& report) {
  auto values = correct(task, device, report);
  if (!values) return {{}, device.info().uuid, values.error().what};
  return {*values, device.info().uuid, ""};
}

}  // namespace vt::checks
