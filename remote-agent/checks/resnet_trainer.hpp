#pragma once
#include "kernels/convolution.hpp"
#include "kernels/sgd.hpp"
#include "remote-agent/checks/mixed_linear.hpp"
#include "remote-agent/checks/resnet_memory.hpp"

namespace vt::checks {

/// The optimiser's usual settings for a ResNet, at a rate for batches of tens to hundreds.
constexpr kernels::Momentum kResNetMomentum{0.02F, 0.9F, 1e-4F};

/// Trains a ResNet in mixed precision: weights in fp32 with a copy in bf16, activations and their gradients in bf16, all sums in fp32.
/// The batch is the same in each step: drawn pictures, of which number i has the label i modulo the classes. Convolutions are products with
/// what im2col makes of their input. All is asynchronous but what says otherwise, and with the same products the same bits every time.
class ResNetTrainer {
 public:
  static Result<ResNetTrainer> make(gpu::Device& device, const ResNet& net, std::uint64_t batch, std::uint64_t seed,
                                    gpu::CublasLt* library);
  /// What it allocates.
  static std::uint64_t bytes(const ResNet& net, std::uint64_t batch);

  /// Leaves the gradients of the batch's mean loss in gradients(), and the loss as the next of losses().
  Status forward_backward();
  Status update();
  /// One step without an update in which each product is tried with all algorithms; its loss is not kept. Waits for the work.
  Status tune(double seconds_per_product);
  /// Flips the highest bit of the exponent of one weight as the products read it, until the next update.
  Status spoil();

  /// The losses of the steps since the last call, ResNetMemory::kMostLosses at most. Waits for the work.
  Result<std::vector<float>> losses();
  [[nodiscard]] const ParameterPlaces& places() const { return at_; }
  [[nodiscard]] const gpu::Buffer& weights() const { return weights_; }      ///< fp32, see places()
  [[nodiscard]] const gpu::Buffer& gradients() const { return gradients_; }  ///< likewise
  [[nodiscard]] const gpu::Buffer& memory() const { return memory_; }        ///< see ResNetMemory

 private:
  using Half = ResNetMemory::Half;
  using Layer = ResNetMemory::Layer;
  using Block = ResNetMemory::Block;

  ResNetTrainer(gpu::Device& device, const ResNet& net, std::uint64_t batch, gpu::CublasLt* library, gpu::Buffer memory)
      : device_(&device),
        net_(net),
        batch_(batch),
        at_(net),
        linear_(device, library),
        memory_(std::move(memory)),
        m_(net, batch, memory_.as<std::byte>()) {}
  Status start(std::uint64_t seed);

  [[nodiscard]] kernels::Window window(const Convolution& c) const;
  [[nodiscard]] kernels::Window pool() const;
  [[nodiscard]] std::uint64_t rows(const Layer& l) const { return batch_ * l.shape.out_size() * l.shape.out_size(); }
  Result<const Half*> matrix(const Layer& l);

  struct Sums {
    const float* at;
    std::uint64_t parts;
  };
  [[nodiscard]] std::uint64_t parts(const Layer& l) const;
  Result<Sums> folded(const Layer& l);
  Status norm(const Layer& l, const Half* shortcut, bool cut);
  Status norm_backward(const Layer& l, const Half* dy, Half* d_raw);

  Status convolve(const Layer& l);
  Status weight_gradient(const Layer& l, const Half* d_raw);
  Status input_gradient(const Layer& l, const Half* d_raw, Half* dx, bool add = false);

  Status forward(const Block& block);
  Status forward();
  Status classify();
  Status cut_backward(const Layer& l, Half* dy);
  Status through(const Layer& l, Half* dy);
  Status backward(const Block& block);
  Status backward();
  [[nodiscard]] float* weight(std::uint64_t at) const { return weights_.as<float>() + at; }
  [[nodiscard]] float* gradient(std::uint64_t at) const { return gradients_.as<float>() + at; }
  [[nodiscard]] Half* half(std::uint64_t at) const { return halves_.as<Half>() + at; }

  gpu::Device* device_;
  ResNet net_;
  std::uint64_t batch_;
  ParameterPlaces at_;
  MixedLinear linear_;
  gpu::Buffer weights_, gradients_, velocity_, halves_, memory_;
  ResNetMemory m_;
  std::uint64_t evaluated_ = 0;
};

}  // namespace vt::checks
