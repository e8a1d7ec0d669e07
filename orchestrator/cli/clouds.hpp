#pragma once
#include <memory>
#include <string>

#include "orchestrator/cli/command_line.hpp"
#include "orchestrator/model/result.hpp"
#include "providers/emulator/emulator.hpp"
#include "providers/provider.hpp"

namespace vt {

/// The clouds one command talks to: the real ones, or a rehearsal's emulator. A rehearsal has a ledger and hosts of its own, in
/// <state_dir>/rehearsal; its results go to the same store, marked.
struct Clouds {
  ProviderContext context;                       ///< its state_dir is where the ledger is, too
  std::string says;                              ///< rehearsal: what stands behind the hosts
  std::unique_ptr<emulator::Emulator> emulator;  ///< of a rehearsal without --emulator; ends with this

  [[nodiscard]] bool rehearsal() const { return context.cloud.rehearsal; }
  /// nullptr: no such provider, or one that cannot run yet.
  [[nodiscard]] std::unique_ptr<Provider> provider(const std::string& name) const;
};

/// With the real clouds: asks nobody, reads no credentials. In a rehearsal: starts the emulator, or checks that --emulator names
/// a loopback address.
Result<Clouds> open_clouds(const CommandLine&, const Clock&);
/// Without starting an emulator: for commands that only predict.
Result<Clouds> predicting_clouds(const CommandLine&, const Clock&);

/// Where the ledger of this command is.
std::string ledger_folder(const CommandLine&);
/// The shipped price books, or those beside --catalogue.
std::string price_folder(const CommandLine&);

}  // namespace vt
