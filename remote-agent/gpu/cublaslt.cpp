#include "remote-agent/gpu/cublaslt.hpp"

#include <algorithm>
#include <chrono>
#include <limits>
#include <utility>

#include "remote-agent/gpu/cuda.hpp"
#include "remote-agent/gpu/library.hpp"

namespace vt::gpu {

namespace {

using kernels::Format;

struct Algorithm {
  std::uint64_t data[8];
};
/// cublasLtMatmulHeuristicResult_t
struct Proposal {
  Algorithm algorithm;
  std::size_t workspace;
  int state;
  float waves;
  int reserved[4];
};
static_assert(sizeof(Proposal) == 96);

constexpr int kSuccess = 0, kMostProposals = 16;
constexpr std::size_t kMostWorkspaceBytes = std::size_t{64} << 20;

/// cudaDataType_t
enum Type : int { kR32F = 0, kR64F = 1, kR16F = 2, kR16BF = 14, kR8E4M3 = 28, kR8E5M2 = 29, kR4E2M1 = 33 };
/// cublasComputeType_t
enum Compute : int { k32F = 68, k32FPedantic = 69, k64F = 70, k32FFastTf32 = 77 };
/// cublasLtMatmulDescAttributes_t, cublasLtMatmulPreferenceAttributes_t, cublasLtMatmulAlgoConfigAttributes_t
enum Attribute : int {
  kTransposeA = 3,
  kTransposeB = 4,
  kAScalePointer = 17,
  kBScalePointer = 18,
  kAScaleMode = 31,
  kBScaleMode = 32,
  kMostWorkspace = 1,
  kReductions = 3,
  kAlgorithmId = 0,
  kTile = 1,
  kSplitK = 2,
  kStages = 6
};
constexpr int kTransposed = 1, kScalePer16 = 1;
/// cublasLtReductionScheme_t. Parts of a product that is split along k may only be added in the type that is computed in: in the result's
/// type each of them would be rounded, which our bounds do not allow for.
constexpr std::uint32_t kReduceInComputeType = 2;

Type type_of(Format f) {
  switch (f) {
    case Format::fp64: return kR64F;
    case Format::bf16: return kR16BF;
    case Format::fp16: return kR16F;
    case Format::e4m3: return kR8E4M3;
    case Format::e5m2: return kR8E5M2;
    case Format::nvfp4: return kR4E2M1;
    default: return kR32F;
  }
}

/// Pedantic fp32 may not be made of fewer bits.
Compute compute_of(Format f) {
  switch (f) {
    case Format::fp64: return k64F;
    case Format::fp32: return k32FPedantic;
    case Format::tf32: return k32FFastTf32;
    default: return k32F;
  }
}

std::string text_of(int status) {
  switch (status) {
    case 1: return "not initialised";
    case 3: return "out of memory";
    case 7: return "invalid value";
    case 8: return "the device lacks what is asked for";
    case 13: return "the kernel failed";
    case 14: return "internal error";
    case 15: return "not supported";
    default: return "status " + std::to_string(status);
  }
}

Status done(int status, const char* what) {
  if (status == kSuccess) return {};
  return fail(status == 3 ? Errc::capacity : Errc::refused, std::string(what) + ": " + text_of(status));
}

std::string version_text(std::size_t v) {
  return std::to_string(v / 10000) + "." + std::to_string(v / 100 % 100) + "." + std::to_string(v % 100);
}

}  // namespace

struct CublasLtFunctions {
  int (*create)(void**);
  int (*destroy)(void*);
  std::size_t (*version)();
  int (*matmul)(void*, void*, const void*, const void*, void*, const void*, void*, const void*, const void*, void*, void*, void*,
                const Algorithm*, void*, std::size_t, void*);
  int (*heuristic)(void*, void*, void*, void*, void*, void*, void*, int, Proposal*, int*);
  int (*config)(const Algorithm*, int, void*, std::size_t, std::size_t*);
  int (*desc_create)(void**, int, int);
  int (*desc_set)(void*, int, const void*, std::size_t);
  int (*desc_destroy)(void*);
  int (*layout_create)(void**, int, std::uint64_t, std::uint64_t, std::int64_t);
  int (*layout_destroy)(void*);
  int (*preference_create)(void**);
  int (*preference_set)(void*, int, const void*, std::size_t);
  int (*preference_destroy)(void*);
};

namespace {

template <class Function>
bool find(const Library& library, Function& function, const char* name) {
  function = library.function<Function>(name);
  return function != nullptr;
}

bool resolve(const Library& in, CublasLtFunctions& f) {
  return find(in, f.create, "cublasLtCreate") && find(in, f.destroy, "cublasLtDestroy") && find(in, f.version, "cublasLtGetVersion") &&
         find(in, f.matmul, "cublasLtMatmul") && find(in, f.heuristic, "cublasLtMatmulAlgoGetHeuristic") &&
         find(in, f.config, "cublasLtMatmulAlgoConfigGetAttribute") && find(in, f.desc_create, "cublasLtMatmulDescCreate") &&
         find(in, f.desc_set, "cublasLtMatmulDescSetAttribute") && find(in, f.desc_destroy, "cublasLtMatmulDescDestroy") &&
         find(in, f.layout_create, "cublasLtMatrixLayoutCreate") && find(in, f.layout_destroy, "cublasLtMatrixLayoutDestroy") &&
         find(in, f.preference_create, "cublasLtMatmulPreferenceCreate") &&
         find(in, f.preference_set, "cublasLtMatmulPreferenceSetAttribute") &&
         find(in, f.preference_destroy, "cublasLtMatmulPreferenceDestroy");
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
  std::shared_ptr<const CublasLtFunctions> f;
  Handle library, desc, a, b, c;
  std::shared_ptr<Buffer> workspace;
  Product product;
  std::vector<Proposal> proposals;
  std::size_t chosen = 0;

  Result<Handle> layout(Format format, std::uint64_t rows, std::uint64_t columns) const {
    void* out = nullptr;
    VT_CHECK(done(f->layout_create(&out, type_of(format), rows, columns, static_cast<std::int64_t>(rows)), "cublasLtMatrixLayoutCreate"));
    return held(out, f->layout_destroy);
  }

  template <class T>
  Status set(int attribute, T value, const char* what) const {
    return done(f->desc_set(desc.get(), attribute, &value, sizeof value), what);
  }

  Status describe() {
    void* out = nullptr;
    bool wide = product.in == Format::fp64;
    VT_CHECK(done(f->desc_create(&out, compute_of(product.in), wide ? kR64F : kR32F), "cublasLtMatmulDescCreate"));
    desc = held(out, f->desc_destroy);
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
    VT_CHECK(done(f->preference_create(&out), "cublasLtMatmulPreferenceCreate"));
    auto preference = held(out, f->preference_destroy);
    auto room = workspace->bytes();
    VT_CHECK(done(f->preference_set(out, kMostWorkspace, &room, sizeof room), "workspace"));
    VT_CHECK(done(f->preference_set(out, kReductions, &kReduceInComputeType, sizeof kReduceInComputeType), "reduction scheme"));
    proposals.resize(kMostProposals);
    int count = 0;
    VT_CHECK(
        done(f->heuristic(library.get(), desc.get(), a.get(), b.get(), c.get(), c.get(), out, kMostProposals, proposals.data(), &count),
             "no algorithm"));
    proposals.resize(static_cast<std::size_t>(std::max(0, count)));
    std::erase_if(proposals, [room](auto& p) { return p.state != kSuccess || p.workspace > room; });
    return proposals.empty() ? Status(fail(Errc::refused, "no algorithm")) : Status{};
  }

  Status run(std::size_t which, const void* x, const void* y, void* z, Stream stream) const {
    const double wide[] = {1, product.add ? 1.0 : 0.0};
    const float narrow[] = {1, product.add ? 1.0F : 0.0F};
    bool is_wide = product.in == Format::fp64;
    const void *alpha = is_wide ? static_cast<const void*>(wide) : narrow,
               *beta = is_wide ? static_cast<const void*>(wide + 1) : narrow + 1;
    VT_CHECK(device->use());
    return done(f->matmul(library.get(), desc.get(), alpha, x, a.get(), y, b.get(), beta, z, c.get(), z, c.get(),
                          &proposals[which].algorithm, workspace->as<void>(), workspace->bytes(), stream.handle),
                "cublasLtMatmul");
  }

  [[nodiscard]] int setting(int attribute) const {
    int value = -1;
    std::size_t written = 0;
    f->config(&proposals[chosen].algorithm, attribute, &value, sizeof value, &written);
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
  std::shared_ptr<CublasLtFunctions> functions = std::make_shared<CublasLtFunctions>();
  Handle handle;
  std::string path;
};

Result<Started> start(const std::string& name) {
  VT_TRY(auto library, open_library({name}));
  Started out;
  out.path = library.path();
  if (!resolve(library, *out.functions)) return fail(Errc::refused, out.path + " lacks functions of cuBLASLt");
  void* handle = nullptr;
  if (auto created = done(out.functions->create(&handle), "cublasLtCreate"); !created)
    return fail(created.error().code, out.path + ": " + created.error().what);
  out.handle = held(handle, out.functions->destroy);
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
  out.version_ = version_text(started.functions->version());
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
    default: return "nvfp4";
  }
}

}  // namespace vt::gpu
