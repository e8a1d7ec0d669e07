#include <algorithm>

#include "remote-agent/base/os.hpp"
#include "remote-agent/checks/gemm_verify.hpp"
#include "remote-agent/checks/outcome.hpp"

namespace vt::checks {

namespace {

using kernels::Format;

/// What training runs on: with the library's first algorithm, or by our own kernel where the library is missing or has none.
Result<GemmProblem> make_problem(gpu::Device& device, double wanted, bool own) {
  auto format = has(device.info(), Format::bf16) ? Format::bf16 : Format::fp16;
  VT_TRY(auto size, fitting_size(device, wanted));
  auto library = own ? Result<gpu::CublasLt>(fail(Errc::not_found, "our own is wanted")) : gpu::CublasLt::open(device);
  if (library) {
    auto problem = GemmProblem::make(device, format, size, &*library);
    if (problem || problem.error().code != Errc::refused) return problem;
  }
  return GemmProblem::make(device, format, size, nullptr);
}

Result<nlohmann::json> repeat(const Task& task, gpu::Device& device, Reporter& report) {
  VT_TRY(auto problem, make_problem(device, task.number("size", 4096), task.on_cpu() || task.flag("own")));
  VT_CHECK(problem.draw(kernels::Draw::normal, static_cast<std::uint64_t>(agent::wall_ms())));
  VT_CHECK(problem.run());
  if (task.flag("fault")) VT_CHECK(problem.spoil());
  report.progress(std::string("repeats of one ") + gpu::name(problem.in()) + " product", 0.2);
  auto repeats = static_cast<int>(std::clamp(task.number("repeats", 100), 1.0, 1e6));
  VT_TRY(auto found, verify_repeats(problem, repeats, task.number("seconds", 1)));
  return nlohmann::json{{"wrong", found.repeats},
                        {"repeats", found.again},
                        {"first_wrong", found.first},
                        {"kernel", std::string(gpu::name(problem.in())) + ", " + problem.algorithm()}};
}

}  // namespace

/// One product up to args.repeats times with one algorithm, for args.seconds: its bits must be the same every time. `wrong` counts words.
/// args.fault spoils the result that the others are held against.
Outcome gemm_repeat(const Task& task, gpu::Device& device, Reporter& report) { return outcome(device, repeat(task, device, report)); }

}  // namespace vt::checks
