#include "providers/runpod/ready.hpp"

#include <algorithm>

#include "orchestrator/model/failpoint.hpp"
#include "orchestrator/model/text.hpp"
#include "orchestrator/model/version.hpp"
#include "providers/nap.hpp"

namespace vt::runpod {

namespace {

using std::chrono::seconds;

constexpr Duration kBetweenLooks = seconds(5);
/// The watchdog asks the API each 15 s until it is answered.
constexpr Duration kProofPatience = seconds(75);
constexpr Duration kLoginTimeout = seconds(15);

/// More than a fifth above the price that the caps were reserved for is another price.
constexpr std::int64_t kPriceSlack = 5;

constexpr const char* kProved = "proved ";
constexpr const char* kNoLogin = "no login: ";

/// Says that somebody came, and reads what the watchdog found out.
constexpr const char* kReadProof = ": >\"$VT_DIR/contact\" && cat \"$VT_DIR/lease-proof\" 2>/dev/null";

/// Its port and address are read again at every look: RunPod shows an old port for a while after a pod was moved.
Host host_of(const SshEndpoint& ssh, const Resource& r, const KnownPod& known) {
  Host host;
  host.name = "host0";
  host.resource = r.owner.name;
  host.access.address = ssh.host, host.access.port = ssh.port, host.access.user = ssh.user;
  host.access.identity = known.identity, host.access.host_key = known.fingerprint;
  host.access.exclusive = true;
  return host;
}

}  // namespace

/// What no waiting cures.
Status Waiting::judge(const Resource& r, const Pod& pod) const {
  if (auto ended = pod.ended(); !ended.empty()) return fail(Errc::lost, ended);
  if (r.hourly.micro > 0 && pod.hourly.micro > r.hourly.micro + r.hourly.micro / kPriceSlack)
    return fail(Errc::timeout, "RunPod bills " + pod.hourly.text() + " an hour, " + r.hourly.text() + " was the price");
  auto has = Version::parse(pod.cuda), needs = Version::parse(wish_.min_cuda);
  if (has && needs && *has < *needs)
    return fail(Errc::timeout, "wrong driver: the pod's host offers CUDA " + printable(pod.cuda) + ", the plan needs " + wish_.min_cuda);
  if (pod.gpu_count == 0) return fail(Errc::timeout, "no GPU: RunPod made the pod without one");
  if (pod.ssh && pod.gpus_seen == 0) return fail(Errc::timeout, "no GPU: the pod's host shows none");
  return {};
}

Result<std::string> Waiting::read_proof(Transport& host, Deadline deadline) {
  auto until = deadline.earlier(cloud_.paced(kProofPatience));
  std::string said = "nothing";
  while (true) {
    VT_FAILPOINT("runpod.lease_proof");
    VT_TRY(ExecResult result, exec(host, kReadProof, "", deadline.earlier(kLoginTimeout)));
    if (auto text = trim(result.out); !text.empty()) said = printable(cut_text(text, 200));
    if (said.starts_with(kProved) || until.passed()) return said;
    if (!nap(cloud_, clock_, seconds(2), until)) return fail(Errc::cancelled, "interrupted");
  }
}

Result<std::optional<Host>> Waiting::enter(const Host& host, Deadline deadline) {
  auto transport = connect(host, deadline.earlier(kLoginTimeout));
  // A port that RunPod shows late may be another pod's by now: its host key is not ours, nothing was sent, and it is looked at again.
  if (!transport) {
    bool cut_short = deadline.passed() && why_.starts_with(kNoLogin);  // says less than the attempt before it
    if (!cut_short) why_ = std::string(kNoLogin) + transport.error().what;
    return std::optional<Host>();
  }
  auto said = read_proof(**transport, deadline);
  if (said && (said->starts_with(kProved) || wish_.accept_weak_lease)) return std::optional(host);
  // Another machine of RunPod's may let its pods reach the API, so this one is given back.
  if (said)
    return fail(Errc::timeout, "the pod has not proved that it can end itself when its lease is over (its watchdog says: " + *said +
                                   "); `accept-weak-lease: true` uses it all the same");
  if (!said.error().retryable()) return fail(said.error());
  why_ = std::string(kNoLogin) + said.error().what;
  return std::optional<Host>();
}

Result<std::optional<Host>> Waiting::look(const Resource& r, const KnownPod& known, Deadline deadline) {
  auto pod = api_.pod(r.provider_id);
  if (!pod) {
    if (pod.error().code == Errc::not_found && seen_) return fail(Errc::lost, "RunPod does not know the pod any more");
    // Right after its creation a pod may not be there yet, and a lost reply says nothing.
    if (pod.error().code != Errc::not_found && !pod.error().retryable()) return fail(pod.error());
    why_ = pod.error().what;
    return std::optional<Host>();
  }
  seen_ = true;
  VT_CHECK(judge(r, *pod));
  if (!pod->ssh) {
    why_ = "RunPod gave it no public port for SSH (it is " + pod->status_text + ")";
    return std::optional<Host>();
  }
  if (!may_enter(cloud_, pod->ssh->host))
    return fail(Errc::refused, "a rehearsal enters hosts of this machine only, and this pod is at " + pod->ssh->host);
  return enter(host_of(*pod->ssh, r, known), deadline);
}

Result<Allocation> Waiting::run(const Resource& r, const KnownPod& known, Deadline deadline) {
  while (true) {
    VT_TRY(std::optional<Host> host, look(r, known, deadline));
    if (host) return Allocation{{*host}, r.owner.name};
    if (deadline.passed()) return fail(Errc::timeout, "the pod did not become ready in time: " + why_);
    if (!nap(cloud_, clock_, kBetweenLooks, deadline)) return fail(Errc::cancelled, "interrupted");
  }
}

}  // namespace vt::runpod
