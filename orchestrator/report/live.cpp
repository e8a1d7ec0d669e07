#include "orchestrator/report/live.hpp"

#include <algorithm>

#include "orchestrator/report/text.hpp"

namespace vt {

namespace {

constexpr int kBar = 16;

std::string bar(int done, int total) {
  int filled = total ? std::min(kBar, done * kBar / total) : 0;
  return "[" + std::string(static_cast<std::size_t>(filled), '#') + std::string(static_cast<std::size_t>(kBar - filled), '.') + "]";
}

/// A line built of toned pieces that never grows past the width.
class Line {
 public:
  explicit Line(const TextStyle& style) : style_(style), left_(style.width > 1 ? style.width - 1 : 1) {}
  void add(Tone tone, const std::string& text) {
    auto size = shown_width(text);
    auto piece = size <= left_ ? text : left_ < 4 ? std::string() : one_line(text, left_);
    left_ -= std::min(left_, size);
    out_ += paint(style_, tone, piece);
  }
  std::string take() { return out_ + "\n"; }

 private:
  const TextStyle& style_;
  std::size_t left_;
  std::string out_;
};

class LiveWriter final : public ProgressWriter {
 public:
  LiveWriter(const TextStyle& style, bool rehearsal) : style_(style), rehearsal_(rehearsal) {}

  std::string see(const Event& e) override {
    state_.apply(e);
    std::string above;
    if (auto text = urgent_text(e); !text.empty()) above = paint(style_, tone(e), one_line(text)) + "\n";
    auto now = picture();
    if (above.empty() && now == painted_) return {};
    auto bytes = erase() + above + now;
    painted_ = now;
    return bytes;
  }

  /// The lines stay as they are; what is printed next goes below them.
  std::string close() override {
    painted_.clear();
    return {};
  }

 private:
  static Tone tone(const Event& e) {
    auto judged = std::get_if<event::CheckJudged>(&e.body);
    bool bad = (judged && judged->verdict != Verdict::warn) || std::holds_alternative<event::LayerMoved>(e.body) ||
               std::holds_alternative<event::ResourceMoved>(e.body);
    return bad ? Tone::bad : Tone::caution;
  }

  std::string erase() const {
    auto lines = std::count(painted_.begin(), painted_.end(), '\n');
    return lines ? "\r\x1b[" + std::to_string(lines) + "A\x1b[J" : "";
  }

  std::string picture() const {
    std::string out;
    std::size_t widest = 0;
    for (auto& layer : state_.layers()) widest = std::max(widest, shown_width(one_line(layer.name, 24)));
    for (auto& layer : state_.layers()) out += line(layer, widest);
    return out;
  }

  std::string line(const LayerProgress& layer, std::size_t widest) const {
    Line out(style_);
    if (rehearsal_) out.add(Tone::caution, "REHEARSAL ");
    out.add(Tone::strong, pad_right(one_line(layer.name, 24), widest) + "  ");
    out.add(Tone::plain, pad_right(std::string(name(layer.state)), 9) + "  ");
    out.add(Tone::faint, bar(layer.done(), layer.total()) + " ");
    auto total = std::to_string(layer.total());
    out.add(Tone::plain, pad_left(std::to_string(layer.done()), total.size()) + "/" + total);
    for (auto v : {Verdict::pass, Verdict::fail, Verdict::skip}) {
      int number = v == Verdict::fail ? against(layer.counts) : layer.counts[v];
      out.add(number ? tone_of(v) : Tone::faint, "  " + pad_left(std::to_string(number), 2) + " " + std::string(name(v)));
    }
    if (layer.spent.micro) out.add(Tone::plain, "  " + layer.spent.text());
    auto what = is_final(layer.state) || layer.step.empty() ? layer.detail : layer.step;
    if (!what.empty()) out.add(Tone::faint, "  " + one_line(what));
    return out.take();
  }

  static int against(const VerdictCounts& c) { return c[Verdict::fail] + c[Verdict::error] + c[Verdict::blocked] + c[Verdict::cancelled]; }

  TextStyle style_;
  bool rehearsal_;
  ProgressState state_;
  std::string painted_;
};

}  // namespace

std::unique_ptr<ProgressWriter> make_live(const TextStyle& style, bool rehearsal) { return std::make_unique<LiveWriter>(style, rehearsal); }

}  // namespace vt
