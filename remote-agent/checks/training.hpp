#pragma once
#include "remote-agent/checks/training_linear.hpp"

namespace vt::checks {

/// A small causal transformer: embeddings, one block of attention and multilayer perceptron with layer norms, and a linear head.
struct ModelSize {
  std::uint64_t vocabulary = 32, length = 16, width = 32, heads = 2, batch = 8;
  [[nodiscard]] std::uint64_t rows() const { return batch * length; }
};

/// Trains it with AdamW to go on with sequences that count, each from its own start with its own step of 1, 2 or 3 (modulo the vocabulary):
/// from one token the next can be narrowed to three, from two it is known. All is drawn from the seed, so that the same
/// seed gives the same run anywhere, up to rounding.
///
/// A step is forward_backward(), which leaves the batch's mean gradients in gradients(), then update(): ranks sum their gradients in
/// between and update with scale 1 / ranks.
class Trainer {
 public:
  static Result<Trainer> make(gpu::Device& device, const ModelSize& size, std::uint64_t seed, gpu::CublasLt* library);

  /// The mean loss over the sequences first … first + batch - 1, and its gradients. Waits for its work.
  Result<double> forward_backward(std::uint64_t first);
  Status update(double scale = 1);

  [[nodiscard]] const gpu::Buffer& weights() const { return weights_; }
  [[nodiscard]] const gpu::Buffer& gradients() const { return gradients_; }  ///< fp32, one after the other in the order of the weights
  [[nodiscard]] std::uint64_t parameters() const { return gradients_.bytes() / sizeof(float); }
  /// Of the bits of all weights: equal on all ranks that have trained together.
  Result<std::uint64_t> weights_hash();

 private:
  /// Where each weight lies in the flat buffers.
  struct Layout {
    std::uint64_t token, place, gain1, shift1, qkv, mix, gain2, shift2, up, down, gain3, shift3, head, end;
  };
  static Layout layout(const ModelSize& size);
  Trainer(gpu::Device& device, const ModelSize& size, std::uint64_t seed, gpu::CublasLt* library)
      : device_(&device), size_(size), seed_(seed), at_(layout(size)), linear_(device, library) {}
  Status allocate();
  Status draw_weights();
  Status load(std::uint64_t first);
  Status norm(const float* x, std::uint64_t gain, float* y, int which);
  Status norm_backward(const float* dy, const float* x, std::uint64_t gain, int which, bool add);
  Status forward();
  Status backward();
  Status attention_backward();
  [[nodiscard]] float* weight(std::uint64_t at) const { return weights_.as<float>() + at; }
  [[nodiscard]] float* gradient(std::uint64_t at) const { return gradients_.as<float>() + at; }

  gpu::Device* device_;
  ModelSize size_;
  std::uint64_t seed_;
  Layout at_;
  Linear linear_;
  int steps_ = 0;
  gpu::Buffer weights_, gradients_, mean_, square_, tokens_, activations_;
  /// Parts of `activations_`.
  float *x0_ = nullptr, *n1_ = nullptr, *qkv_ = nullptr, *shares_ = nullptr, *mixed_ = nullptr, *x1_ = nullptr, *n2_ = nullptr,
        *hidden_ = nullptr, *gelu_ = nullptr, *x2_ = nullptr, *n3_ = nullptr, *logits_ = nullptr, *losses_ = nullptr, *norms_ = nullptr,
        *dx_ = nullptr, *dn_ = nullptr, *d_qkv_ = nullptr, *slopes_ = nullptr;
};

}  // namespace vt::checks
