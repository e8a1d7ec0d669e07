#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace vt::checks {

/// A convolution without bias, and the batch norm behind it: a square window over square images with an edge of zeros of window / 2.
struct Convolution {
  std::uint64_t in, out;         ///< channels
  std::uint64_t window, stride;  ///< pixels
  std::uint64_t size;            ///< height and width of what it sees
  [[nodiscard]] std::uint64_t out_size() const { return (size + 2 * (window / 2) - window) / stride + 1; }
  /// What the window sees, and that as the length of a row of its weights: a multiple of 8, as cuBLASLt wants it.
  [[nodiscard]] std::uint64_t taps() const { return window * window * in; }
  [[nodiscard]] std::uint64_t row() const { return (taps() + 7) / 8 * 8; }
  /// The images are the matrix already.
  [[nodiscard]] bool direct() const { return window == 1 && stride == 1; }
  /// Multiplications with an addition for one image.
  [[nodiscard]] std::uint64_t macs() const { return out_size() * out_size() * out * taps(); }
};

/// 1x1, 3x3, 1x1 beside a shortcut, which has a convolution of its own where the shape changes.
struct Bottleneck {
  Convolution narrow, middle, widen;
  std::optional<Convolution> project;
};

/// ResNet-50 unless said otherwise. `width` is the channels of the stem, a multiple of 8; `classes` is a multiple of 8, too.
struct ResNetSize {
  std::uint64_t image = 224, classes = 1000, width = 64;
  std::array<std::uint64_t, 4> blocks = {3, 4, 6, 3};
};

/// The layers of He, Zhang, Ren and Sun, Deep residual learning for image recognition (arXiv:1512.03385, table 1, "50-layer"), with the
/// stride of a block in its 3x3 convolution, as all published training figures have it: 4.1 · 10^9 multiplications for an image of
/// 224 x 224, where the paper, with the stride in the first 1x1, counts 3.8 · 10^9.
struct ResNet {
  explicit ResNet(const ResNetSize& size);

  Convolution stem{};
  std::uint64_t pooled = 0;  ///< height and width after the stem's max pooling
  std::vector<Bottleneck> blocks;
  std::uint64_t last = 0, features = 0, classes = 0;  ///< height and width, and channels, of what is averaged; then a linear layer

  /// Stem, then of each block narrow, middle, widen and project.
  [[nodiscard]] std::vector<Convolution> convolutions() const;
  [[nodiscard]] std::uint64_t parameters() const;
  [[nodiscard]] std::uint64_t macs() const;  ///< forward, for one image
  /// Of one image's training step: each product is done three times (forward, by inputs, by weights), but nothing asks for the slopes by
  /// pixels.
  [[nodiscard]] double training_operations() const { return 2.0 * static_cast<double>(3 * macs() - stem.macs()); }
};

/// Where the parameters of a ResNet lie in one flat buffer of numbers. Each part begins at a multiple of 128 of them: what cuBLASLt's
/// fastest algorithms want of an address.
struct ParameterPlaces {
  struct Place {
    std::uint64_t matrix, gain, shift;
  };
  explicit ParameterPlaces(const ResNet& net);
  std::vector<Place> convolutions;  ///< in the order of ResNet::convolutions()
  std::uint64_t classifier = 0, bias = 0, end = 0;
};

/// What training begins with, the same everywhere: He's normal weights, gains of 1, but 0.5 at the end of a block so that its shortcut
/// weighs more.
std::vector<float> initial_weights(const ResNet& net, std::uint64_t seed);

}  // namespace vt::checks
