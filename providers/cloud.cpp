#include "providers/cloud.hpp"

namespace vt {

HttpRules http_rules(const CloudAccess& cloud) { return {cloud.reach, "vault-test/" VT_VERSION, ""}; }

}  // namespace vt
