#include "orchestrator/engine/next_step.hpp"

namespace vt {

namespace {

using Kind = Finding::Kind;

constexpr StepRule kRules[] = {
    {Kind::auth, NextStep::stop, "auth", "the same credentials are wrong everywhere"},
    {Kind::quota, NextStep::stop, "quota", "the account's limit holds in every zone"},
    {Kind::region_quota, NextStep::next, "region-quota", "another region or market has a limit of its own"},
    {Kind::stock_out, NextStep::next, "stock-out", "another zone or market may have capacity"},
    {Kind::policy, NextStep::stop, "policy", "the request itself is not acceptable"},
    {Kind::not_found, NextStep::next, "not-found", "another zone may offer it"},
    {Kind::price, NextStep::next, "price", "no price, no host; another offer may have one"},
    {Kind::funds, NextStep::stop, "funds", "the account is out of money"},
    {Kind::network, NextStep::next, "network", "nothing was sent, so nothing was made"},
    {Kind::rate, NextStep::wait_and_retry, "rate", "turned away unread, with the time to come back"},
    {Kind::unready, NextStep::elsewhere, "unready", "given back; another machine may be in order"},
    {Kind::lost, NextStep::elsewhere, "lost", "taken away by the provider before it could be used"},
    {Kind::missing_tool, NextStep::stop, "missing-tool", "nothing can be done without it"},
    {Kind::unsupported, NextStep::stop, "unsupported", "this version cannot do it"},
};

}  // namespace

const StepRule& rule_for(Kind kind) {
  for (auto& rule : kRules)
    if (rule.kind == kind) return rule;
  return kRules[4];
}

Kind kind_of(Errc code) {
  switch (code) {
    case Errc::auth: return Kind::auth;
    case Errc::quota: return Kind::quota;
    case Errc::region_quota: return Kind::region_quota;
    case Errc::capacity: return Kind::stock_out;
    case Errc::lost: return Kind::lost;
    case Errc::timeout:
    case Errc::transport:
    case Errc::not_found: return Kind::unready;
    default: return Kind::policy;
  }
}

Errc code_for(Kind kind) {
  switch (kind) {
    case Kind::auth: return Errc::auth;
    case Kind::quota: return Errc::quota;
    case Kind::region_quota: return Errc::region_quota;
    case Kind::stock_out: return Errc::capacity;
    case Kind::not_found: return Errc::not_found;
    case Kind::network:
    case Kind::rate: return Errc::transport;
    case Kind::unready: return Errc::timeout;
    case Kind::lost: return Errc::lost;
    default: return Errc::refused;
  }
}

}  // namespace vt
