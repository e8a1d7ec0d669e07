#include "remote-agent/checks/resnet_trainer.hpp"

#include <algorithm>
#include <utility>

#include "kernels/training.hpp"

namespace vt::checks {

using kernels::u32;

namespace {
constexpr std::uint64_t kEight = kernels::kEight;

u32 small(std::uint64_t n) { return static_cast<u32>(n); }
}  // namespace

std::uint64_t ResNetTrainer::bytes(const ResNet& net, std::uint64_t batch) {
  constexpr std::uint64_t kPerParameter = 3 * sizeof(float) + sizeof(Half);
  return ParameterPlaces(net).end * kPerParameter + ResNetMemory(net, batch, nullptr).bytes;
}

Result<ResNetTrainer> ResNetTrainer::make(gpu::Device& device, const ResNet& net, std::uint64_t batch, std::uint64_t seed,
                                          gpu::CublasLt* library) {
  VT_TRY(auto memory, device.allocate(ResNetMemory(net, batch, nullptr).bytes));
  ResNetTrainer out(device, net, batch, library, std::move(memory));
  VT_CHECK(out.start(seed));
  return out;
}

Status ResNetTrainer::start(std::uint64_t seed) {
  auto bytes = at_.end * sizeof(float), n = at_.end;
  VT_TRY(weights_, device_->allocate(bytes));
  VT_TRY(gradients_, device_->allocate(bytes));
  VT_TRY(velocity_, device_->allocate(bytes));
  VT_TRY(halves_, device_->allocate(n * sizeof(Half)));
  VT_CHECK(device_->set(gradients_.as<void>(), 0, bytes));
  VT_CHECK(device_->set(velocity_.as<void>(), 0, bytes));
  auto w = initial_weights(net_, seed);
  VT_CHECK(device_->copy(weights_.as<void>(), w.data(), bytes));
  VT_CHECK(device_->launch(VT_NAMED(vt_to_bf16), {n}, {}, weights_.as<float>(), n, halves_.as<Half>()));
  std::vector<u32> labels(batch_);
  for (std::uint64_t i = 0; i < batch_; ++i) labels[i] = small(i % net_.classes);
  VT_CHECK(device_->copy(m_.labels, labels.data(), batch_ * sizeof(u32)));
  auto size = net_.stem.size;
  VT_CHECK(device_->launch(VT_NAMED(vt_draw_pictures), {batch_ * size * size * 3}, {}, ~seed, batch_, size, m_.images));
  return device_->finish();
}

kernels::Window ResNetTrainer::window(const Convolution& c) const {
  return {small(batch_), small(c.size), small(c.in), small(c.window), small(c.stride), small(c.out_size()), small(c.row())};
}
kernels::Window ResNetTrainer::pool() const { return window({net_.stem.out, net_.stem.out, 3, 2, net_.stem.out_size()}); }

/// What a layer's weights are multiplied with.
Result<const ResNetTrainer::Half*> ResNetTrainer::matrix(const Layer& l) {
  if (l.shape.direct()) return l.input;
  VT_CHECK(device_->launch(VT_NAMED(vt_im2col), {rows(l) * l.shape.row() / kEight}, {}, l.input, window(l.shape), m_.columns));
  return m_.columns;
}

Status ResNetTrainer::convolve(const Layer& l) {
  VT_TRY(const auto* x, matrix(l));
  return linear_.forward(x, half(l.at.matrix), l.raw, {rows(l), l.shape.row(), l.shape.out});
}

Status ResNetTrainer::weight_gradient(const Layer& l, const Half* d_raw) {
  VT_TRY(const auto* x, matrix(l));
  return linear_.weight_gradient(d_raw, x, gradient(l.at.matrix), {rows(l), l.shape.row(), l.shape.out});
}

/// `add` for direct ones only.
Status ResNetTrainer::input_gradient(const Layer& l, const Half* d_raw, Half* dx, bool add) {
  auto& c = l.shape;
  auto* to = c.direct() ? dx : m_.columns;
  VT_CHECK(linear_.input_gradient(d_raw, half(l.at.matrix), to, {rows(l), c.row(), c.out}, add));
  if (c.direct()) return {};
  return device_->launch(VT_NAMED(vt_col2im), {batch_ * c.size * c.size * c.in / kEight}, {}, m_.columns, window(c), dx);
}

/// Each has 16 rows at least.
std::uint64_t ResNetTrainer::parts(const Layer& l) const {
  return std::max<std::uint64_t>(1, std::min(rows(l) / 16, kSumThreads / (l.shape.out / kEight)));
}

Result<ResNetTrainer::Sums> ResNetTrainer::folded(const Layer& l) {
  auto all = parts(l);
  if (all <= kFewParts) return Sums{m_.sums, all};
  VT_CHECK(device_->launch(VT_NAMED(vt_fold_sums), {kFewParts * 2 * l.shape.out}, {}, m_.sums, 2 * l.shape.out, all, kFewParts, m_.folded));
  return Sums{m_.folded, kFewParts};
}

Status ResNetTrainer::norm(const Layer& l, const Half* shortcut, bool cut) {
  auto n = rows(l), channels = l.shape.out, chunks = channels / kEight;
  VT_CHECK(device_->launch(VT_NAMED(vt_norm_sums), {parts(l) * chunks}, {}, l.raw, n, channels, parts(l), m_.sums));
  VT_TRY(auto sums, folded(l));
  VT_CHECK(device_->launch(VT_NAMED(vt_norm_moments), {channels}, {}, l.raw, sums.at, n, channels, sums.parts, l.moments));
  return device_->launch(VT_NAMED(vt_normalise), {n * chunks}, {}, l.raw, l.moments, weight(l.at.gain), weight(l.at.shift), shortcut, cut,
                         n, channels, l.out);
}

/// From the gradient behind the batch norm to that before it, and those of gain and shift. `d_raw` may be `dy`.
Status ResNetTrainer::norm_backward(const Layer& l, const Half* dy, Half* d_raw) {
  auto n = rows(l), channels = l.shape.out, chunks = channels / kEight;
  auto *d_gain = gradient(l.at.gain), *d_shift = gradient(l.at.shift);
  VT_CHECK(device_->launch(VT_NAMED(vt_norm_slopes), {parts(l) * chunks}, {}, dy, l.raw, l.moments, n, channels, parts(l), m_.sums));
  VT_TRY(auto sums, folded(l));
  VT_CHECK(device_->launch(VT_NAMED(vt_norm_gradients), {channels}, {}, sums.at, channels, sums.parts, d_gain, d_shift));
  return device_->launch(VT_NAMED(vt_norm_backward), {n * chunks}, {}, dy, l.raw, l.moments, weight(l.at.gain), d_gain, d_shift, n,
                         channels, d_raw);
}

Status ResNetTrainer::forward(const Block& block) {
  for (const auto* layer : {&block.narrow, &block.middle}) {
    VT_CHECK(convolve(*layer));
    VT_CHECK(norm(*layer, nullptr, true));
  }
  if (block.project) {
    VT_CHECK(convolve(*block.project));
    VT_CHECK(norm(*block.project, nullptr, false));
  }
  VT_CHECK(convolve(block.widen));
  return norm(block.widen, block.project ? block.project->out : block.narrow.input, true);
}

Status ResNetTrainer::forward() {
  VT_CHECK(convolve(m_.stem));
  VT_CHECK(norm(m_.stem, nullptr, true));
  auto stem = m_.stem.shape.out / kEight;
  VT_CHECK(
      device_->launch(VT_NAMED(vt_max_pool), {batch_ * net_.pooled * net_.pooled * stem}, {}, m_.stem.out, pool(), m_.pooled, m_.which));
  for (auto& block : m_.blocks) VT_CHECK(forward(block));
  return device_->launch(VT_NAMED(vt_mean_pool), {batch_ * net_.features / kEight}, {}, m_.blocks.back().widen.out, batch_,
                         net_.last * net_.last, net_.features, m_.features);
}

/// The loss, and back to the gradient of what was averaged.
Status ResNetTrainer::classify() {
  auto n = batch_ * net_.classes;
  const MixedLinear::Shape shape{batch_, net_.features, net_.classes};
  VT_CHECK(device_->launch(VT_NAMED(vt_repeat_row), {n}, {}, weight(at_.bias), batch_, net_.classes, m_.logits));
  VT_CHECK(linear_.add_forward(m_.features, half(at_.classifier), m_.logits, shape));
  VT_CHECK(device_->launch(VT_NAMED(vt_cross_entropy), {batch_}, {}, m_.logits, m_.labels, batch_, net_.classes, m_.each_loss));
  auto* loss = m_.losses + evaluated_ % ResNetMemory::kMostLosses;
  VT_CHECK(device_->launch(VT_NAMED(vt_mean), {1}, {}, m_.each_loss, batch_, loss));
  ++evaluated_;
  VT_CHECK(device_->launch(VT_NAMED(vt_sum_rows), {net_.classes}, {}, m_.logits, batch_, net_.classes, gradient(at_.bias)));
  VT_CHECK(device_->launch(VT_NAMED(vt_to_bf16), {n}, {}, m_.logits, n, m_.d_logits));
  VT_CHECK(linear_.weight_gradient(m_.d_logits, m_.features, gradient(at_.classifier), shape));
  VT_CHECK(linear_.input_gradient(m_.d_logits, half(at_.classifier), m_.e, shape, false));
  auto pixels = net_.last * net_.last;
  return device_->launch(VT_NAMED(vt_mean_pool_backward), {batch_ * pixels * net_.features / kEight}, {}, m_.e, batch_, pixels,
                         net_.features, m_.d);
}

Status ResNetTrainer::cut_backward(const Layer& l, Half* dy) {
  auto n = rows(l) * l.shape.out;
  return device_->launch(VT_NAMED(vt_cut_backward), {n / kEight}, {}, l.out, n, dy);
}

/// Back through cut and batch norm, in place.
Status ResNetTrainer::through(const Layer& l, Half* dy) {
  VT_CHECK(cut_backward(l, dy));
  VT_CHECK(norm_backward(l, dy, dy));
  return weight_gradient(l, dy);
}

/// From the gradient of the block's output in m_.d to that of its input, there, too.
Status ResNetTrainer::backward(const Block& block) {
  VT_CHECK(cut_backward(block.widen, m_.d));
  VT_CHECK(norm_backward(block.widen, m_.d, m_.e));
  VT_CHECK(weight_gradient(block.widen, m_.e));
  VT_CHECK(input_gradient(block.widen, m_.e, m_.f));
  VT_CHECK(through(block.middle, m_.f));
  VT_CHECK(input_gradient(block.middle, m_.f, m_.e));
  VT_CHECK(through(block.narrow, m_.e));
  if (block.project) {
    VT_CHECK(norm_backward(*block.project, m_.d, m_.d));
    VT_CHECK(weight_gradient(*block.project, m_.d));
    VT_CHECK(input_gradient(*block.project, m_.d, m_.f));
    std::swap(m_.d, m_.f);
  }
  return input_gradient(block.narrow, m_.e, m_.d, true);
}

Status ResNetTrainer::backward() {
  for (auto block = m_.blocks.rbegin(); block != m_.blocks.rend(); ++block) VT_CHECK(backward(*block));
  auto& c = m_.stem.shape;
  VT_CHECK(device_->launch(VT_NAMED(vt_max_pool_backward), {rows(m_.stem) * c.out / kEight}, {}, m_.d, m_.which, pool(), m_.e));
  return through(m_.stem, m_.e);
}

Status ResNetTrainer::forward_backward() {
  VT_CHECK(forward());
  VT_CHECK(classify());
  return backward();
}

Status ResNetTrainer::update() {
  return device_->launch(VT_NAMED(vt_sgd), {at_.end}, {}, weights_.as<float>(), gradients_.as<float>(), velocity_.as<float>(), at_.end,
                         kResNetMomentum, halves_.as<Half>());
}

Status ResNetTrainer::tune(double seconds_per_product) {
  linear_.tune(seconds_per_product);
  VT_CHECK(forward_backward());
  linear_.tune(0);
  evaluated_ = 0;
  return device_->finish();
}

Status ResNetTrainer::spoil() { return device_->launch(VT_NAMED(vt_flip_bit), {1}, {}, halves_.as<kernels::u64>(), 0, 62); }

Result<std::vector<float>> ResNetTrainer::losses() {
  std::vector<float> out(std::min(std::exchange(evaluated_, 0), ResNetMemory::kMostLosses));
  VT_CHECK(device_->copy(out.data(), m_.losses, out.size() * sizeof(float)));
  VT_CHECK(device_->finish());
  return out;
}

}  // namespace vt::checks
