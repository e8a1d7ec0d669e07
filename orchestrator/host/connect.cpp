#include "orchestrator/host/local_transport.hpp"
#include "orchestrator/host/ssh_transport.hpp"

namespace vt {

Result<std::unique_ptr<Transport>> connect(const Host& host, Deadline deadline) {
  if (host.access.address.empty()) return make_local_transport();
  return connect_ssh(host.access, deadline);
}

}  // namespace vt
