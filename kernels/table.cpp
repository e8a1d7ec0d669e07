#include "kernels/collective.hpp"
#include "kernels/images.hpp"
#include "kernels/pattern.hpp"

namespace vt::kernels {

namespace {
const AnyKernel kAll[] = {
    VT_NAMED(vt_fill_words).any(),
    VT_NAMED(vt_verify_words).any(),
    VT_NAMED(vt_flip_bit).any(),
    VT_NAMED(vt_fill_contribution).any(),
    VT_NAMED(vt_verify_contribution).any(),
};
}  // namespace

std::span<const AnyKernel> all() { return kAll; }

const AnyKernel* find(std::string_view name) {
  for (auto& kernel : kAll)
    if (kernel.name == name) return &kernel;
  return nullptr;
}

}  // namespace vt::kernels
