#pragma once
#include <map>
#include <tuple>

#include "kernels/gemm.hpp"
#include "remote-agent/gpu/cublaslt.hpp"

namespace vt::checks {

/// One block of our own kernel for each tile of an m x n result.
inline gpu::Grid product_grid(std::uint64_t m, std::uint64_t n) {
  return {kernels::tiles(m, kernels::kTile) * kernels::tiles(n, kernels::kTile)};
}

/// cuBLASLt's plans of the products that one piece of work repeats; made when first asked for.
class ProductPlans {
 public:
  /// Products of one work that differ in their types differ in what is transposed, too, so types are no part of the key. A plan that is
  /// new is tried with all algorithms for `tune_seconds`, which spoils a result that is added to.
  Status run(gpu::CublasLt& library, const gpu::Product& p, const void* a, const void* b, void* c, double tune_seconds = 0) {
    std::tuple key{p.m, p.n, p.k, p.transpose_a, p.transpose_b, p.add};
    auto at = plans_.find(key);
    if (at == plans_.end()) {
      VT_TRY(auto plan, library.plan(p));
      if (tune_seconds > 0) VT_CHECK(plan.tune(a, b, c, tune_seconds));
      at = plans_.emplace(key, std::move(plan)).first;
    }
    return at->second.run(a, b, c);
  }

 private:
  std::map<std::tuple<std::uint64_t, std::uint64_t, std::uint64_t, bool, bool, bool>, gpu::CublasLtPlan> plans_;
};

}  // namespace vt::checks
