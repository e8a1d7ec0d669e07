#include "orchestrator/engine/stand_in.hpp"

#include <algorithm>
#include <array>

#include "orchestrator/model/capability_ids.hpp"

namespace vt {

namespace {

/// Capabilities that a host has only with a GPU; the processor needs none of them.
bool is_of_a_gpu(const std::string& id) {
  constexpr std::array<std::string_view, 4> parts{"gpu", "driver.", "cuda.", "lib."};
  return std::any_of(parts.begin(), parts.end(), [&](auto part) { return id.starts_with(part); });
}

/// More than any check asks for.
Value plenty(ValueType type) {
  constexpr std::int64_t kPlenty = 1'000'000;
  if (type == ValueType::boolean) return true;
  if (type == ValueType::version) return std::to_string(kPlenty);
  return kPlenty;
}

}  // namespace

std::optional<Check> stand_in(const Check& check, const ObservationKey& key, const Circumstances& now) {
  auto run = std::get_if<AgentRun>(&check.how);
  if (!check.cpu || !run) return {};
  Capabilities pretended = now.facts;
  for (auto& id : check.needs.ids())
    if (is_of_a_gpu(id))
      pretended.set({id, plenty(capability_type(id).value_or(ValueType::integer)), "the processor stands in", FactOrigin::declared, {}});
  Circumstances with_gpu{now.layer, now.access, pretended, now.so_far, now.stopped, now.out_of_time, now.real, now.self_test_missed};
  if (obstacle(check, key, with_gpu)) return {};
  Check out = check;
  std::get<AgentRun>(out.how).args["device"] = "cpu";
  return out;
}

}  // namespace vt
