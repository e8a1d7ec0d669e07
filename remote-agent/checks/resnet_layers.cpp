#include "remote-agent/checks/resnet_layers.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "kernels/formats.hpp"

namespace vt::checks {

namespace {
constexpr std::uint64_t kWiden = 4;  ///< a block's output has four times the channels of its 3x3 convolution
constexpr float kEndGain = 0.5F;
}  // namespace

ResNet::ResNet(const ResNetSize& size) : stem{3, size.width, 7, 2, size.image}, classes(size.classes) {
  const Convolution pool{size.width, size.width, 3, 2, stem.out_size()};
  pooled = last = pool.out_size(), features = size.width;
  for (std::size_t stage = 0; stage < size.blocks.size(); ++stage) {
    auto inner = size.width << stage;
    for (std::uint64_t i = 0; i < size.blocks[stage]; ++i) {
      std::uint64_t stride = stage > 0 && i == 0 ? 2 : 1;
      Bottleneck block{{features, inner, 1, 1, last}, {inner, inner, 3, stride, last}, {}, {}};
      block.widen = {inner, kWiden * inner, 1, 1, block.middle.out_size()};
      if (i == 0) block.project = Convolution{features, kWiden * inner, 1, stride, last};
      last = block.middle.out_size(), features = kWiden * inner;
      blocks.push_back(block);
    }
  }
}

std::vector<Convolution> ResNet::convolutions() const {
  std::vector<Convolution> out = {stem};
  for (auto& block : blocks) {
    out.insert(out.end(), {block.narrow, block.middle, block.widen});
    if (block.project) out.push_back(*block.project);
  }
  return out;
}

std::uint64_t ResNet::parameters() const {
  auto sum = features * classes + classes;
  for (auto& c : convolutions()) sum += c.out * c.taps() + 2 * c.out;
  return sum;
}

std::uint64_t ResNet::macs() const {
  auto sum = features * classes;
  for (auto& c : convolutions()) sum += c.macs();
  return sum;
}

ParameterPlaces::ParameterPlaces(const ResNet& net) {
  auto take = [this](std::uint64_t n) { return std::exchange(end, end + (n + 127) / 128 * 128); };
  for (auto& c : net.convolutions()) {
    Place place{};
    place.matrix = take(c.out * c.row()), place.gain = take(c.out), place.shift = take(c.out);
    convolutions.push_back(place);
  }
  classifier = take(net.classes * net.features), bias = take(net.classes);
}

std::vector<float> initial_weights(const ResNet& net, std::uint64_t seed) {
  const ParameterPlaces at(net);
  std::vector<float> w(at.end);
  std::uint64_t n = 0;
  auto draw = [&](std::uint64_t from, std::uint64_t count, double deviation) {
    for (auto i = from; i < from + count; ++i) w[i] = static_cast<float>(deviation * kernels::normal_at(seed, n++));
  };
  auto all = net.convolutions();
  for (std::size_t i = 0; i < all.size(); ++i) {
    auto &c = all[i], &before = all[i > 0 ? i - 1 : 0];
    bool end = i > 0 && before.window == 3;  // a block's last convolution follows its 3x3
    for (std::uint64_t o = 0; o < c.out; ++o)
      draw(at.convolutions[i].matrix + o * c.row(), c.taps(), std::sqrt(2.0 / static_cast<double>(c.taps())));
    std::fill_n(w.begin() + static_cast<std::ptrdiff_t>(at.convolutions[i].gain), c.out, end ? kEndGain : 1.0F);
  }
  draw(at.classifier, net.classes * net.features, 0.01);
  return w;
}

}  // namespace vt::checks
