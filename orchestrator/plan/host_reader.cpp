#include "orchestrator/plan/fields.hpp"
#include "orchestrator/plan/plan_context.hpp"
#include "orchestrator/plan/scalars.hpp"

namespace vt {

namespace {

constexpr std::string_view kLocal = "local";  ///< the one provider whose host has no address: this machine
constexpr std::string_view kFingerprint = "\"SHA256:\" and 43 characters of base64, as ssh-keygen -l prints it";

void check_identity_of_host(const yaml::Fields& fields) {
  bool pinned = fields.find("host-key"), known = fields.find("known-hosts");
  if (pinned == known)
    complain(fields.problems(), fields.node().where,
             std::string(pinned ? "a host has both 'host-key' and 'known-hosts'" : "a host has no 'host-key'") +
                 "; expected exactly one of host-key, known-hosts");
  if (auto key = fields.find("jump-key"); key && !fields.find("jump"))
    complain(fields.problems(), key->where, "jump-key without jump; expected both");
  if (auto jump = fields.find("jump"); jump && !fields.find("jump-key"))
    complain(fields.problems(), jump->where, "jump without jump-key; expected the fingerprint of that host too");
}

HostSpec read_host(const yaml::Node& node, const std::string& provider, PlanContext& context) {
  HostSpec host;
  host.where = node.where;
  static const std::vector<std::string> keys{"address",     "port", "user",     "identity", "agent",    "host-key",
                                             "known-hosts", "jump", "jump-key", "serial",   "exclusive"};
  yaml::Fields fields(node, "a host", keys, context.problems);
  bool local = provider == kLocal && !fields.find("address");
  if (!local) fields.need("address");
  fields.read("address", host.address, is_address, "a DNS name or an IP address");
  fields.read("port", host.port, 1, 65'535);
  fields.read("user", host.user, is_user_name, "a login name: [a-z_][a-z0-9_-]{0,31}");
  fields.read("identity", host.identity);
  fields.read("agent", host.agent);
  fields.read("host-key", host.host_key, is_fingerprint, kFingerprint);
  fields.read("known-hosts", host.known_hosts);
  fields.read("jump", host.jump, is_jump, "user@host or user@host:port");
  fields.read("jump-key", host.jump_key, is_fingerprint, kFingerprint);
  fields.read("serial", host.serial);
  fields.read("exclusive", host.exclusive);
  if (!local && node.kind == yaml::Node::Kind::map) check_identity_of_host(fields);
  return host;
}

}  // namespace

std::vector<HostSpec> read_hosts(const yaml::Node& layer, const std::string& provider, PlanContext& context) {
  std::vector<HostSpec> hosts;
  auto node = layer.find("hosts");
  if (!node && provider == kLocal) hosts.emplace_back().where = layer.where;
  if (!node) return hosts;
  if (node->kind != yaml::Node::Kind::list || node->items.empty())
    complain(context.problems, node->where, "hosts" + is_what(*node) + "; expected a list of hosts, [{address: …}]");
  for (auto& item : node->items) hosts.push_back(read_host(item, provider, context));
  return hosts;
}

}  // namespace vt
