#include "orchestrator/host/broker.hpp"

#include <algorithm>

namespace vt {

void Broker::publish(const std::string& group, Message message) {
  std::lock_guard lock(mutex_);
  groups_[group].push_back(std::move(message));
  published_.notify_all();
}

std::vector<Broker::Message> Broker::others(const std::string& group, int rank, std::size_t& seen) {
  std::lock_guard lock(mutex_);
  auto& all = groups_[group];
  std::vector<Message> out;
  for (; seen < all.size(); ++seen)
    if (all[seen].rank != rank) out.push_back(all[seen]);
  return out;
}

std::optional<std::string> Broker::await(const std::string& group, const std::string& key, Deadline deadline) {
  std::unique_lock lock(mutex_);
  std::optional<std::string> found;
  auto there = [&] {
    auto& all = groups_[group];
    auto at = std::find_if(all.begin(), all.end(), [&](auto& m) { return m.key == key; });
    if (at != all.end()) found = at->data;
    return found.has_value();
  };
  published_.wait_until(lock, deadline.at(), there);
  return found;
}

void Broker::forget(const std::string& group) {
  std::lock_guard lock(mutex_);
  groups_.erase(group);
}

}  // namespace vt
