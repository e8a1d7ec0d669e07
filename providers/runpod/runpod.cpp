#include "providers/runpod/runpod.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "providers/options.hpp"
#include "providers/predict.hpp"
#include "providers/runpod/api.hpp"
#include "providers/runpod/catalogue.hpp"
#include "providers/runpod/create_body.hpp"
#include "providers/runpod/preflight.hpp"
#include "providers/runpod/ready.hpp"

namespace vt {

namespace {

using std::chrono::seconds;

class RunPod final : public Provider {
 public:
  RunPod(const ProviderContext& context, std::unique_ptr<Http> http)
      : state_dir_(context.state_dir),
        cloud_(context.cloud),
        clock_(context.clock ? *context.clock : system_clock_),
        http_(std::move(http)),
        api_(cloud_, *http_) {}

  [[nodiscard]] std::vector<std::string> needs_environment() const override { return {"RUNPOD_API_KEY"}; }
  [[nodiscard]] bool existing_hosts() const override { return false; }
  [[nodiscard]] Duration confirm_spacing() const override { return cloud_.paced(seconds(10)); }
  [[nodiscard]] Duration late_appearance() const override { return cloud_.paced(std::chrono::hours(24)); }

  [[nodiscard]] Capabilities predict(const Layer& layer) const override {
    auto p = predict_pod();
    p.add("host.root", true, "pods are entered as root", FactScope::login);
    p.add("dmesg.read", false, "pods lack CAP_SYSLOG", FactScope::login);
    p.add("virt.container", "docker", "pods are Docker containers");
    auto gpu = option(layer, "gpu");
    auto gpus = count_option(layer, "gpus").value_or(1);
    p.add("gpu", gpus, std::to_string(gpus) + " x " + gpu);
    if (gpus == 1) p.add("gpu.p2p", false, "the pod has one GPU");
    // The stock driver reports peer access between GeForce RTX 5090 as not supported.
    else if (gpu.ends_with("RTX 5090")) p.add("gpu.p2p", false, "the stock driver has no peer access between RTX 5090");
    return p.take();
  }

  /// Prices come from RunPod's catalogue, which only candidates() asks. The times: an image of 16 GB took 170 s to arrive
  /// (alignment-hive issue 98), installing the SSH server some tens of seconds more.
  [[nodiscard]] Quote quote(const Layer& layer) const override {
    Quote quote;
    quote.known = false;
    quote.market = option(layer, "cloud", "SECURE");
    quote.start_low = cloud_.paced(seconds(45));
    quote.start_high = cloud_.paced(seconds(300));
    return quote;
  }

  std::vector<Finding> preflight(const Layer& layer) override {
    auto wish = runpod::wish_of(layer);
    if (!wish) return {{Finding::Kind::policy, Finding::Weight::stops, wish.error().what, "see docs/setup-runpod.md"}};
    return runpod::preflight(api_, *wish, clock_);
  }

  Result<std::vector<Candidate>> candidates(const Layer& layer) override {
    VT_TRY(auto wish, runpod::wish_of(layer));
    VT_TRY(auto catalogue, runpod::Catalogue::read(api_, wish));
    return catalogue.candidates(wish, clock_.wall());
  }

  CreateOutcome create(const Layer& layer, const Resource& resource) override {
    auto wish = runpod::wish_of(layer);
    if (!wish) return Refused{Finding::Kind::policy, wish.error().what};
    if (!api_.has_key()) return Refused{Finding::Kind::auth, "RUNPOD_API_KEY is not set"};
    auto keys = runpod::make_pod_keys(state_dir_, resource.owner.name, api_.key_mark());
    if (!keys) return Refused{Finding::Kind::policy, keys.error().what};
    auto outcome = api_.create(runpod::create_body(*wish, resource, *keys, cloud_, clock_.wall()));
    if (std::holds_alternative<Refused>(outcome)) runpod::forget_pod(state_dir_, resource.owner.name);
    return outcome;
  }

  Result<Allocation> wait_ready(const Layer& layer, const Resource& resource, Deadline deadline) override {
    VT_TRY(auto wish, runpod::wish_of(layer));
    VT_TRY(auto known, runpod::known_pod(state_dir_, resource.owner.name));
    return runpod::Waiting(api_, cloud_, clock_, wish).run(resource, known, deadline);
  }

  Result<std::string> fate(const Resource& resource) override {
    auto pod = api_.pod(resource.provider_id);
    if (pod) return pod->ended();
    if (pod.error().code != Errc::not_found) return fail(pod.error());
    return std::string("RunPod does not know the pod any more; it was ended there, by its owner or for want of funds");
  }

  Status destroy(const Resource& resource) override {
    bool there = false;
    if (!resource.provider_id.empty()) { VT_TRY(there, remove(resource, resource.provider_id)); }
    if (!there) { VT_TRY(there, remove_by_name(resource)); }
    // Accepted is not gone, and until it is gone the mark of its key is what tells it from a pod that this account never had.
    if (!resource.provider_id.empty() && (!there || is_gone(resource.provider_id))) runpod::forget_pod(state_dir_, resource.owner.name);
    return {};
  }

