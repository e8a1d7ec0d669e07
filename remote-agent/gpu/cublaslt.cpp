#include "remote-agent/gpu/cublaslt.hpp"

#include <algorithm>
#include <chrono>
#include <limits>
#include <utility>

#include "remote-agent/gpu/cublaslt_abi.hpp"
#include "remote-agent/gpu/cuda.hpp"
#include "remote-agent/gpu/library.hpp"

namespace vt::gpu {

namespace {

using kernels::Format;

using namespace cublaslt;

constexpr int kMostProposals = 16;
constexpr std::size_t kMostWorkspaceBytes = std::size_t{64} << 20;

Type type_of(Format f) {
  switch (f) {
    case Format::fp64: return kR64F;
    case Format::bf16: return kR16BF;
    case Format::fp16: return kR16F;
    case Format::e4m3: return kR8E4M3;
    case Format::e5m2: return kR8E5M2;
    case Format::nvfp4: return kR4E2M1;
    case Format::int8: return kR8I;
    case Format::int32: return kR32I;
    default: return kR32F;
  }
}

/// Pedantic fp32 may not be made of fewer bits.
Compute compute_of(Format f) {
  switch (f) {
    case Format::fp64: return k64F;
    case Format::fp32: return k32FPedantic;
    case Format::tf32: return k32FFastTf32;
    case Format::int8: return k32I;
    default: return k32F;
  }
}

/// What alpha and beta are.
Type scale_of(Format f) { return f == Format::fp64 ? kR64F : f == Format::int8 ? kR32I : kR32F; }

std::string text_of(int status) {
  switch (status) {
    case kNotInitialised: return "not initialised";
    case kNoMemory: return "out of memory";
    case kInvalidValue: return "invalid value";
    case kArchMismatch: return "the device lacks what is asked for";
    case kExecutionFailed: return "the kernel failed";
    case kInternalError: return "internal error";
    case kNotSupported: return "not supported";
    default: return "status " + std::to_string(status);
  }
}

Status done(int status, const char* what) {
  if (status == kSuccess) return {};
  return fail(status == kNoMemory ? Errc::capacity : Errc::refused, std::string(what) + ": " + text_of(status));
}

std::string version_text(std::size_t v) {
  return std::to_string(v / 10000) + "." + std::to_string(v / 100 % 100) + "." + std::to_string(v % 100);
}

bool resolve(const Library& in, Functions& f) {
#define VT_TAKE(returned, name, ...)                      \
  f.name = in.function<returned (*)(__VA_ARGS__)>(#name); \
  if (!f.name) return false;
  VT_CUBLASLT_FUNCTIONS(VT_TAKE)
#undef VT_TAKE
  return true;
}

/// One of the library's objects, ended by its own function.
using Handle = std::shared_ptr<void>;

Handle held(void* object, int (*destroy)(void*)) {
  return Handle(object, [destroy](void* p) {
    if (p) destroy(p);
  });
}

}  // namespace

struct CublasLtPlan::Parts {
  Device* device;
  std::shared_ptr<const Functions> f;
  Handle library, desc, a, b, c;
  std::shared_ptr<Buffer> workspace;
  Product product;
  std::vector<Proposal> proposals;
  std::size_t chosen = 0;

  Result<Handle> layout(Format format, std::uint64_t rows, std::uint64_t columns) const {
    void* out = nullptr;
    VT_CHECK(done(f->cublasLtMatrixLayoutCreate(&out, type_of(format), rows, columns, static_cast<std::int64_t>(rows)),
                  "cublasLtMatrixLayoutCreate"));
    return held(out, f->cublasLtMatrixLayoutDestroy);
  }

  template <class T>
  Status set(int attribute, T value, const char* what) const {
    return done(f->cublasLtMatmulDescSetAttribute(desc.get(), attribute, &value, sizeof value), what);
  }

