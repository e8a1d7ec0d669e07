#pragma once
#include <functional>

#include "remote-agent/checks/resnet_trainer.hpp"

namespace vt::checks {

/// What ResNetTrainer does, on the processor by other means: convolutions by their definition, sums in fp64. `rounded`: numbers are rounded
/// to bf16 where the trainer keeps them so, so that the two differ only as sums do; else nothing is rounded, and gradients are true slopes.
class ResNetReference {
 public:
  ResNetReference(const ResNet& net, std::uint64_t batch, std::uint64_t seed, bool rounded);

  /// Called with each convolution's result before (`raw`) and behind its batch norm, by its number in ResNet::convolutions(). What it
  /// leaves there is gone on with.
  using Witness = std::function<void(std::size_t number, bool raw, std::vector<double>& result)>;
  /// The batch's mean loss; leaves its gradients.
  double forward_backward(const Witness& witness = {});
  void update();

  std::vector<double> weights, gradients;  ///< see ParameterPlaces

 private:
  using Numbers = std::vector<double>;
  struct Layer {
    Convolution shape;
    ParameterPlaces::Place at;
    std::size_t number = 0;
    Numbers raw, out, mean, inverse;
  };
  struct Block {
    Layer narrow, middle, widen;
    std::optional<Layer> project;
    Numbers shortcut;
  };
  [[nodiscard]] Layer layer(const Convolution& shape, std::size_t number) const;
  [[nodiscard]] double kept(double x) const;
  void convolve(Layer& l, const Numbers& x);
  void norm(Layer& l, const Numbers* shortcut, bool cut) const;
  [[nodiscard]] Numbers norm_backward(const Layer& l, const Numbers& dy);
  void weight_gradient(const Layer& l, const Numbers& x, const Numbers& d_raw);
  [[nodiscard]] Numbers input_gradient(const Layer& l, const Numbers& d_raw, const Numbers* add = nullptr) const;
  [[nodiscard]] Numbers max_pool();
  [[nodiscard]] Numbers max_pool_backward(const Numbers& dy) const;
  Numbers forward(Block& block, const Numbers& x);
  double classify(const Numbers& x, Numbers& dx);
  Numbers backward(Block& block, Numbers d);

  ResNet net_;
  std::uint64_t batch_;
  bool rounded_;
  ParameterPlaces at_;
  Numbers images_, velocity_;
  Witness witness_;
  Layer stem_;
  std::vector<Block> blocks_;
  std::vector<std::size_t> largest_;  ///< where max pooling found it
};

}  // namespace vt::checks
