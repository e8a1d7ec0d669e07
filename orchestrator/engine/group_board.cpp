#include "orchestrator/engine/group_board.hpp"

#include <algorithm>

namespace vt {

namespace {

constexpr Duration kLook{100};  ///< how often a waiting host looks whether the run was stopped

bool contains(const std::vector<std::string>& list, const std::string& item) {
  return std::find(list.begin(), list.end(), item) != list.end();
}

}  // namespace

bool GroupBoard::begin_if_settled(Meeting& meeting) {
  if (meeting.begun) return true;
  for (auto& host : hosts_)
    if (meeting.answers[host] == Answer::none && !contains(gone_, host)) return false;
  for (auto& host : hosts_)
    if (meeting.answers[host] == Answer::comes && !contains(gone_, host)) meeting.members.push_back(host);
  return meeting.begun = true;
}

Result<GroupBoard::Seat> GroupBoard::meet(const std::string& check, const std::string& host, const StopFlag& stop, Deadline deadline) {
  std::unique_lock lock(mutex_);
  auto& meeting = meetings_[check];
  meeting.answers[host] = Answer::comes;
  changed_.notify_all();
  while (!begin_if_settled(meeting)) {
    if (stop.requested()) return fail(Errc::cancelled, "interrupted");
    if (deadline.passed()) {
      meeting.answers[host] = Answer::stays_away;
      return fail(Errc::timeout, "the other hosts of the group did not come to it in time");
    }
    changed_.wait_until(lock, deadline.earlier(kLook).at());
  }
  changed_.notify_all();
  auto at = std::find(meeting.members.begin(), meeting.members.end(), host);
  if (at == meeting.members.end()) return fail(Errc::timeout, "the group began without this host");
  return Seat{static_cast<int>(at - meeting.members.begin()), static_cast<int>(meeting.members.size())};
}

void GroupBoard::stay_away(const std::string& check, const std::string& host) {
  std::lock_guard lock(mutex_);
  meetings_[check].answers[host] = Answer::stays_away;
  changed_.notify_all();
}

void GroupBoard::leave(const std::string& host) {
  std::lock_guard lock(mutex_);
  gone_.push_back(host);
  changed_.notify_all();
}

}  // namespace vt
