#include "orchestrator/store/ledger_caps.hpp"

#include <algorithm>
#include <array>
#include <chrono>

#include "orchestrator/store/names.hpp"

namespace vt {

namespace {

struct Line {
  std::string run, layer;
  ResourceState state = ResourceState::planned;
  EpochMs created = 0;
  Money hourly, reserved, cost;
};

Line read_line(Row& row) {
  Line line;
  line.run = row.text(), line.layer = row.text();
  line.state = enum_of(row.text(), ResourceState::presumed_absent);
  line.created = row.number();
  line.hourly.micro = row.number(), line.reserved.micro = row.number(), line.cost.micro = row.number();
  return line;
}

/// An open row is worth its reservation until it has run past it.
Money worth(const Line& line, EpochMs now) {
  if (!is_open(line.state)) return line.cost;
  auto lived = std::max<EpochMs>(0, now - line.created + 999) / 1000;
  return std::max(line.reserved, price_for(line.hourly, lived));
}

struct Periods {
  EpochMs day, month;  ///< their first millisecond
};

Periods periods_of(EpochMs now) {
  using namespace std::chrono;
  auto day = floor<days>(sys_time<milliseconds>(milliseconds(now)));
  sys_days month = year_month_day(day).year() / year_month_day(day).month() / 1;
  return {duration_cast<milliseconds>(day.time_since_epoch()).count(), duration_cast<milliseconds>(month.time_since_epoch()).count()};
}

struct Cap {
  std::string_view what, unit;
  std::optional<Money> limit;
  Money used, asked;
  [[nodiscard]] bool passed() const { return limit && used + asked > *limit; }
  [[nodiscard]] std::string text() const {
    auto money = [this](Money m) { return m.text() + std::string(unit); };
    return "the cap " + std::string(what) + " is " + money(*limit) + ": " + money(used) + " is spent or reserved, " + money(asked) +
           " more was asked for";
  }
};

}  // namespace

Result<Used> used_by(Database& db, const std::string& run, const std::string& layer, EpochMs now) {
  auto since = periods_of(now);
  Used used;
  VT_CHECK(
      db.each("SELECT run, layer, state, created, hourly, reserved, cost FROM resource"
              " WHERE created >= ? OR run = ? OR state NOT IN ('refused', 'gone', 'presumed_absent')",
              {since.month, run}, [&](Row& row) {
                auto line = read_line(row);
                auto amount = worth(line, now);
                if (line.run == run) used.run += amount;
                if (line.run == run && line.layer == layer) used.layer += amount;
                bool open = is_open(line.state);  // what runs over midnight spends the new day's money, too
                if (open || line.created >= since.day) used.day += amount;
                if (open || line.created >= since.month) used.month += amount;
                if (open) used.rate += line.hourly;
              }));
  return used;
}

Status check_caps(const Caps& caps, const Used& used, const Resource& wanted) {
  if (wanted.hourly.micro < 0 || wanted.reserved.micro < 0)
    return fail(Errc::refused, wanted.owner.name + ": a price below zero cannot be right, so nothing is created");
  auto asked = wanted.reserved;
  for (auto& cap :
       std::array{Cap{"of this layer", "", caps.layer, used.layer, asked}, Cap{"of this run", "", caps.run, used.run, asked},
                  Cap{"per day (UTC)", "", caps.day, used.day, asked}, Cap{"per month (UTC)", "", caps.month, used.month, asked},
                  Cap{"on what runs at once", "/h", caps.rate, used.rate, wanted.hourly}})
    if (cap.passed()) return fail(Errc::budget, cap.text());
  return {};
}

std::optional<Money> room_under(const Caps& caps, const Used& used) {
  std::optional<Money> room;
  for (auto& [limit, spent] :
       {std::pair{caps.run, used.run}, std::pair{caps.layer, used.layer}, std::pair{caps.day, used.day}, std::pair{caps.month, used.month}})
    if (limit) room = std::min(room.value_or(*limit - spent), *limit - spent);
  return room ? std::optional(std::max(*room, Money{})) : std::nullopt;
}

}  // namespace vt