  Status describe() {
    void* out = nullptr;
    VT_CHECK(done(f->cublasLtMatmulDescCreate(&out, compute_of(product.in), scale_of(product.in)), "cublasLtMatmulDescCreate"));
    desc = held(out, f->cublasLtMatmulDescDestroy);
    if (product.transpose_a) VT_CHECK(set(kTransposeA, kTransposed, "transposed A"));
    if (product.transpose_b) VT_CHECK(set(kTransposeB, kTransposed, "transposed B"));
    if (product.in == Format::nvfp4) {
      VT_CHECK(set(kAScaleMode, kScalePer16, "block scales (cuBLASLt 12.8 is the first to have them)"));
      VT_CHECK(set(kBScaleMode, kScalePer16, "block scales"));
      VT_CHECK(set(kAScalePointer, product.a_scales, "block scales"));
      VT_CHECK(set(kBScalePointer, product.b_scales, "block scales"));
    }
    auto& p = product;
    VT_TRY(a, p.transpose_a ? layout(p.in, p.k, p.m) : layout(p.in, p.m, p.k));
    VT_TRY(b, p.transpose_b ? layout(p.in, p.n, p.k) : layout(p.in, p.k, p.n));
    VT_TRY(c, layout(p.out, p.m, p.n));
    return {};
  }

  Status propose() {
    void* out = nullptr;
    VT_CHECK(done(f->cublasLtMatmulPreferenceCreate(&out), "cublasLtMatmulPreferenceCreate"));
    auto preference = held(out, f->cublasLtMatmulPreferenceDestroy);
    auto room = workspace->bytes();
    VT_CHECK(done(f->cublasLtMatmulPreferenceSetAttribute(out, kMostWorkspace, &room, sizeof room), "workspace"));
    VT_CHECK(done(f->cublasLtMatmulPreferenceSetAttribute(out, kReductions, &kReduceInComputeType, sizeof kReduceInComputeType),
                  "reduction scheme"));
    proposals.resize(kMostProposals);
    int count = 0;
    VT_CHECK(done(f->cublasLtMatmulAlgoGetHeuristic(library.get(), desc.get(), a.get(), b.get(), c.get(), c.get(), out, kMostProposals,
                                                    proposals.data(), &count),
                  "no algorithm"));
    proposals.resize(static_cast<std::size_t>(std::max(0, count)));
    std::erase_if(proposals, [room](auto& p) { return p.state != kSuccess || p.workspace > room; });
    return proposals.empty() ? Status(fail(Errc::refused, "no algorithm")) : Status{};
  }

  Status run(std::size_t which, const void* x, const void* y, void* z, Stream stream) const {
    const double wide[] = {1, product.add ? 1.0 : 0.0};
    const float narrow[] = {1, product.add ? 1.0F : 0.0F};
    const std::int32_t whole[] = {1, product.add ? 1 : 0};
    const void *alpha = narrow, *beta = narrow + 1;
    if (product.in == Format::fp64) alpha = wide, beta = wide + 1;
    if (product.in == Format::int8) alpha = whole, beta = whole + 1;
    VT_CHECK(device->use());
    return done(f->cublasLtMatmul(library.get(), desc.get(), alpha, x, a.get(), y, b.get(), beta, z, c.get(), z, c.get(),
                                  &proposals[which].algorithm, workspace->as<void>(), workspace->bytes(), stream.handle),
                "cublasLtMatmul");
  }

