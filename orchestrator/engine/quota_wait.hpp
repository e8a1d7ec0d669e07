#pragma once
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "orchestrator/engine/context.hpp"

namespace vt {

/// Who waits for room in an account.
struct RoomWanted {
  std::string run, layer, provider, account;
  Duration look_spacing;                  ///< between two looks when a provider's count lags behind what is gone
  std::optional<Deadline> until;          ///< of the run
  std::function<void(std::string)> tell;  ///< what is waited for; may be empty
};

/// A quota that machines of ours fill: each counts until its deletion is confirmed, and none is created before that. Waits for those
/// that a living process of this ledger will give back: other layers, other runs. Not for kept ones, nor for what a dead process
/// left, which only `reap` ends; and not if the layer has a host already, because two such layers would wait for each other.
class QuotaWait {
 public:
  QuotaWait(Context& c, RoomWanted wanted) : c_(c), wanted_(std::move(wanted)) {}

  /// Waits until one of them is confirmed gone, ten minutes beyond its lease or the begin of its deletion at most. True: it may be
  /// asked for again. False: nothing that could be waited for is there. After a wait, true a few times more: counts lag.
  /// Errc::cancelled if the user wants to end.
  Result<bool> again();

 private:
  Result<std::vector<Resource>> ours();
  bool patient_with(const Resource&);
  void say(const Resource&) const;
  Result<bool> lag();

  Context& c_;
  RoomWanted wanted_;
  std::map<std::string, Duration> deleting_since_;  ///< by name, since boot
  bool waited_ = false;
  int lags_ = 0;
};

/// Whether all that stops is a limit that machines which are there now fill.
bool passes_by_waiting(const std::vector<Finding>&);

}  // namespace vt
