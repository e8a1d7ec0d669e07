#include "orchestrator/engine/meter.hpp"

#include "orchestrator/cost/billing.hpp"

namespace vt {

namespace {

constexpr std::int64_t kCent = 10'000;  ///< micro-dollars
constexpr auto kTick = std::chrono::milliseconds(100);
constexpr int kTicksPerLook = 20;

void tell_while_running(Context& c, const std::string& run, const std::string& layer, const std::stop_token& ended) {
  Money told;
  for (int tick = 1; !ended.stop_requested(); ++tick) {
    std::this_thread::sleep_for(kTick);
    if (tick % kTicksPerLook != 0) continue;
    auto spent = spent_by(c, run, layer);
    if (!spent || spent->micro - told.micro < kCent) continue;
    if (c.store.add_event(run, layer, event::Spent{*spent})) told = *spent;
  }
}

}  // namespace

Result<Money> spent_by(Context& c, const std::string& run, const std::string& layer) {
  VT_TRY(auto rows, c.ledger.of_run(run));
  Money total;
  for (auto& row : rows)
    if (row.layer == layer) total += is_open(row.state) ? cost_until(row, c.clock.wall()) : row.cost;
  return total;
}

Meter::Meter(Context& c, std::string run, std::string layer)
    : thread_([&c, run = std::move(run), layer = std::move(layer)](const std::stop_token& ended) {
        tell_while_running(c, run, layer, ended);
      }) {}

}  // namespace vt
