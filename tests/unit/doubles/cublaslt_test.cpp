#include <vector>

#include "remote-agent/gpu/cublaslt.hpp"
#include "remote-agent/gpu/open.hpp"
#include "tests/unit/doubles/child.hpp"

using namespace vt;
using gpu::Product;
using kernels::Format;
using test::FakeGpus;
using test::in_child;

namespace {

constexpr std::uint64_t kSize = 128;

/// A device, its cuBLASLt, and room for any operand.
struct Bench {
  std::unique_ptr<gpu::Device> device;
  gpu::CublasLt library;
  gpu::Buffer data;

  static Result<Bench> make() {
    VT_TRY(auto device, gpu::open(0));
    VT_TRY(auto library, gpu::CublasLt::open(*device));
    VT_TRY(auto data, device->allocate(8 * kSize * kSize));
    return Bench{std::move(device), std::move(library), std::move(data)};
  }
  Product product(Format in, Format out) {
    Product p;
    p.in = in, p.out = out, p.m = p.n = p.k = kSize;
    if (in == Format::nvfp4) p.a_scales = p.b_scales = data.as<void>();
    return p;
  }
  /// "" or why not.
  std::string refusal(const Product& p) {
    auto plan = library.plan(p);
    return plan ? "" : plan.error().what;
  }
};

/// On a GPU of this compute capability.
void with(int sm, void (*look)(Bench&)) {
  FakeGpus gpus;
  gpus.gpu(0)["sm"] = sm;
  in_child(gpus, [look] {
    auto bench = Bench::make();
    ASSERT_TRUE(bench) << bench.error().what;
    look(*bench);
  });
}

struct Pair {
  Format in, out;
};
constexpr Pair kTaken[] = {{Format::fp64, Format::fp64},  {Format::fp32, Format::fp32}, {Format::tf32, Format::fp32},
                           {Format::bf16, Format::bf16},  {Format::fp16, Format::fp16}, {Format::e4m3, Format::bf16},
                           {Format::int8, Format::int32}, {Format::nvfp4, Format::bf16}};

}  // namespace

TEST(FakeCublasLt, TakesEveryProductThatTheAgentAsksFor) {
  with(120, [](Bench& bench) {
    for (auto [in, out] : kTaken) EXPECT_EQ(bench.refusal(bench.product(in, out)), "") << gpu::name(in);
  });
}

TEST(FakeCublasLt, RefusesWhatADeviceDoesNotHave) {
  with(86, [](Bench& bench) {
    for (auto [in, out] : kTaken) {
      bool newer = in == Format::e4m3 || in == Format::nvfp4;
      EXPECT_EQ(bench.refusal(bench.product(in, out)).empty(), !newer) << gpu::name(in);
    }
  });
  with(90, [](Bench& bench) {
    EXPECT_EQ(bench.refusal(bench.product(Format::e4m3, Format::bf16)), "");
    EXPECT_NE(bench.refusal(bench.product(Format::nvfp4, Format::bf16)), "");
  });
}

TEST(FakeCublasLt, RefusesWhatTheRealOneRefuses) {
  with(120, [](Bench& bench) {
    EXPECT_NE(bench.refusal(bench.product(Format::e5m2, Format::bf16)), "") << "e5m2 is multiplied with e4m3 only";
    EXPECT_NE(bench.refusal(bench.product(Format::bf16, Format::fp16)), "");
    EXPECT_NE(bench.refusal(bench.product(Format::int8, Format::fp32)), "");
    for (auto in : {Format::e4m3, Format::nvfp4, Format::int8}) {
      auto out = in == Format::int8 ? Format::int32 : Format::bf16;
      auto other_way = bench.product(in, out), odd = other_way;
      other_way.transpose_a = false, odd.k = 100 + 2;
      EXPECT_NE(bench.refusal(other_way), "") << gpu::name(in);
      EXPECT_NE(bench.refusal(odd), "") << gpu::name(in);
    }
    auto unscaled = bench.product(Format::nvfp4, Format::bf16);
    unscaled.b_scales = nullptr;
    EXPECT_NE(bench.refusal(unscaled), "");
  });
}

TEST(FakeCublasLt, RefusesOperandsThatItsAlgorithmWasNotAskedFor) {
  with(120, [](Bench& bench) {
    auto plan = bench.library.plan(bench.product(Format::fp32, Format::fp32));
    ASSERT_TRUE(plan) << plan.error().what;
    auto* at = bench.data.as<char>();
    EXPECT_TRUE(plan->run(at, at, at));
    auto refused = plan->run(at + 16, at, at);
    ASSERT_FALSE(refused) << "proposals are for operands at 256 bytes unless more is asked for";
    EXPECT_EQ(refused.error().what, "cublasLtMatmul: invalid value");
    EXPECT_TRUE(bench.device->finish());
  });
}
