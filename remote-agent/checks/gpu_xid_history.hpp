#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace vt::checks {

/// Xids in the text of a kernel log, each once per GPU, by class: fatal, warnings, programs, unknown: lists of "XID 79: fell off the bus
/// (…) on PCI:0000:41:00". Programs' own faults are innocent in a log: whoever ran may have been wrong.
nlohmann::json xids_in(const std::string& log);

}  // namespace vt::checks
