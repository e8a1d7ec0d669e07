#include "providers/emulator/runpod/api.hpp"

namespace vt::emulator::runpod {

void add_account(const std::shared_ptr<Account>& account) {
  route(account, "GET", "/v2/account/ssh-keys", CallKind::get, [](Account& a, const Call&) { return json_reply({{"keys", a.ssh_keys}}); });
  route(account, "PUT", "/v2/account/ssh-keys", CallKind::change, [](Account& a, const Call& call) {
    json body;
    if (auto refusal = refuse_body(call, "UpdateSshKeysRequest", body)) return *refusal;
    a.ssh_keys = body["keys"];
    return json_reply({{"keys", a.ssh_keys}});
  });
}

}  // namespace vt::emulator::runpod
