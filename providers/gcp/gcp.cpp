#include "providers/gcp/gcp.hpp"

#include <algorithm>
#include <mutex>
#include <set>

#include "providers/gcp/api.hpp"
#include "providers/gcp/candidates.hpp"
#include "providers/gcp/create.hpp"
#include "providers/gcp/fate.hpp"
#include "providers/gcp/instance_key.hpp"
#include "providers/gcp/listing.hpp"
#include "providers/gcp/preflight.hpp"
#include "providers/gcp/ready.hpp"
#include "providers/gcp/teardown.hpp"
#include "providers/gcp/wish.hpp"
#include "providers/options.hpp"
#include "providers/predict.hpp"

namespace vt {

namespace {

using std::chrono::seconds;

constexpr seconds kTeardown{120};      ///< an instance with a GPU takes about a minute
constexpr seconds kLeastTeardown{20};  ///< however fast the other side claims to be

/// What goes into paths and files: the names that the ledger gives.
bool is_our_name(const std::string& name) {
  return name.starts_with("vt-") && name.size() <= 63 &&
         std::all_of(name.begin(), name.end(), [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-'; });
}

Finding wrong_plan(const Error& error) {
  return {Finding::Kind::policy, Finding::Weight::stops, error.what, "correct the layer; docs/setup-gcp.md lists its keys"};
}

/// Virtual machines of Compute Engine through its REST API.
class Gcp final : public Provider {
 public:
  Gcp(ProviderContext context, std::unique_ptr<Http> http, std::unique_ptr<GcpCredentials> credentials)
      : context_(std::move(context)),
        clock_(context_.clock ? *context_.clock : system_clock_),
        http_(std::move(http)),
        credentials_(std::move(credentials)),
        projects_(context_.accounts.begin(), context_.accounts.end()) {
    for (auto name : {"GCP_PROJECT", "GOOGLE_CLOUD_PROJECT", "CLOUDSDK_CORE_PROJECT"})
      if (context_.cloud.environment) remember(context_.cloud.environment(name));
  }

  [[nodiscard]] Capabilities predict(const Layer& layer) const override {
    auto p = predict_machine("google", "a Compute Engine virtual machine");
    p.add("image.build", true, "disks become images on Compute Engine");
    auto wish = gcp::wish_of(layer);
    auto machine = wish ? wish->machine : gcp::machine_of(option(layer, "machine"));
    if (int gpus = wish ? wish->gpus() : machine.gpus; gpus > 0) {
      p.add("gpu", gpus, machine.name + " has " + std::to_string(gpus));
      if (gpus == 1) p.add("gpu.p2p", false, machine.name + " has one GPU");
    }
    return p.take();
  }

  [[nodiscard]] Quote quote(const Layer& layer) const override {
    auto wish = gcp::wish_of(layer);
    return gcp::quote_of(wish ? gcp::candidates_of(*wish, gcp::read_prices(context_.prices)) : std::vector<Candidate>{});
  }

  std::vector<Finding> preflight(const Layer& layer) override {
    auto project = gcp::project_of(layer);
    if (!project) return {wrong_plan(project.error())};
    auto wish = gcp::wish_of(layer);
    if (!wish) return {wrong_plan(wish.error())};
    auto api = this->api();
    if (!api)
      return {{Finding::Kind::auth, Finding::Weight::stops, api.error().what,
               "give credentials, for example through GOOGLE_APPLICATION_CREDENTIALS; see docs/setup-gcp.md"}};
    return gcp::preflight(**api, *wish, *project, context_.prices);
  }

  Result<std::vector<Candidate>> candidates(const Layer& layer) override {
    VT_TRY(gcp::Wish wish, gcp::wish_of(layer));
    auto all = gcp::candidates_of(wish, gcp::read_prices(context_.prices));
    reorder(all);
    return all;
  }

  void reorder(std::vector<Candidate>& candidates) const override {
    std::lock_guard lock(mutex_);
    gcp::apply(hint_, candidates);
  }

  [[nodiscard]] std::string account(const Layer& layer) const override { return gcp::project_of(layer).value_or(""); }
  [[nodiscard]] bool existing_hosts() const override { return false; }
  [[nodiscard]] Duration confirm_spacing() const override { return context_.cloud.paced(seconds(10)); }
  [[nodiscard]] Duration late_appearance() const override { return context_.cloud.paced(std::chrono::hours(24)); }

  CreateOutcome create(const Layer& layer, const Resource& r) override {
    if (!is_our_name(r.owner.name) || r.account.empty() || r.zone.empty() || r.machine.empty() || r.request_id.empty())
      return Refused{Finding::Kind::policy, "the row names no project, zone, machine or request: " + r.owner.name};
    auto wish = gcp::wish_of(layer);
    if (!wish) return Refused{Finding::Kind::policy, wish.error().what};
    auto api = this->api();
    if (!api) return Refused{Finding::Kind::auth, api.error().what};
    auto key = gcp::instance_key(context_.state_dir, r.owner.name);
    if (!key) return Refused{Finding::Kind::policy, key.error().what};
    remember(r.account);
    return gcp::create_instance(**api, *wish, r, *key);
  }

  Result<Allocation> wait_ready(const Layer& layer, const Resource& r, Deadline deadline) override {
    VT_TRY(gcp::Wish wish, gcp::wish_of(layer));
    VT_TRY(gcp::Api * api, this->api());
    HostSpec login;
    login.port = context_.cloud.gcp_ssh_port;
    login.user = context_.cloud.gcp_login.empty() ? wish.user : context_.cloud.gcp_login;
    login.identity = gcp::key_path(context_.state_dir, r.owner.name);
    login.exclusive = true;
    remember(r.account);
    gcp::ReadyWatch watch(*api, r, login, wish.public_address);
    auto ready = watch.until(deadline);
    if (!watch.hint().machine.empty()) remember(watch.hint());
    if (!ready) return fail(ready.error());
    return Allocation{{Host{"host0", 0, *ready, r.owner.name}}, r.owner.name};
  }

  Result<std::string> fate(const Resource& r) override {
    VT_TRY(gcp::Api * api, this->api());
    remember(r.account);
    return gcp::fate_of(*api, r);
  }

  Status destroy(const Resource& r) override {
    if (!is_our_name(r.owner.name) || r.account.empty() || (r.zone.empty() && r.kind != "image"))
      return fail(Errc::config, "\"" + r.owner.name + "\" is not a thing of ours at Compute Engine with a project and a zone");
    VT_TRY(gcp::Api * api, this->api());
    remember(r.account);
    auto time = std::max<Duration>(context_.cloud.paced(kTeardown), kLeastTeardown);
    VT_CHECK(gcp::tear_down(*api, r, Deadline::after(time)));
    if (r.kind == "host") gcp::forget_instance_key(context_.state_dir, r.owner.name);
    return {};
  }

  Result<Listing> list_owned(const std::string& install) override {
    auto projects = known_projects();
    if (projects.empty()) return fail(Errc::config, "no project is known; set GCP_PROJECT");
    VT_TRY(gcp::Api * api, this->api());
    return gcp::list_projects(*api, projects, install);
  }

  /// Whatever else is unreadable, a thing's own project tells whether it is there.
  Result<Listing> list_near(const Resource& r) override {
    if (r.account.empty()) return list_owned(r.owner.install);
    VT_TRY(gcp::Api * api, this->api());
    remember(r.account);
    return gcp::list_projects(*api, {r.account}, r.owner.install);
  }

 private:
  /// Made at first use: planning needs no credentials.
  Result<gcp::Api*> api() {
    std::lock_guard lock(mutex_);
    if (api_) return &*api_;
    if (!http_) http_ = make_http(http_rules(context_.cloud));
    if (!credentials_) VT_CHECK(find_credentials());
    api_.emplace(context_.cloud, *http_, *credentials_, clock_);
    return &*api_;
  }
  Status find_credentials() {
    VT_TRY(credentials_, find_gcp_credentials(context_.cloud, *http_, clock_));
    return {};
  }

  /// A listing must cover every project that anything of ours may be in.
  void remember(const std::string& project) {
    std::lock_guard lock(mutex_);
    if (!project.empty()) projects_.insert(project);
  }
  void remember(const gcp::Hint& hint) {
    std::lock_guard lock(mutex_);
    hint_ = hint;
  }
  std::vector<std::string> known_projects() {
    std::lock_guard lock(mutex_);
    return {projects_.begin(), projects_.end()};
  }

  const ProviderContext context_;
  SystemClock system_clock_;
  const Clock& clock_;
  mutable std::mutex mutex_;
  std::unique_ptr<Http> http_;
  std::unique_ptr<GcpCredentials> credentials_;
  std::optional<gcp::Api> api_;
  std::set<std::string> projects_;
  gcp::Hint hint_;
};

}  // namespace

std::unique_ptr<Provider> make_gcp(const ProviderContext& context) { return make_gcp(context, nullptr, nullptr); }

std::unique_ptr<Provider> make_gcp(const ProviderContext& context, std::unique_ptr<Http> http,
                                   std::unique_ptr<GcpCredentials> credentials) {
  return std::make_unique<Gcp>(context, std::move(http), std::move(credentials));
}

}  // namespace vt
