#pragma once
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "orchestrator/baseline/baseline.hpp"
#include "orchestrator/engine/mask.hpp"
#include "orchestrator/engine/stop.hpp"
#include "orchestrator/host/agent_session.hpp"
#include "orchestrator/model/caps.hpp"
#include "orchestrator/store/ledger.hpp"
#include "orchestrator/store/store.hpp"
#include "providers/provider.hpp"

namespace vt {

/// What the engine works with; owned by the caller, outlives every run.
struct Context {
  Store& store;
  Ledger& ledger;
  const Clock& clock;
  StopFlag& stop;
  AgentBinaries agents;
  std::function<std::unique_ptr<Provider>(const std::string& name)> provider;  ///< nullptr: no such provider
  std::vector<std::string> creating_providers;                                 ///< those whose things reap looks for
  std::map<std::string, std::string> secrets;                                  ///< name -> value, never stored
  std::function<Result<std::unique_ptr<Transport>>(const Host&, Deadline)> connect = vt::connect;
  Caps caps;               ///< the user's own, over those of any plan
  Baselines baselines;     ///< what measured figures are held against
  bool cpu = false;        ///< on hosts without a GPU the processor stands in where a check can
  bool rehearsal = false;  ///< stand-in hosts: nothing measured is evidence
};

}  // namespace vt
