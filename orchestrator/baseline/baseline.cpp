#include "orchestrator/baseline/baseline.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include "orchestrator/model/text.hpp"

namespace vt {

namespace {

bool contains(const std::vector<std::string>& list, const std::string& item) {
  return std::find(list.begin(), list.end(), item) != list.end();
}

/// A figure that names no size or number of GPUs holds for all of them; one that does holds for that alone.
bool fits(const Figure& figure, const std::string& key, int count) {
  auto at = key.find('@');
  int mib = at == std::string::npos ? 0 : std::atoi(key.c_str() + at + 1);
  return figure.held && contains(figure.keys, key.substr(0, at)) && (figure.gpus == 0 || figure.gpus == count) &&
         (figure.mib == 0 || figure.mib == mib);
}

/// Every figure that `key` on `count` GPUs may be held against.
template <class Take>
void each(const Baselines& all, const std::string& gpu, const std::string& key, int count, Take take) {
  for (auto& baseline : all.gpus)
    if (contains(baseline.names, gpu))
      for (auto& figure : baseline.figures)
        if (fits(figure, key, count)) take(figure);
}

}  // namespace

bool Baselines::knows(const std::string& gpu) const {
  return std::any_of(gpus.begin(), gpus.end(), [&](auto& baseline) { return contains(baseline.names, gpu); });
}

const Figure* Baselines::find(const std::string& gpu, const std::string& key, int count) const {
  const Figure* best = nullptr;
  each(*this, gpu, key, count, [&](const Figure& figure) {
    if (!figure.warn && !figure.fail) return;
    bool better = !best || figure.kind > best->kind || (figure.kind == best->kind && figure.low < best->low);
    if (better) best = &figure;
  });
  return best;
}

std::optional<double> Baselines::most(const std::string& gpu, const std::string& key, int count) const {
  std::optional<double> most;
  each(*this, gpu, key, count, [&](const Figure& figure) {
    if (figure.max) most = std::max(most.value_or(0), figure.high * *figure.max);
  });
  return most;
}

std::map<std::string, int> gpus_in(const std::string& device) {
  std::map<std::string, int> out;
  for (std::string_view rest = device; !rest.empty();) {
    auto open = rest.find(" (GPU-");
    auto name = trim(rest.substr(0, open));
    int count = 1;
    auto times = name.find(" x ");
    auto [end, failed] = std::from_chars(name.data(), name.data() + name.size(), count);
    if (failed == std::errc{} && times != std::string_view::npos && end == name.data() + times) name = name.substr(times + 3);
    else count = 1;
    if (!name.empty()) out[std::string(name)] += count;
    auto close = open == std::string_view::npos ? open : rest.find("), ", open);
    if (close == std::string_view::npos) break;
    rest.remove_prefix(close + 3);
  }
  return out;
}

std::string_view name(Figure::Kind kind) {
  constexpr std::array<std::string_view, 3> names{"theory", "measured", "learned"};
  return names.at(static_cast<std::size_t>(kind));
}

}  // namespace vt
