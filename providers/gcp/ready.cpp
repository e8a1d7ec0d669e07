#include "providers/gcp/ready.hpp"

#include <nlohmann/json.hpp>

#include "orchestrator/host/transport.hpp"
#include "orchestrator/model/text.hpp"
#include "providers/gcp/errors.hpp"
#include "providers/gcp/fate.hpp"
#include "providers/gcp/host_key.hpp"
#include "providers/gcp/json.hpp"
#include "providers/gcp/operation.hpp"
#include "providers/nap.hpp"

namespace vt::gcp {

namespace {

using std::chrono::seconds;

constexpr seconds kLookSpacing{2}, kLoginTimeout{10};

std::string address_of(const Json& instance, bool is_public) {
  auto& interfaces = member(instance, "networkInterfaces");
  if (!interfaces.is_array() || interfaces.empty()) return "";
  if (!is_public) return text_of(interfaces.front(), "networkIP");
  auto& access = member(interfaces.front(), "accessConfigs");
  return access.is_array() && !access.empty() ? text_of(access.front(), "natIP") : "";
}

}  // namespace

Result<HostSpec> ReadyWatch::until(Deadline deadline) {
  while (true) {
    auto ready = look(deadline);
    if (ready && *ready) return login_;
    // A lost reply says nothing about the instance.
    if (!ready && ready.error().code != Errc::transport) return fail(ready.error());
    if (!ready) state_ = ready.error().what;
    if (deadline.passed()) return fail(Errc::timeout, r_.owner.name + " is not ready: " + state_);
    if (!nap(api_.cloud(), api_.clock(), kLookSpacing, deadline)) return fail(Errc::cancelled, "interrupted");
  }
}

Result<bool> ReadyWatch::look(Deadline deadline) {
  if (!inserted_) VT_CHECK(look_at_operation());
  for (auto step : {&ReadyWatch::look_at_instance, &ReadyWatch::look_at_host_key}) {
    VT_TRY(bool done, (this->*step)());
    if (!done) return false;
  }
  return log_in(deadline);
}

Status ReadyWatch::look_at_operation() {
  VT_TRY(Json operation, find_insert(api_, r_.account, r_.zone, r_.request_id));
  if (text_of(operation, "status") != "DONE") return {};
  inserted_ = true;
  if (succeeded(operation)) return {};
  auto refusal = refusal_of_operation(operation);
  if (refusal.kind == Finding::Kind::stock_out) hint_ = {r_.machine, refusal.zones};
  auto error = as_error(refusal);
  if (error.code == Errc::transport) error.code = Errc::timeout;  // an answer, although no clear one: not to be asked for again
  return fail(error);
}

Result<bool> ReadyWatch::look_at_instance() {
  auto instance = api_.get(zonal(r_.account, r_.zone, "instances", r_.owner.name));
  if (!instance && instance.error().code == Errc::not_found) return absent();
  if (!instance) return fail(instance.error());
  auto status = text_of(*instance, "status");
  seen_ = true;
  if (is_ending(status)) return absent();
  state_ = "it is " + printable(status);
  if (status != "RUNNING") return false;
  login_.address = address_of(*instance, public_address_);
  if (login_.address.empty()) state_ += " without an address";
  else if (!may_enter(api_.cloud(), login_.address))
    return fail(Errc::refused, "a rehearsal enters hosts of this machine only, and this instance is at " + printable(login_.address));
  return !login_.address.empty();
}

Result<bool> ReadyWatch::look_at_host_key() {
  if (!login_.host_key.empty()) return true;
  VT_TRY(std::optional<std::string> fingerprint, host_key(api_, r_));
  if (!fingerprint) state_ = "it has not published its SSH host key; does the image run Google's guest agent?";
  else login_.host_key = *fingerprint;
  return fingerprint.has_value();
}

Result<bool> ReadyWatch::log_in(Deadline deadline) {
  auto connected = connect(Host{"host0", 0, login_, r_.owner.name}, deadline.earlier(kLoginTimeout));
  if (connected) return true;
  if (connected.error().code == Errc::host_key) return fail(connected.error());
  state_ = connected.error().what;
  return false;
}

Result<bool> ReadyWatch::absent() {
  auto ending = ending_of(api_, r_);
  if (ending && !ending->empty()) return fail(Errc::lost, r_.owner.name + ": " + *ending);
  // While the operation runs, it may just have failed and taken the instance with it: its own error says more.
  if (seen_ && inserted_) return fail(Errc::lost, r_.owner.name + ": gone, and Compute Engine does not say why");
  state_ = inserted_ ? "it was made but does not show" : "it is not there yet";
  return false;
}

}  // namespace vt::gcp