  /// A key of another account shows none of our pods and proves nothing: see foreign_pods().
  Result<Listing> list_owned(const std::string& install) override {
    VT_TRY(Listing listing, list(install));
    listing.complete = foreign_pods(listing).empty() && listing.complete;
    return listing;
  }

  Result<Listing> list_near(const Resource& resource) override {
    VT_TRY(Listing listing, list(resource.owner.install));
    listing.complete = !foreign_pods(listing).contains(resource.owner.name) && listing.complete;
    return listing;
  }

  Result<std::optional<Money>> billed(const Resource& resource) override {
    if (resource.provider_id.empty()) return std::optional<Money>();
    VT_TRY(Json body, api_.get("billing/pods?bucketSize=hour&podId=" + resource.provider_id +
                               "&startTime=" + utc_text(resource.created - kBucketMs) + "&endTime=" + utc_text(clock_.wall() + kBucketMs)));
    auto& records = json_member(body, "records");
    if (!records.is_array()) return fail(Errc::transport, "the reply is no list of bills");
    std::optional<Money> sum;
    for (auto& record : records)
      if (auto amount = json_usd(record, "totalAmount"); amount && json_text(record, "podId") == resource.provider_id)
        sum = sum.value_or(Money{}) + *amount;
    return sum;
  }

 private:
  static constexpr EpochMs kBucketMs = 3'600'000;  ///< bills come by the hour

  /// False if it is gone already. That only another account does not know a pod is no such proof.
  Result<bool> remove(const Resource& resource, const std::string& id) {
    auto removed = api_.remove(id);
    if (removed) return true;
    if (removed.error().code != Errc::not_found) return fail(removed.error());
    auto known = runpod::known_pod(state_dir_, resource.owner.name);
    if (!known || known->key_mark == api_.key_mark()) return false;
    return fail(Errc::auth,
                "RunPod does not know the pod " + id +
                    " under this RUNPOD_API_KEY, but it was made with another one; set that, or end the pod at console.runpod.io");
  }

  /// Where its id is not known; or it is gone, but something between us and RunPod sent the request twice and this is the other.
  /// Whether there was any.
  Result<bool> remove_by_name(const Resource& resource) {
    VT_TRY(Listing listing, list(resource.owner.install));
    bool any = false;
    for (auto& seen : listing.resources) {
      if (seen.owner.name != resource.owner.name || seen.owner.token != resource.owner.token) continue;
      VT_TRY(bool there, remove(resource, seen.provider_id));
      any = any || there;
    }
    if (!listing.complete) return fail(Errc::transport, "RunPod's list of pods is not complete");
    return any;
  }

  bool is_gone(const std::string& id) {
    auto pod = api_.pod(id);
    return !pod && pod.error().code == Errc::not_found;
  }

  Result<Listing> list(const std::string& install) {
    VT_TRY(auto pods, api_.pods());
    Listing listing;
    listing.complete = pods.complete;
    for (auto& pod : pods.pods)
      if (runpod::has_mark(pod, install)) listing.resources.push_back(runpod::resource_of(pod));
    return listing;
  }

  /// Names of the pods that were made with an API key of, as far as we know, another account. Where one of a key's pods is listed
  /// under ours, both keys are of one account and that is noted for all of them. Keys of pods that went unnoticed are forgotten.
  std::set<std::string> foreign_pods(const Listing& listing) {
    std::set<std::string> shown, foreign;
    for (auto& seen : listing.resources) shown.insert(seen.owner.name);
    auto known = runpod::known_pods(state_dir_);
    auto mark = api_.key_mark();
    std::set<std::string> of_this_account;
    for (auto& [name, made_with] : known)
      if (shown.contains(name)) of_this_account.insert(made_with);
    for (auto& [name, made_with] : known) {
      bool over = !shown.contains(name) && runpod::age_of_keys(state_dir_, name, clock_.wall()) > late_appearance();
      if (made_with == mark) {
        if (over && listing.complete) runpod::forget_pod(state_dir_, name);
      } else if (!of_this_account.contains(made_with) || !runpod::change_key_mark(state_dir_, name, mark)) {
        foreign.insert(name);
      }
    }
    return foreign;
  }

  SystemClock system_clock_;
  std::string state_dir_;
  CloudAccess cloud_;
  const Clock& clock_;
  std::unique_ptr<Http> http_;
  runpod::Api api_;
};

}  // namespace

std::unique_ptr<Provider> make_runpod(const ProviderContext& context, std::unique_ptr<Http> http) {
  return std::make_unique<RunPod>(context, std::move(http));
}
std::unique_ptr<Provider> make_runpod(const ProviderContext& context) { return make_runpod(context, make_http(http_rules(context.cloud))); }

}  // namespace vt
