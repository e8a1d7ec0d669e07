#include "orchestrator/store/ballast.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include "orchestrator/store/files.hpp"

namespace vt {

namespace {
constexpr off_t kBytes = 1 << 20;
}

Status Ballast::fill() const {
  struct stat info {};
  if (stat(path_.c_str(), &info) == 0 && info.st_size == kBytes) return {};
  return make_preallocated_file(path_, kBytes);
}

bool Ballast::release() const { return unlink(path_.c_str()) == 0; }

}  // namespace vt
