#include "remote-agent/checks/resnet_memory.hpp"

#include <algorithm>
#include <utility>

namespace vt::checks {

/// Each part begins at a multiple of 256 bytes: what cuBLASLt's fastest algorithms want.
template <class T>
T* ResNetMemory::take(std::uint64_t n) {
  auto from = std::exchange(bytes, bytes + (n * sizeof(T) + 255) / 256 * 256);
  return base_ ? reinterpret_cast<T*>(base_ + from) : nullptr;
}

ResNetMemory::Layer ResNetMemory::take_layer(const Convolution& shape, const ParameterPlaces::Place& at, const Half* input) {
  auto elements = batch_ * shape.out_size() * shape.out_size() * shape.out;
  Layer out{shape, at, input, nullptr, nullptr, {}};
  out.raw = take<Half>(elements), out.out = take<Half>(elements);
  out.moments = {take<float>(shape.out), take<float>(shape.out)};
  return out;
}

ResNetMemory::ResNetMemory(const ResNet& net, std::uint64_t batch, std::byte* base) : base_(base), batch_(batch) {
  const ParameterPlaces places(net);
  auto at = places.convolutions.begin();
  images = take<Half>(batch * net.stem.size * net.stem.size * net.stem.in);
  stem = take_layer(net.stem, *at++, images);
  auto pixels = batch * net.pooled * net.pooled * net.stem.out;
  pooled = take<Half>(pixels), which = take<kernels::u8>(pixels);
  const Half* x = pooled;
  for (auto& shape : net.blocks) {
    Block block{take_layer(shape.narrow, *at++, x), {}, {}, {}};
    block.middle = take_layer(shape.middle, *at++, block.narrow.out);
    block.widen = take_layer(shape.widen, *at++, block.middle.out);
    if (shape.project) block.project = take_layer(*shape.project, *at++, x);
    x = block.widen.out;
    blocks.push_back(block);
  }
  features = take<Half>(batch * net.features), d_logits = take<Half>(batch * net.classes);
  logits = take<float>(batch * net.classes), each_loss = take<float>(batch), losses = take<float>(kMostLosses);
  labels = take<kernels::u32>(batch);
  std::uint64_t largest = 0, matrix = 0;
  for (auto& c : net.convolutions()) {
    largest = std::max({largest, c.out_size() * c.out_size() * c.out, c.size * c.size * c.in});
    if (!c.direct()) matrix = std::max(matrix, c.out_size() * c.out_size() * c.row());
  }
  d = take<Half>(batch * largest), e = take<Half>(batch * largest), f = take<Half>(batch * largest);
  columns = take<Half>(batch * matrix);
  sums = take<float>(2 * kSumThreads * kernels::kEight), folded = take<float>(2 * kFewParts * net.features);
}

}  // namespace vt::checks
