#include "remote-agent/checks/resnet_reference.hpp"

#include <cmath>
#include <utility>

namespace vt::checks {

namespace {

using Numbers = std::vector<double>;

/// Calls visit(place of the output, number of the tap, pixel of the input) for all that a convolution or pooling connects.
template <class Visit>
void connect(const Convolution& c, std::uint64_t batch, const Visit& visit) {
  auto n = c.out_size(), edge = c.window / 2;
  for (std::uint64_t place = 0; place < batch * n * n; ++place) {
    auto image = place / (n * n), y = place / n % n * c.stride, x = place % n * c.stride;
    for (std::uint64_t tap = 0; tap < c.window * c.window; ++tap) {
      auto iy = y + tap / c.window - edge, ix = x + tap % c.window - edge;  // wraps to something large above and left of the image
      if (iy < c.size && ix < c.size) visit(place, tap, (image * c.size + iy) * c.size + ix);
    }
  }
}

void cut_backward(const Numbers& y, Numbers& dy) {
  for (std::size_t i = 0; i < y.size(); ++i)
    if (y[i] == 0) dy[i] = 0;
}

}  // namespace

/// bf16's eight bits of precision.
double ResNetReference::kept(double x) const { return rounded_ ? kernels::from_bf16(kernels::to_bf16(static_cast<float>(x))) : x; }

ResNetReference::ResNetReference(const ResNet& net, std::uint64_t batch, std::uint64_t seed, bool rounded)
    : net_(net), batch_(batch), rounded_(rounded), at_(net) {
  auto w = initial_weights(net, seed);
  weights.assign(w.begin(), w.end()), gradients.assign(w.size(), 0), velocity_.assign(w.size(), 0);
  images_.resize(batch * net.stem.size * net.stem.size * net.stem.in);
  for (std::size_t i = 0; i < images_.size(); ++i) images_[i] = kept(kernels::picture_at(~seed, net.stem.size, i));
  std::size_t number = 0;
  stem_ = layer(net.stem, number++);
  for (auto& shape : net.blocks) {
    Block block{layer(shape.narrow, number), layer(shape.middle, number + 1), layer(shape.widen, number + 2), {}, {}};
    number += 3;
    if (shape.project) block.project = layer(*shape.project, number++);
    blocks_.push_back(std::move(block));
  }
}

ResNetReference::Layer ResNetReference::layer(const Convolution& shape, std::size_t number) const {
  return {shape, at_.convolutions[number], number, {}, {}, {}, {}};
}

void ResNetReference::convolve(Layer& l, const Numbers& x) {
  auto& c = l.shape;
  l.raw.assign(batch_ * c.out_size() * c.out_size() * c.out, 0);
  connect(c, batch_, [&](auto place, auto tap, auto pixel) {
    for (std::uint64_t o = 0; o < c.out; ++o) {
      const auto *w = &weights[l.at.matrix + o * c.row() + tap * c.in], *in = &x[pixel * c.in];
      double sum = 0;
      for (std::uint64_t i = 0; i < c.in; ++i) sum += kept(w[i]) * in[i];
      l.raw[place * c.out + o] += sum;
    }
  });
  for (auto& value : l.raw) value = kept(value);
  if (witness_) witness_(l.number, true, l.raw);
}

void ResNetReference::norm(Layer& l, const Numbers* shortcut, bool cut) const {
  auto channels = l.shape.out, rows = l.raw.size() / channels;
  auto n = static_cast<double>(rows);
  l.mean.assign(channels, 0), l.inverse.assign(channels, 0), l.out.resize(l.raw.size());
  for (std::size_t i = 0; i < l.raw.size(); ++i) l.mean[i % channels] += l.raw[i] / n;
  for (std::size_t i = 0; i < l.raw.size(); ++i) l.inverse[i % channels] += std::pow(l.raw[i] - l.mean[i % channels], 2) / n;
  for (auto& variance : l.inverse) variance = 1 / std::sqrt(variance + 1e-5);
  for (std::size_t i = 0; i < l.raw.size(); ++i) {
    auto c = i % channels;
    auto y = weights[l.at.gain + c] * (l.raw[i] - l.mean[c]) * l.inverse[c] + weights[l.at.shift + c];
    if (shortcut) y += (*shortcut)[i];
    l.out[i] = kept(cut && y < 0 ? 0 : y);
  }
  if (witness_) witness_(l.number, false, l.out);
}

Numbers ResNetReference::norm_backward(const Layer& l, const Numbers& dy) {
  auto channels = l.shape.out, of_each = dy.size() / channels;
  auto n = static_cast<double>(of_each);
  auto *d_gain = &gradients[l.at.gain], *d_shift = &gradients[l.at.shift];
  auto normal = [&](std::size_t i) { return (l.raw[i] - l.mean[i % channels]) * l.inverse[i % channels]; };
  for (std::uint64_t c = 0; c < channels; ++c) d_gain[c] = d_shift[c] = 0;
  for (std::size_t i = 0; i < dy.size(); ++i) d_gain[i % channels] += dy[i] * normal(i), d_shift[i % channels] += dy[i];
  Numbers out(dy.size());
  for (std::size_t i = 0; i < dy.size(); ++i) {
    auto c = i % channels;
    out[i] = kept(weights[l.at.gain + c] * l.inverse[c] * (dy[i] - d_shift[c] / n - normal(i) * d_gain[c] / n));
  }
  return out;
}

void ResNetReference::weight_gradient(const Layer& l, const Numbers& x, const Numbers& d_raw) {
  auto& c = l.shape;
  for (std::uint64_t i = 0; i < c.out * c.row(); ++i) gradients[l.at.matrix + i] = 0;
  connect(c, batch_, [&](auto place, auto tap, auto pixel) {
    for (std::uint64_t o = 0; o < c.out; ++o) {
      auto up = d_raw[place * c.out + o];
      auto* to = &gradients[l.at.matrix + o * c.row() + tap * c.in];
      for (std::uint64_t i = 0; i < c.in; ++i) to[i] += up * x[pixel * c.in + i];
    }
  });
}

/// What im2col's matrix would have is kept in bf16, too, and then summed.
Numbers ResNetReference::input_gradient(const Layer& l, const Numbers& d_raw, const Numbers* add) const {
  auto& c = l.shape;
  Numbers out(batch_ * c.size * c.size * c.in);
  if (add) out = *add;
  connect(c, batch_, [&](auto place, auto tap, auto pixel) {
    for (std::uint64_t i = 0; i < c.in; ++i) {
      double sum = 0;
      for (std::uint64_t o = 0; o < c.out; ++o) sum += d_raw[place * c.out + o] * kept(weights[l.at.matrix + o * c.row() + tap * c.in + i]);
      out[pixel * c.in + i] += c.direct() ? sum : kept(sum);
    }
  });
  for (auto& value : out) value = kept(value);
  return out;
}

Numbers ResNetReference::max_pool() {
  const Convolution c{net_.stem.out, net_.stem.out, 3, 2, net_.stem.out_size()};
  Numbers out(batch_ * net_.pooled * net_.pooled * c.out, -1);
  largest_.assign(out.size(), 0);
  connect(c, batch_, [&](auto place, auto, auto pixel) {
    for (std::uint64_t i = 0; i < c.in; ++i) {
      auto to = place * c.out + i, from = pixel * c.in + i;
      if (stem_.out[from] > out[to]) out[to] = stem_.out[from], largest_[to] = from;
    }
  });
  return out;
}
Numbers ResNetReference::max_pool_backward(const Numbers& dy) const {
  Numbers out(stem_.out.size());
  for (std::size_t i = 0; i < dy.size(); ++i) out[largest_[i]] += dy[i];
  for (auto& value : out) value = kept(value);
  return out;
}

Numbers ResNetReference::forward(Block& b, const Numbers& x) {
  b.shortcut = x;
  convolve(b.narrow, x), norm(b.narrow, nullptr, true);
  convolve(b.middle, b.narrow.out), norm(b.middle, nullptr, true);
  if (b.project) convolve(*b.project, x), norm(*b.project, nullptr, false);
  convolve(b.widen, b.middle.out), norm(b.widen, b.project ? &b.project->out : &b.shortcut, true);
  return b.widen.out;
}

/// Mean over the pixels, linear layer, cross entropy; `dx` becomes the gradient of x.
double ResNetReference::classify(const Numbers& x, Numbers& dx) {
  auto pixels = net_.last * net_.last, width = net_.features;
  double loss = 0, n = static_cast<double>(batch_);
  dx.assign(x.size(), 0);
  for (std::uint64_t i = at_.classifier; i < at_.end; ++i) gradients[i] = 0;
  for (std::uint64_t b = 0; b < batch_; ++b) {
    Numbers mean(width), slope(net_.classes), d_mean(width);
    for (std::uint64_t i = 0; i < pixels * width; ++i) mean[i % width] += x[b * pixels * width + i] / static_cast<double>(pixels);
    for (auto& value : mean) value = kept(value);
    double sum = 0, target = 0;
    for (std::uint64_t k = 0; k < net_.classes; ++k) {
      double logit = weights[at_.bias + k];
      for (std::uint64_t i = 0; i < width; ++i) logit += kept(weights[at_.classifier + k * width + i]) * mean[i];
      if (k == b % net_.classes) target = logit;
      sum += slope[k] = std::exp(logit);
    }
    loss += (std::log(sum) - target) / n;
    for (std::uint64_t k = 0; k < net_.classes; ++k) {
      auto up = (slope[k] / sum - (k == b % net_.classes ? 1 : 0)) / n;
      gradients[at_.bias + k] += up, up = kept(up);
      for (std::uint64_t i = 0; i < width; ++i) {
        gradients[at_.classifier + k * width + i] += up * mean[i];
        d_mean[i] += up * kept(weights[at_.classifier + k * width + i]);
      }
    }
    for (std::uint64_t i = 0; i < pixels * width; ++i)
      dx[b * pixels * width + i] = kept(kept(d_mean[i % width]) / static_cast<double>(pixels));
  }
  return loss;
}

Numbers ResNetReference::backward(Block& b, Numbers d) {
  cut_backward(b.widen.out, d);
  auto e = norm_backward(b.widen, d);
  weight_gradient(b.widen, b.middle.out, e);
  auto f = input_gradient(b.widen, e);
  cut_backward(b.middle.out, f), f = norm_backward(b.middle, f);
  weight_gradient(b.middle, b.narrow.out, f);
  e = input_gradient(b.middle, f);
  cut_backward(b.narrow.out, e), e = norm_backward(b.narrow, e);
  weight_gradient(b.narrow, b.shortcut, e);
  if (b.project) {
    d = norm_backward(*b.project, d);
    weight_gradient(*b.project, b.shortcut, d);
    d = input_gradient(*b.project, d);
  }
  return input_gradient(b.narrow, e, &d);
}

double ResNetReference::forward_backward(const Witness& witness) {
  witness_ = witness;
  convolve(stem_, images_), norm(stem_, nullptr, true);
  auto x = max_pool();
  for (auto& block : blocks_) x = forward(block, x);
  Numbers d;
  auto loss = classify(x, d);
  for (auto block = blocks_.rbegin(); block != blocks_.rend(); ++block) d = backward(*block, std::move(d));
  d = max_pool_backward(d);
  cut_backward(stem_.out, d), d = norm_backward(stem_, d);
  weight_gradient(stem_, images_, d);
  return loss;
}

void ResNetReference::update() {
  const auto& o = kResNetMomentum;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    velocity_[i] = static_cast<double>(o.momentum) * velocity_[i] + gradients[i] + static_cast<double>(o.decay) * weights[i];
    weights[i] -= static_cast<double>(o.rate) * velocity_[i];
  }
}

}  // namespace vt::checks
