#include "providers/bare_metal/bare_metal.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "providers/existing_hosts.hpp"

namespace vt {

namespace {

Finding stops(Finding::Kind kind, std::string what, std::string remedy) {
  return {kind, Finding::Weight::stops, std::move(what), std::move(remedy)};
}

/// What is wrong with the private key file, if anything.
void check_identity(const HostSpec& host, std::vector<Finding>& findings) {
  if (host.identity.empty()) return;
  struct stat st {};
  if (stat(host.identity.c_str(), &st) != 0 || access(host.identity.c_str(), R_OK) != 0) {
    findings.push_back(stops(Finding::Kind::not_found,
                             host.address + ": identity " + host.identity + " cannot be read: " + std::strerror(errno),
                             "name an existing private key of yours"));
  } else if (!S_ISREG(st.st_mode)) {
    findings.push_back(
        stops(Finding::Kind::auth, host.address + ": identity " + host.identity + " is not a file", "name the private key file"));
  } else if (st.st_mode & 077) {
    findings.push_back(
        stops(Finding::Kind::auth, host.address + ": identity " + host.identity + " can be read by others", "chmod 600 " + host.identity));
  }
}

/// Nobody is asked to trust a key on first use, so the plan must say which one it is.
void check_host_key(const HostSpec& host, std::vector<Finding>& findings) {
  if (host.host_key.empty() && host.known_hosts.empty())
    findings.push_back(stops(Finding::Kind::policy, host.address + ": no host key is pinned",
                             "add host-key: \"SHA256:...\" or known-hosts: FILE; `ssh-keygen -lf` on the host shows the fingerprint"));
  else if (!host.host_key.empty() && !host.host_key.starts_with("SHA256:"))
    findings.push_back(stops(Finding::Kind::policy, host.address + ": host key \"" + host.host_key + "\" is not a SHA256: fingerprint",
                             "`ssh-keygen -lf` shows it in that form"));
  else if (host.host_key.empty() && access(host.known_hosts.c_str(), R_OK) != 0)
    findings.push_back(stops(Finding::Kind::not_found,
                             host.address + ": known-hosts " + host.known_hosts + " cannot be read: " + std::strerror(errno),
                             "name an existing file, or pin host-key"));
  if (!host.jump.empty() && host.jump_key.empty())
    findings.push_back(stops(Finding::Kind::policy, host.address + ": no host key is pinned for the jump host " + host.jump,
                             "add jump-key: \"SHA256:...\""));
}

/// The user's own hosts over SSH, one rank each, in the plan's order.
class BareMetal final : public ExistingHosts {
 public:
  /// What a machine in a rack can do is the user's knowledge; the plan declares it.
  [[nodiscard]] Capabilities predict(const Layer& layer) const override {
    Capabilities known;
    for (auto& [id, value] : layer.declares) known.set({id, value, "declared in the plan", FactOrigin::declared, FactScope::host});
    return known;
  }

  std::vector<Finding> preflight(const Layer& layer) override {
    std::vector<Finding> findings;
    if (layer.hosts.empty()) findings.push_back(stops(Finding::Kind::policy, layer.name + ": no hosts", "add hosts: [{address: ...}]"));
    for (auto& host : layer.hosts) check_identity(host, findings), check_host_key(host, findings);
    return findings;
  }

  /// Whether they answer shows when they are connected to.
  Result<Allocation> wait_ready(const Layer& layer, const Resource&, Deadline) override {
    Allocation allocation;
    for (auto& host : layer.hosts) allocation.hosts.push_back({host.address, static_cast<int>(allocation.hosts.size()), host});
    if (allocation.hosts.empty()) return fail(Errc::config, layer.name + ": no hosts");
    return allocation;
  }
};

}  // namespace

std::unique_ptr<Provider> make_bare_metal(const ProviderContext&) { return std::make_unique<BareMetal>(); }

}  // namespace vt
