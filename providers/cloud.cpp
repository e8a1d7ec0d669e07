#include "providers/cloud.hpp"

#include <arpa/inet.h>

namespace vt {

bool may_enter(const CloudAccess& cloud, const std::string& address) {
  in_addr parsed{};
  bool here = inet_pton(AF_INET, address.c_str(), &parsed) == 1 && ntohl(parsed.s_addr) >> 24 == 127;
  return here || cloud.reach == HttpRules::Reach::internet;
}

HttpRules http_rules(const CloudAccess& cloud) { return {cloud.reach, "vault-test/" VT_VERSION, "", cloud.urgent}; }

}  // namespace vt
