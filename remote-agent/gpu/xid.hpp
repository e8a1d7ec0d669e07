#pragma once
#include <string>
#include <string_view>

namespace vt::gpu {

/// What an Xid, an error number of the driver's, says about a GPU. Numbers and remedies: NVIDIA's Xid catalogue as of 2025-10-29
/// (docs.nvidia.com/deploy/xid-errors/analyzing-xid-catalog.html); the classes are our reading of it.
enum class XidClass {
  fatal,    ///< hardware or driver: needs a reset, a restart or service
  warning,  ///< repaired or contained, or something waits for a reset
  program,  ///< NVIDIA blames the running program; with our own verified kernels running it is a fault all the same
  notice,
  unknown  ///< not in the catalogue: recorded, never ignored
};

struct Xid {
  XidClass kind = XidClass::unknown;
  std::string_view what;  ///< "fell off the bus"
  std::string_view todo;
};
Xid xid(int code);
/// Whether it means that a check of ours failed on that GPU.
bool fails_a_check(int code);
/// "XID 79: fell off the bus (power the machine off and on; …)"
std::string told(int code);

}  // namespace vt::gpu
