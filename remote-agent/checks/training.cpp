#include "remote-agent/checks/training.hpp"

#include <cmath>
#include <utility>
#include <vector>

#include "kernels/training.hpp"

namespace vt::checks {

using kernels::u32;

Trainer::Layout Trainer::layout(const ModelSize& s) {
  std::uint64_t next = 0;
  auto take = [&next](std::uint64_t n) { return std::exchange(next, next + n); };
  auto d = s.width;
  Layout out{};
  out.token = take(s.vocabulary * d), out.place = take(s.length * d);
  out.gain1 = take(d), out.shift1 = take(d), out.qkv = take(3 * d * d), out.mix = take(d * d);
  out.gain2 = take(d), out.shift2 = take(d), out.up = take(4 * d * d), out.down = take(4 * d * d);
  out.gain3 = take(d), out.shift3 = take(d), out.head = take(s.vocabulary * d);
  out.end = next;
  return out;
}

Status Trainer::allocate() {
  auto bytes = at_.end * sizeof(float);
  VT_TRY(weights_, device_->allocate(bytes));
  VT_TRY(gradients_, device_->allocate(bytes));
  VT_TRY(mean_, device_->allocate(bytes));
  VT_TRY(square_, device_->allocate(bytes));
  VT_TRY(tokens_, device_->allocate(2 * size_.rows() * sizeof(u32)));
  VT_CHECK(device_->set(mean_.as<void>(), 0, bytes));
  VT_CHECK(device_->set(square_.as<void>(), 0, bytes));
  auto t = size_.rows(), d = size_.width, scores = t * size_.heads * size_.length;
  const std::pair<float**, std::uint64_t> parts[] = {
      {&x0_, t * d}, {&n1_, t * d},         {&qkv_, 3 * t * d},  {&shares_, scores}, {&mixed_, t * d},     {&x1_, t * d},
      {&n2_, t * d}, {&hidden_, 4 * t * d}, {&gelu_, 4 * t * d}, {&x2_, t * d},      {&n3_, t * d},        {&logits_, t * size_.vocabulary},
      {&losses_, t}, {&norms_, 6 * t},      {&dx_, t * d},       {&dn_, 4 * t * d},  {&d_qkv_, 3 * t * d}, {&slopes_, scores}};
  auto room = [](std::uint64_t n) { return (n + 63) / 64 * 64; };  // each begins at 256 bytes
  std::uint64_t all = 0;
  for (auto& [where, n] : parts) all += room(n);
  VT_TRY(activations_, device_->allocate(all * sizeof(float)));
  auto* next = activations_.as<float>();
  for (auto& [where, n] : parts) *where = next, next += room(n);
  return {};
}

/// Drawn here, so that every device starts from the same bits.
Status Trainer::draw_weights() {
  std::vector<float> w(at_.end);
  auto draw = [&](std::uint64_t from, std::uint64_t to, double deviation) {
    for (auto i = from; i < to; ++i) w[i] = static_cast<float>(deviation * kernels::normal_at(seed_, i));
  };
  auto norm = [&](std::uint64_t gain) { std::fill_n(w.begin() + static_cast<std::ptrdiff_t>(gain), size_.width, 1.0F); };
  auto usual = 1 / std::sqrt(static_cast<double>(size_.width));
  draw(at_.token, at_.gain1, 0.1);
  draw(at_.qkv, at_.gain2, usual);
  draw(at_.up, at_.down, usual);
  draw(at_.down, at_.gain3, usual / 2);
  draw(at_.head, at_.end, 0.02);
  norm(at_.gain1), norm(at_.gain2), norm(at_.gain3);
  VT_CHECK(device_->copy(weights_.as<void>(), w.data(), w.size() * sizeof(float)));
  return device_->finish();
}

Result<Trainer> Trainer::make(gpu::Device& device, const ModelSize& size, std::uint64_t seed, gpu::CublasLt* library) {
  Trainer out(device, size, seed, library);
  VT_CHECK(out.allocate());
  VT_CHECK(out.draw_weights());
  return out;
}

/// Tokens, then what should follow each of them.
Status Trainer::load(std::uint64_t first) {
  std::vector<u32> tokens(2 * size_.rows());
  for (std::uint64_t b = 0; b < size_.batch; ++b) {
    auto drawn = kernels::word_at(~seed_, first + b);
    auto start = drawn % size_.vocabulary, step = 1 + (drawn >> 32) % 3;
    for (std::uint64_t i = 0; i < size_.length; ++i) {
      tokens[b * size_.length + i] = static_cast<u32>((start + i * step) % size_.vocabulary);
      tokens[size_.rows() + b * size_.length + i] = static_cast<u32>((start + (i + 1) * step) % size_.vocabulary);
    }
  }
  VT_CHECK(device_->copy(tokens_.as<void>(), tokens.data(), tokens.size() * sizeof(u32)));
  return device_->finish();
}

Status Trainer::norm(const float* x, std::uint64_t gain, float* y, int which) {
  auto* mean = norms_ + 2 * static_cast<std::uint64_t>(which) * size_.rows();
  return device_->launch(VT_NAMED(vt_layer_norm), {size_.rows()}, {}, x, weight(gain), weight(gain + size_.width), size_.rows(),
                         size_.width, y, mean, mean + size_.rows());
}

/// Leaves the input's gradient in dx_ (added to it, or in place of it) and the weights' in the gradients.
Status Trainer::norm_backward(const float* dy, const float* x, std::uint64_t gain, int which, bool add) {
  auto *mean = norms_ + 2 * static_cast<std::uint64_t>(which) * size_.rows(), *inverse = mean + size_.rows();
  VT_CHECK(device_->launch(VT_NAMED(vt_layer_norm_weights), {size_.width}, {}, dy, x, mean, inverse, size_.rows(), size_.width,
                           gradient(gain), gradient(gain + size_.width)));
  return device_->launch(VT_NAMED(vt_layer_norm_backward), {size_.rows()}, {}, dy, x, weight(gain), mean, inverse, size_.rows(),
                         size_.width, add, dx_);
}

Status Trainer::forward() {
  auto t = size_.rows(), d = size_.width, row_bytes = t * d * sizeof(float);
  const kernels::AttentionSize attention{size_.batch, size_.length, size_.heads, d / size_.heads};
  VT_CHECK(
      device_->launch(VT_NAMED(vt_embed), {t * d}, {}, tokens_.as<u32>(), weight(at_.token), weight(at_.place), t, size_.length, d, x0_));
  VT_CHECK(norm(x0_, at_.gain1, n1_, 0));
  VT_CHECK(linear_.forward(n1_, weight(at_.qkv), qkv_, {t, d, 3 * d}));
  VT_CHECK(device_->launch(VT_NAMED(vt_attention), {t * size_.heads}, {}, qkv_, attention, shares_, mixed_));
  VT_CHECK(device_->copy(x1_, x0_, row_bytes));
  VT_CHECK(linear_.forward(mixed_, weight(at_.mix), x1_, {t, d, d}, true));
  VT_CHECK(norm(x1_, at_.gain2, n2_, 1));
  VT_CHECK(linear_.forward(n2_, weight(at_.up), hidden_, {t, d, 4 * d}));
  VT_CHECK(device_->launch(VT_NAMED(vt_gelu), {4 * t * d}, {}, hidden_, 4 * t * d, gelu_));
  VT_CHECK(device_->copy(x2_, x1_, row_bytes));
  VT_CHECK(linear_.forward(gelu_, weight(at_.down), x2_, {t, 4 * d, d}, true));
  VT_CHECK(norm(x2_, at_.gain3, n3_, 2));
  VT_CHECK(linear_.forward(n3_, weight(at_.head), logits_, {t, d, size_.vocabulary}));
  return device_->launch(VT_NAMED(vt_cross_entropy), {t}, {}, logits_, tokens_.as<u32>() + t, t, size_.vocabulary, losses_);
}

Status Trainer::attention_backward() {
  auto t = size_.rows();
  const kernels::AttentionSize attention{size_.batch, size_.length, size_.heads, size_.width / size_.heads};
  VT_CHECK(device_->launch(VT_NAMED(vt_attention_queries), {t * size_.heads}, {}, qkv_, shares_, dn_, attention, slopes_, d_qkv_));
  return device_->launch(VT_NAMED(vt_attention_keys), {t * size_.heads}, {}, qkv_, shares_, slopes_, dn_, attention, d_qkv_);
}

Status Trainer::backward() {
  auto t = size_.rows(), d = size_.width;
  VT_CHECK(linear_.weight_gradient(logits_, n3_, gradient(at_.head), {t, d, size_.vocabulary}));
  VT_CHECK(linear_.input_gradient(logits_, weight(at_.head), dn_, {t, d, size_.vocabulary}));
  VT_CHECK(norm_backward(dn_, x2_, at_.gain3, 2, false));
  VT_CHECK(linear_.weight_gradient(dx_, gelu_, gradient(at_.down), {t, 4 * d, d}));
  VT_CHECK(linear_.input_gradient(dx_, weight(at_.down), dn_, {t, 4 * d, d}));
  VT_CHECK(device_->launch(VT_NAMED(vt_gelu_backward), {4 * t * d}, {}, hidden_, dn_, 4 * t * d, gelu_));
  VT_CHECK(linear_.weight_gradient(gelu_, n2_, gradient(at_.up), {t, d, 4 * d}));
  VT_CHECK(linear_.input_gradient(gelu_, weight(at_.up), dn_, {t, d, 4 * d}));
  VT_CHECK(norm_backward(dn_, x1_, at_.gain2, 1, true));
  VT_CHECK(linear_.weight_gradient(dx_, mixed_, gradient(at_.mix), {t, d, d}));
  VT_CHECK(linear_.input_gradient(dx_, weight(at_.mix), dn_, {t, d, d}));
  VT_CHECK(attention_backward());
  VT_CHECK(linear_.weight_gradient(d_qkv_, n1_, gradient(at_.qkv), {t, d, 3 * d}));
  VT_CHECK(linear_.input_gradient(d_qkv_, weight(at_.qkv), dn_, {t, d, 3 * d}));
  VT_CHECK(norm_backward(dn_, x0_, at_.gain1, 0, true));
  return device_->launch(VT_NAMED(vt_embed_backward), {(size_.vocabulary + size_.length) * d}, {}, tokens_.as<u32>(), dx_, t, size_.length,
                         d, size_.vocabulary, gradient(at_.token), gradient(at_.place));
}

Result<double> Trainer::forward_backward(std::uint64_t first) {
  VT_CHECK(load(first));
  VT_CHECK(forward());
  VT_CHECK(backward());
  std::vector<float> losses(size_.rows());
  VT_CHECK(device_->copy(losses.data(), losses_, losses.size() * sizeof(float)));
  VT_CHECK(device_->finish());
  double sum = 0;
  for (auto loss : losses) sum += loss;
  return sum / static_cast<double>(losses.size());
}

Status Trainer::update(double scale) {
  ++steps_;
  kernels::AdamW o{5e-3F, 0.9F, 0.99F, 1e-8F, 0.01F, 0, 0, static_cast<float>(scale)};
  o.correction1 = static_cast<float>(1 - std::pow(0.9, steps_)), o.correction2 = static_cast<float>(1 - std::pow(0.99, steps_));
  return device_->launch(VT_NAMED(vt_adamw), {at_.end}, {}, weights_.as<float>(), gradients_.as<float>(), mean_.as<float>(),
                         square_.as<float>(), at_.end, o);
}

Result<std::uint64_t> Trainer::weights_hash() {
  std::vector<u32> bits(at_.end);
  VT_CHECK(device_->copy(bits.data(), weights_.as<void>(), bits.size() * sizeof(u32)));
  VT_CHECK(device_->finish());
  std::uint64_t hash = 0;
  for (auto word : bits) hash = kernels::word_at(hash, word);
  return hash;
}

}  // namespace vt::checks
