#include "orchestrator/host/ssh_transport.hpp"

#include "orchestrator/host/ssh_options.hpp"
#include "orchestrator/host/ssh_stream.hpp"

namespace vt {

namespace {

class SshTransport final : public Transport {
 public:
  SshTransport(std::shared_ptr<SshConnection> connection, std::string where)
      : connection_(std::move(connection)), where_(std::move(where)) {}

  [[nodiscard]] Traits traits() const override { return {.survives_disconnect = true, .survives_reboot = true, .has_pty = false}; }
  Result<std::unique_ptr<Stream>> open(std::string_view command, Deadline deadline) override {
    return open_ssh_stream(connection_, command, deadline);
  }
  [[nodiscard]] std::string where() const override { return where_; }

 private:
  std::shared_ptr<SshConnection> connection_;
  std::string where_;
};

}  // namespace

Result<std::unique_ptr<Transport>> connect_ssh(const HostSpec& host, Deadline deadline) {
  VT_TRY(auto connection, SshConnection::open(host, deadline));
  return std::make_unique<SshTransport>(std::move(connection), endpoint_text(host));
}

}  // namespace vt
