#include "orchestrator/report/progress.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "orchestrator/model/text.hpp"
#include "orchestrator/report/live.hpp"
#include "orchestrator/store/codec.hpp"

namespace vt {

namespace {

template <class... F>
struct Overload : F... {
  using F::operator()...;
};
template <class... F>
Overload(F...) -> Overload<F...>;  // C++20 deduces this; clang 14 does not yet

std::string upper(std::string_view word) {
  std::string out(word);
  for (char& c : out) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return out;
}

std::string host_suffix(const std::string& layer, const std::string& host) {
  return host.empty() || host == layer ? layer : layer + "/" + host;
}

std::string judged_text(const Event& e, const event::CheckJudged& j) {
  bool loud = j.verdict == Verdict::fail || j.verdict == Verdict::warn || j.verdict == Verdict::error;
  if (!loud) return {};
  return upper(name(j.verdict)) + " " + j.check + " on " + host_suffix(e.layer, j.host) + (j.reason.empty() ? "" : ": " + j.reason);
}

std::string moved_text(const Event& e, const event::LayerMoved& m) {
  if (m.state != LayerState::failed && m.state != LayerState::blocked && m.state != LayerState::cancelled) return {};
  return upper(name(m.state)) + " " + e.layer + (m.detail.empty() ? "" : ": " + m.detail);
}

/// One plain line per event worth reading; a running check, and a meter that went up by a cent, at most once a minute.
class PlainWriter final : public ProgressWriter {
 public:
  explicit PlainWriter(bool rehearsal) : rehearsal_(rehearsal) {}

  std::string see(const Event& e) override {
    auto layer = state_.apply(e);
    auto text = urgent_text(e);
    if (text.empty()) text = calm_text(e, layer);
    if (text.empty()) return {};
    return utc_text(e.at).substr(11, 8) + (rehearsal_ ? " REHEARSAL " : " ") + one_line(text) + "\n";
  }

 private:
  static std::string calm_text(const Event& e, LayerProgress* layer) {
    return std::visit(
        Overload{[](const event::RunStarted& s) { return "run started: " + s.plan + (s.subject.empty() ? "" : ", subject " + s.subject); },
                 [](const event::RunResumed& r) { return "run resumed" + (r.by.empty() ? "" : " by " + r.by); },
                 [&](const event::LayerMoved& m) { return step_text(m, *layer); },
                 [&](const event::HostReady& h) { return host_suffix(e.layer, h.host) + " is ready: " + h.detail; },
                 [&](const event::CheckProgress& p) { return running_text(e, p, *layer); },
                 [&](const event::Spent& s) { return layer ? meter_text(e, s, *layer) : std::string(); },
                 [](const event::ResourceMoved& r) { return r.name + " is " + r.state + (r.detail.empty() ? "" : ": " + r.detail); },
                 [](const event::Noted& n) { return n.text; }, [](const event::RunEnded& r) { return r.sentence; },
                 [](const auto&) { return std::string(); }},
        e.body);
  }

  static std::string step_text(const event::LayerMoved& m, const LayerProgress& layer) {
    auto text = layer.name + ": " + std::string(name(m.state)) + (m.detail.empty() ? "" : ", " + m.detail);
    if (m.state != LayerState::done) return text;
    auto counts = counts_text(layer.counts);
    return text + (counts.empty() ? "" : ", " + counts) + (layer.spent.micro ? ", cost " + layer.spent.text() : "");
  }

