#include "kernels/chase.hpp"
#include "kernels/collective.hpp"
#include "kernels/convolution.hpp"
#include "kernels/copy.hpp"
#include "kernels/coverage.hpp"
#include "kernels/gemm.hpp"
#include "kernels/images.hpp"
#include "kernels/launch.hpp"
#include "kernels/memory.hpp"
#include "kernels/normalisation.hpp"
#include "kernels/pattern.hpp"
#include "kernels/sgd.hpp"
#include "kernels/training.hpp"

namespace vt::kernels {

namespace {
const AnyKernel kAll[] = {
    VT_NAMED(vt_fill_words).any(),
    VT_NAMED(vt_verify_words).any(),
    VT_NAMED(vt_flip_bit).any(),
    VT_NAMED(vt_copy_wide).any(),
    VT_NAMED(vt_copy_words).any(),
    VT_NAMED(vt_gate).any(),
    VT_NAMED(vt_chase).any(),
    VT_NAMED(vt_read_wide).any(),
    VT_NAMED(vt_sum_words).any(),
    VT_NAMED(vt_write_wide).any(),
    VT_NAMED(vt_verify_count).any(),
    VT_NAMED(vt_triad_wide).any(),
    VT_NAMED(vt_verify_triad).any(),
    VT_NAMED(vt_memory_write).any(),
    VT_NAMED(vt_memory_check).any(),
    VT_NAMED(vt_memory_invert).any(),
    VT_NAMED(vt_fill_contribution).any(),
    VT_NAMED(vt_verify_contribution).any(),
    VT_NAMED(vt_draw_matrix).any(),
    VT_NAMED(vt_decode_matrix).any(),
    VT_NAMED(vt_gemm_f32).any(),
    VT_NAMED(vt_gemm_f64).any(),
    VT_NAMED(vt_gemm_bf16).any(),
    VT_NAMED(vt_gemm_bf16_f32).any(),
    VT_NAMED(vt_encode_result).any(),
    VT_NAMED(vt_gemm_compare_f32).any(),
    VT_NAMED(vt_gemm_compare_f64).any(),
    VT_NAMED(vt_freivalds_right_f32).any(),
    VT_NAMED(vt_freivalds_right_f64).any(),
    VT_NAMED(vt_freivalds_rows_f32).any(),
    VT_NAMED(vt_freivalds_rows_f64).any(),
    VT_NAMED(vt_count_nonfinite).any(),
    VT_NAMED(vt_compare_results).any(),
    VT_NAMED(vt_gather_elements).any(),
    VT_NAMED(vt_embed).any(),
    VT_NAMED(vt_embed_backward).any(),
    VT_NAMED(vt_layer_norm).any(),
    VT_NAMED(vt_layer_norm_backward).any(),
    VT_NAMED(vt_layer_norm_weights).any(),
    VT_NAMED(vt_gelu).any(),
    VT_NAMED(vt_gelu_backward).any(),
    VT_NAMED(vt_attention).any(),
    VT_NAMED(vt_attention_queries).any(),
    VT_NAMED(vt_attention_keys).any(),
    VT_NAMED(vt_cross_entropy).any(),
    VT_NAMED(vt_adamw).any(),
    VT_NAMED(vt_to_bf16).any(),
    VT_NAMED(vt_im2col).any(),
    VT_NAMED(vt_col2im).any(),
    VT_NAMED(vt_max_pool).any(),
    VT_NAMED(vt_max_pool_backward).any(),
    VT_NAMED(vt_mean_pool).any(),
    VT_NAMED(vt_mean_pool_backward).any(),
    VT_NAMED(vt_norm_sums).any(),
    VT_NAMED(vt_fold_sums).any(),
    VT_NAMED(vt_norm_moments).any(),
    VT_NAMED(vt_normalise).any(),
    VT_NAMED(vt_cut_backward).any(),
    VT_NAMED(vt_norm_slopes).any(),
    VT_NAMED(vt_norm_gradients).any(),
    VT_NAMED(vt_norm_backward).any(),
    VT_NAMED(vt_draw_pictures).any(),
    VT_NAMED(vt_repeat_row).any(),
    VT_NAMED(vt_sum_rows).any(),
    VT_NAMED(vt_mean).any(),
    VT_NAMED(vt_sgd).any(),
    VT_NAMED(vt_nothing).any(),
    VT_NAMED(vt_count_up).any(),
    VT_NAMED(vt_exchange_cells).any(),
    VT_NAMED(vt_special_answers).any(),
    VT_NAMED(vt_question_units).any(),
};
}  // namespace

std::span<const AnyKernel> all() { return kAll; }

const AnyKernel* find(std::string_view name) {
  for (auto& kernel : kAll)
    if (kernel.name == name) return &kernel;
  return nullptr;
}

}  // namespace vt::kernels