  [[nodiscard]] int setting(int attribute) const {
    int value = -1;
    std::size_t written = 0;
    f->cublasLtMatmulAlgoConfigGetAttribute(&proposals[chosen].algorithm, attribute, &value, sizeof value, &written);
    return value;
  }
};

CublasLtPlan::CublasLtPlan(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
CublasLtPlan::CublasLtPlan(CublasLtPlan&&) noexcept = default;
CublasLtPlan::~CublasLtPlan() = default;

Status CublasLtPlan::run(const void* a, const void* b, void* c, Stream stream) { return parts_->run(parts_->chosen, a, b, c, stream); }

Status CublasLtPlan::tune(const void* a, const void* b, void* c, double seconds) {
  auto& device = *parts_->device;
  VT_TRY(auto from, device.new_mark());
  VT_TRY(auto to, device.new_mark());
  auto until = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  double best = std::numeric_limits<double>::max();
  for (std::size_t i = 0; i < parts_->proposals.size() && (i == 0 || std::chrono::steady_clock::now() < until); ++i) {
    if (!parts_->run(i, a, b, c, {})) continue;  // a proposal may still be refused; also warms up
    VT_CHECK(device.mark(from));
    VT_CHECK(parts_->run(i, a, b, c, {}));
    VT_CHECK(parts_->run(i, a, b, c, {}));
    VT_CHECK(device.mark(to));
    VT_CHECK(device.wait(to));
    VT_TRY(auto took, device.seconds(from, to));
    if (took < best) best = took, parts_->chosen = i;
  }
  return {};
}

std::string CublasLtPlan::algorithm() const {
  return "algorithm " + std::to_string(parts_->setting(kAlgorithmId)) + ", tile " + std::to_string(parts_->setting(kTile)) + ", stages " +
         std::to_string(parts_->setting(kStages)) + ", split-k " + std::to_string(parts_->setting(kSplitK));
}

namespace {

/// Newest first. One of a later major version than the driver's does not start.
std::vector<std::string> names_for_driver() {
  constexpr int kThirteen = 13'000;
  std::vector<std::string> out = {"libcublasLt.so.13", "libcublasLt.so.12"};
  if (auto driver = cuda::driver(); driver && (*driver)->version < kThirteen) out.erase(out.begin());
  return out;
}

/// A library that was started in the current context.
struct Started {
  std::shared_ptr<Functions> functions = std::make_shared<Functions>();
  Handle handle;
  std::string path;
};

Result<Started> start(const std::string& name) {
  VT_TRY(auto library, open_library({name}));
  Started out;
  out.path = library.path();
  if (!resolve(library, *out.functions)) return fail(Errc::refused, out.path + " lacks functions of cuBLASLt");
  void* handle = nullptr;
  if (auto created = done(out.functions->cublasLtCreate(&handle), "cublasLtCreate"); !created)
    return fail(created.error().code, out.path + ": " + created.error().what);
  out.handle = held(handle, out.functions->cublasLtDestroy);
  return out;
}

/// The first that starts; else why the newest that is there does not.
Result<Started> start_any() {
  Error trouble{Errc::not_found, "there is no cuBLASLt on this host that its driver is new enough for"};
  for (auto& name : names_for_driver()) {
    auto started = start(name);
    if (started) return started;
    if (trouble.code == Errc::not_found && started.error().code != Errc::not_found) trouble = started.error();
  }
  return fail(trouble);
}

}  // namespace

Result<CublasLt> CublasLt::open(Device& device) {
  if (device.info().is_cpu()) return fail(Errc::not_found, "cuBLASLt does not run on a processor");
  VT_CHECK(device.use());
  VT_TRY(auto started, start_any());
  CublasLt out;
  out.device_ = &device;
  VT_TRY(auto free, device.free_memory());
  VT_TRY(auto workspace, device.allocate(std::min<std::size_t>(kMostWorkspaceBytes, free / 16)));
  out.workspace_ = std::make_shared<Buffer>(std::move(workspace));
  out.version_ = version_text(started.functions->cublasLtGetVersion());
  out.functions_ = started.functions, out.handle_ = started.handle, out.path_ = started.path;
  return out;
}

Result<CublasLtPlan> CublasLt::plan(const Product& product) {
  auto parts = std::make_unique<CublasLtPlan::Parts>();
  parts->device = device_, parts->f = functions_, parts->library = handle_, parts->workspace = workspace_, parts->product = product;
  VT_CHECK(device_->use());
  auto ready = parts->describe();
  if (ready) ready = parts->propose();
  if (!ready)
    return fail(Errc::refused, std::string("cuBLASLt ") + version_ + " cannot do " + name(product.in) + " on sm_" +
                                   std::to_string(device_->info().sm) + ": " + ready.error().what);
  return CublasLtPlan(std::move(parts));
}

const char* name(Format format) {
  switch (format) {
    case Format::fp64: return "fp64";
    case Format::fp32: return "fp32";
    case Format::tf32: return "tf32";
    case Format::bf16: return "bf16";
    case Format::fp16: return "fp16";
    case Format::e4m3: return "fp8";
    case Format::e5m2: return "fp8-e5m2";
    case Format::int8: return "int8";
    case Format::int32: return "int32";
    default: return "nvfp4";
  }
}

}  // namespace vt::gpu
