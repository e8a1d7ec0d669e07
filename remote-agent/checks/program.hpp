#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "orchestrator/model/result.hpp"

namespace vt::checks {

/// A program that has ended by itself: its exit status, and what it said on both streams, up to 1 MiB.
struct ProgramEnd {
  int status = 0;
  std::string text;
};
/// Runs a program of PATH, without a shell, to its end. Errc::timeout: it had not ended at `stop_at` (boot_ms) and was killed;
/// Errc::refused: it was ended by a signal.
Result<ProgramEnd> run_program(std::vector<std::string> words, std::int64_t stop_at);
/// Whether PATH has such a program.
bool has_program(const std::string& name);
/// For messages.
std::string first_line(const std::string& text);

}  // namespace vt::checks
