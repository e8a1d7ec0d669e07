#pragma once
#include <string_view>
#include <vector>

#include "remote-agent/probe/host.hpp"

namespace vt::probe {

/// Every probe in the order of docs/capabilities.md; the programs behind tool.NAME follow them.
const std::vector<Probe>& probes();
const std::vector<std::string_view>& tools();

/// probe_all with another System, for tests.
void probe_all(const Options&, const System&, const std::function<void(const Fact&)>& sink);

}  // namespace vt::probe
