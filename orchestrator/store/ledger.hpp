#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "orchestrator/model/caps.hpp"
#include "orchestrator/model/resource.hpp"
#include "orchestrator/model/result.hpp"
#include "orchestrator/store/install_key.hpp"

namespace vt {

/// ledger.db: what costs money or is left behind. Small, apart from results.db so that results can never block it.
/// Rollback journal, synchronous=EXTRA, BEGIN IMMEDIATE, rows never deleted, append-only event table. Thread-safe.
class Ledger {
 public:
  /// Opens or makes `<state_dir>/ledger.db` (0600 in a 0700 folder). A file of a newer schema is refused.
  static Result<std::unique_ptr<Ledger>> open(const std::string& state_dir, const Clock& clock);
  ~Ledger();

  /// A fresh identity: random attempt, name, HMAC token over provider|account|name|expires. Expires at a whole second,
  /// so that a provider's label in seconds carries it.
  Result<Ownership> new_ownership(const std::string& provider, const std::string& account, Duration lease);
  /// The token of that identity is one that this installation made.
  [[nodiscard]] bool is_ours(const Ownership&, const std::string& provider, const std::string& account) const;

  /// The installation's id and key, for a sweeper that has no ledger. Whoever has it can make tokens: a file of mode 0600.
  [[nodiscard]] InstallKey key() const;

  /// Commits the row in state `planned` and its reservation; refused if name exists. `holder` is set to this process.
  /// Errc::disk_full while there is no room for the reserve that update() may need: nothing new begins on a full disk.
  /// Errc::budget, naming the cap, if a cap would be passed: judged in the same transaction, so that no two processes can
  /// both take the last dollar.
  Status plan(const Resource&, const Caps& = {});
  /// The most that plan() would let be reserved for that layer now; nullopt: the caps set no limit. Another process may be faster.
  Result<std::optional<Money>> room(const Caps&, const std::string& run, const std::string& layer) const;
  /// The only way to change a row: reads it, applies `change`, commits row and event in one transaction.
  /// Errc::refused if the change leaves the state diagram of resource.hpp, another living process is in charge of the row,
  /// or it was taken over since this object last had it. A row whose holder is dead is taken over on the way. Owner,
  /// holder and generation stay whatever `change` does; `closed` is set and cleared with the state. On a full disk a
  /// reserve is used up; `change` then runs twice.
  Status update(const std::string& name, const std::string& why, const std::function<void(Resource&)>& change);
  /// Makes this process the holder and raises the generation (reap, resume). Errc::refused while another holder lives and the
  /// lease runs: a holder that was paused past its lease is superseded, and refused by the generation when it wakes up.
  Status take_over(const std::string& name);

  Result<std::optional<Resource>> find(const std::string& name) const;
  Result<std::vector<Resource>> open_resources() const;  ///< is_open(state), oldest first
  Result<std::vector<Resource>> all() const;             ///< for `resources --all` and for matching in reap
  Result<std::vector<Resource>> of_run(const std::string& run) const;
  /// The process in charge of the row still lives (same pid, start time and boot).
  static bool holder_alive(const Resource&);

 private:
  struct Impl;
  explicit Ledger(std::unique_ptr<Impl>);
  std::unique_ptr<Impl> impl_;
};

/// "pid:start-ticks:boot-id" of this process.
std::string this_holder();
bool is_alive(const std::string& holder);

}  // namespace vt
