#include <algorithm>
#include <chrono>

#include "remote-agent/checks/check.hpp"
#include "remote-agent/gpu/cuda.hpp"

namespace vt::checks {

namespace {

using Clock = std::chrono::steady_clock;
using gpu::cuda::Driver;

double ms_since(Clock::time_point start) { return std::chrono::duration<double, std::milli>(Clock::now() - start).count(); }

std::string cuda_version(int number) { return std::to_string(number / 1000) + "." + std::to_string(number % 1000 / 10); }

/// Milliseconds to a primary context on one device, given back at once.
Result<double> context_ms(const Driver& driver, int ordinal) {
  gpu::cuda::DeviceId id = 0;
  gpu::cuda::Context context = nullptr;
  VT_CUDA(driver, cuDeviceGet, &id, ordinal);
  auto start = Clock::now();
  VT_CUDA(driver, cuDevicePrimaryCtxRetain, &context, id);
  auto took = ms_since(start);
  VT_CUDA(driver, cuDevicePrimaryCtxRelease_v2, id);
  return took;
}

Status measure(const Driver& driver, nlohmann::json& values, Reporter& report) {
  auto start = Clock::now();
  auto ready = gpu::cuda::initialise(driver);
  values["init_ms"] = ms_since(start);
  VT_CHECK(ready);
  int devices = 0;
  VT_CUDA(driver, cuDeviceGetCount, &devices);
  double slowest = 0;
  for (int i = 0; i < devices; ++i) {
    report.progress("context on GPU " + std::to_string(i), static_cast<double>(i) / devices);
    auto took = context_ms(driver, i);
    if (!took) return fail(took.error().code, "GPU " + std::to_string(i) + ": " + took.error().what);
    values["context_ms"].push_back(*took);
    values["slowest_context_ms"] = slowest = std::max(slowest, *took);
  }
  return {};
}

}  // namespace

/// This process exists for nothing else, so that the driver starts here as it does in any program.
Outcome driver_init(const Task&, Reporter& report) {
  Outcome out;
  out.values = {{"init_ms", 0.0}, {"slowest_context_ms", 0.0}, {"cuda", "unknown"}};
  auto driver = gpu::cuda::load_driver();
  auto measured = driver ? measure(**driver, out.values, report) : Status(fail(driver.error()));
  if (driver) out.values["library"] = (*driver)->path, out.values["cuda"] = cuda_version((*driver)->version);
  out.values["state"] = measured ? "ok" : measured.error().what;
  return out;
}

}  // namespace vt::checks
