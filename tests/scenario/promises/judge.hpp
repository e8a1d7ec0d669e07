#pragma once
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <set>
#include <string>

namespace vt::test {

/// What the emulator's own books and its log of requests say. Nothing of ours has a word in it.
struct Judged {
  int made = 0;                     ///< instances and pods that ever existed, of ours
  int alive = 0;                    ///< things of ours that exist now: disks and images, too
  int foreign_gone = 0;             ///< strangers' things that ended
  int creates = 0;                  ///< create requests on the wire
  int repeated = 0;                 ///< of them, further ones for a token, those not counted that were turned away unread (401, 429)
  std::string leaks;                ///< the names of what is alive
  std::map<std::string, int> most;  ///< provider -> instances or pods of ours at any one time
};

/// `ours`: ids of things that a test planted and that are ours all the same.
Judged judge(const nlohmann::json& things, const nlohmann::json& requests, const std::set<std::string>& ours = {});

}  // namespace vt::test