  static std::string running_text(const Event& e, const event::CheckProgress& p, LayerProgress& layer) {
    if (e.at - layer.told < 60'000) return {};
    layer.told = e.at;
    return host_suffix(e.layer, p.host) + ": " + layer.step;
  }

  static std::string meter_text(const Event& e, const event::Spent& s, LayerProgress& layer) {
    constexpr Money cent{10'000};
    if (s.total - layer.spent_told < cent || e.at - layer.spent_told_at < 60'000) return {};
    layer.spent_told = s.total, layer.spent_told_at = e.at;
    return layer.name + ": cost " + s.total.text() + " so far";
  }

  bool rehearsal_;
  ProgressState state_;
};

class JsonWriter final : public ProgressWriter {
 public:
  std::string see(const Event& e) override { return to_json(e).dump(-1, ' ', true, nlohmann::json::error_handler_t::replace) + "\n"; }
};

int sum(const std::map<std::string, int>& by_host) {
  int total = 0;
  for (auto& [host, number] : by_host) total += number;
  return total;
}

std::string percent(double fraction) {
  return fraction < 0 ? "" : " " + std::to_string(static_cast<int>(std::min(fraction, 1.0) * 100)) + "%";
}

}  // namespace

int LayerProgress::done() const { return sum(number); }
int LayerProgress::total() const { return sum(of); }

LayerProgress& ProgressState::layer(const std::string& wanted) {
  auto at = std::find_if(layers_.begin(), layers_.end(), [&](auto& l) { return l.name == wanted; });
  if (at != layers_.end()) return *at;
  layers_.emplace_back().name = wanted;
  return layers_.back();
}

LayerProgress* ProgressState::apply(const Event& e) {
  if (e.layer.empty()) return nullptr;
  auto& l = layer(e.layer);
  std::visit(Overload{[&](const event::LayerMoved& m) { l.state = m.state, l.detail = m.detail, l.step.clear(); },
                      [&](const event::CheckStarted& s) {
                        l.step = s.check, l.told = e.at;
                        l.number[s.host] = std::max(0, s.number - 1), l.of[s.host] = s.of;
                      },
                      [&](const event::CheckProgress& p) { l.step = p.check + percent(p.fraction) + (p.text.empty() ? "" : " " + p.text); },
                      [&](const event::CheckJudged& j) {
                        ++l.counts[j.verdict];
                        l.number[j.host] = j.number, l.of[j.host] = j.of;
                      },
                      [&](const event::Spent& s) { l.spent = s.total; }, [](const auto&) {}},
             e.body);
  return &l;
}

std::string counts_text(const VerdictCounts& counts) {
  std::vector<std::string> parts;
  for (auto v :
       {Verdict::pass, Verdict::warn, Verdict::fail, Verdict::error, Verdict::blocked, Verdict::cancelled, Verdict::info, Verdict::skip})
    if (counts[v]) parts.push_back(std::to_string(counts[v]) + " " + std::string(name(v)));
  return join(parts, ", ");
}

/// Why it could not be given back mostly begins with its name.
std::string left_text(const event::ResourceMoved& r) {
  auto lead = r.name + ": ";
  return "LEFT BEHIND " + (r.detail.starts_with(lead) ? r.detail : lead + r.detail);
}

std::string urgent_text(const Event& e) {
  return std::visit(
      Overload{[&](const event::CheckJudged& j) { return judged_text(e, j); }, [&](const event::LayerMoved& m) { return moved_text(e, m); },
               [&](const event::CapabilityDiffers& d) {
                 return "DIFFERS " + d.capability + " on " + host_suffix(e.layer, d.host) + ": expected " + d.predicted + ", found " +
                        d.probed + (d.evidence.empty() ? "" : " (" + d.evidence + ")");
               },
               [](const event::ResourceMoved& r) { return r.state == "open" ? left_text(r) : std::string(); },
               [](const event::Noted& n) { return n.level == "info" ? std::string() : upper(n.level) + " " + n.text; },
               [](const auto&) { return std::string(); }},
      e.body);
}

std::unique_ptr<ProgressWriter> make_progress(ProgressMode mode, const TextStyle& style, bool rehearsal) {
  if (mode == ProgressMode::json) return std::make_unique<JsonWriter>();
  if (mode == ProgressMode::plain) return std::make_unique<PlainWriter>(rehearsal);
  return make_live(style, rehearsal);
}

}  // namespace vt
