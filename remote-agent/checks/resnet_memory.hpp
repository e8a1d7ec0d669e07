#pragma once
#include <cstddef>

#include "kernels/normalisation.hpp"
#include "remote-agent/checks/resnet_layers.hpp"

namespace vt::checks {

/// Threads that take the first sums of a batch norm, enough to fill the largest GPU's memory pipe; and to how many parts they are folded.
constexpr std::uint64_t kSumThreads = 32768, kFewParts = 64;

/// What a training step of a ResNet keeps on the device besides the parameters: one piece of memory, and where what lies in it.
struct ResNetMemory {
  using Half = kernels::u16;  ///< bf16
  /// A convolution at work: its output before (`raw`) and after batch norm, shortcut and cut.
  struct Layer {
    Convolution shape;
    ParameterPlaces::Place at;
    const Half* input;
    Half *raw, *out;
    kernels::Moments moments;
  };
  struct Block {
    Layer narrow, middle, widen;
    std::optional<Layer> project;
  };
  static constexpr std::uint64_t kMostLosses = 8192;

  /// Without a base all pointers are null, and only the number of bytes is told.
  ResNetMemory(const ResNet& net, std::uint64_t batch, std::byte* base);

  std::uint64_t bytes = 0;
  Half* images;
  Layer stem;
  Half* pooled;
  kernels::u8* which;
  std::vector<Block> blocks;
  Half *features, *d_logits;
  float *logits, *each_loss, *losses;
  kernels::u32* labels;
  Half *d, *e, *f;  ///< gradients on their way, each as large as the largest activation
  Half* columns;    ///< what im2col makes
  float *sums, *folded;

 private:
  template <class T>
  T* take(std::uint64_t n);
  Layer take_layer(const Convolution& shape, const ParameterPlaces::Place& at, const Half* input);
  std::byte* base_;
  std::uint64_t batch_;
};

}  // namespace vt::checks
