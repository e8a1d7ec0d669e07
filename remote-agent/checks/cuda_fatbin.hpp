#pragma once
#include <set>
#include <string>

#include "orchestrator/model/result.hpp"

namespace vt::checks {

/// For which GPUs a program or library holds device code.
struct DeviceCode {
  /// One architecture: sm = 120 and suffix 'a' is sm_120a (exactly that GPU), 'f' its family (the same major version from there on).
  struct Architecture {
    int sm = 0;
    char suffix = 0;
    auto operator<=>(const Architecture&) const = default;
  };
  std::set<Architecture> native, ptx;
  [[nodiscard]] bool runs_on(int sm) const;       ///< machine code: the same major version, an equal or lower minor one
  [[nodiscard]] bool compiles_for(int sm) const;  ///< PTX that the driver can compile for it when the program starts
  [[nodiscard]] bool empty() const { return native.empty() && ptx.empty(); }
  /// "sm_80, sm_90a, PTX compute_90"; "none"
  [[nodiscard]] std::string text() const;
};

/// Reads the headers of all fat binaries in an ELF file (its sections .nv_fatbin and __nv_relfatbin), or of a bare .fatbin or .cubin
/// file; only headers are read, whatever its size. A library without device code is no error.
Result<DeviceCode> read_device_code(const std::string& path);

}  // namespace vt::checks
