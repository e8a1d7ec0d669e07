#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "orchestrator/model/result.hpp"

namespace vt::checks {

/// What NVIDIA's own diagnosis says, from what `dcgmi diag --json` prints (DCGM 3 and 4):
///   value     "ok", "failed", or "n/a: every test was skipped"
///   failing   list: "Memory, GPU 3, Fail: text"; warnings of tests that passed are among `told`
///   passed    how many results did; skipped: list of the tests that say so; told: list of warnings; version: DCGM's
/// Errc::refused: it is no such report.
Result<nlohmann::json> read_dcgm(const std::string& text);

}  // namespace vt::checks
