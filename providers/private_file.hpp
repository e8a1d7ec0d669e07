#pragma once
#include <string>

#include "orchestrator/model/result.hpp"

namespace vt {

/// Writes a file that only its owner can read (0600), complete and on disk, or not at all; what was there before is replaced, also
/// where others write the same file at the same time. Its folder is made (0700) if it is missing, not what is above it.
/// Errc::disk_full or Errc::storage.
Status write_private_file(const std::string& path, const std::string& text);

}  // namespace vt
