#pragma once
#include <string>

#include "orchestrator/model/result.hpp"

namespace vt::emulator {

/// Writes a file of that mode, replacing one that is there.
Status write_file(const std::string& path, const std::string& text, unsigned mode);
/// The last `most` bytes; empty if there is none.
std::string tail_of(const std::string& path, std::size_t most);
/// Keeps a file that others append to from growing: past `most` bytes all but its tail goes, and that moves to `path`.old.
void cap_file(const std::string& path, std::size_t most, std::size_t tail);

}  // namespace vt::emulator
