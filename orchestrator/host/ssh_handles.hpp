#pragma once
#include <libssh/libssh.h>

#include <memory>

namespace vt {

/// libssh's own objects. Included by the ssh_*.cpp files only.
template <auto Free>
struct FreeWith {
  template <class T>
  void operator()(T* p) const {
    Free(p);
  }
};
using SshSessionHandle = std::unique_ptr<ssh_session_struct, FreeWith<ssh_free>>;
using SshKeyHandle = std::unique_ptr<ssh_key_struct, FreeWith<ssh_key_free>>;

}  // namespace vt
