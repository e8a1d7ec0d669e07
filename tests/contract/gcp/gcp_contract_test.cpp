#include "providers/gcp/gcp.hpp"

#include "orchestrator/host/transport.hpp"
#include "orchestrator/model/uuid.hpp"
#include "tests/contract/emulated_cloud.hpp"

// The client against the emulated Compute Engine, over real HTTP, and once with a real host behind it.
using namespace vt;
using emulator::Emulator;
using emulator::HostKind;
using nlohmann::json;
using test::create;
using test::is_row;
using test::within;

namespace {

constexpr double kPace = 0.01;

/// An emulator and a client of it.
class World : public test::EmulatedCloud {
 public:
  explicit World(const std::string& faults = "", HostKind hosts = HostKind::none) : EmulatedCloud(faults, hosts, kPace) {
    if (problem().empty()) provider_ = client();
  }
  Provider& gcp() { return *provider_; }

  /// Another client with the same state, as after a crash.
  std::unique_ptr<Provider> client() { return make_gcp(context()); }

  Resource row(const Layer& layer, const std::string& market = "spot", Duration lease = std::chrono::hours(1)) {
    Resource r = EmulatedCloud::row("gcp", lease);
    r.account = provider_->account(layer), r.zone = "us-central1-b", r.market = market;
    r.machine = layer.options.at("machine").front(), r.layer = layer.name, r.request_id = new_uuid();
    return r;
  }

 private:
  std::unique_ptr<Provider> provider_;
};

Layer layer(const std::string& machine = "g4-standard-48") {
  Layer made;
  made.name = "image", made.provider = "gcp";
  made.options = {{"project", {"rehearsal"}}, {"machine", {machine}}, {"zones", {"us-central1-b", "us-west1-a"}}, {"market", {"spot"}}};
  return made;
}

std::string fault(const std::string& call, const std::string& kind, int seconds = 0) {
  return test::fault_plan("gcp", call, kind, seconds);
}

/// Kinds of what is listed under this name; "incomplete" if that cannot be said.
std::string listed(Provider& gcp, const Resource& r) {
  auto listing = gcp.list_owned("contract");
  if (!listing) return listing.error().what;
  std::string kinds = listing->complete ? "" : "incomplete";
  for (auto& seen : listing->resources)
    if (is_row(seen, r)) kinds += seen.kind + " ";
  return kinds;
}

Error wait_error(Provider& gcp, const Resource& r, int seconds = 3) {
  auto ready = gcp.wait_ready(layer(), r, within(seconds));
  return ready ? Error{Errc::internal, "ready"} : ready.error();
}

TEST(GcpContract, PreflightAcceptsWhatTheEmulatorOffers) {
  World world;
  ASSERT_EQ(world.problem(), "");
  for (auto& finding : world.gcp().preflight(layer())) EXPECT_EQ(finding.weight, Finding::Weight::warns) << finding.what;
  auto elsewhere = layer();
  elsewhere.options["zones"] = {"europe-west3-c"};
  auto findings = world.gcp().preflight(elsewhere);
  ASSERT_FALSE(findings.empty());
  EXPECT_EQ(findings[0].kind, Finding::Kind::not_found) << findings[0].what;
}

/// As the best machine that works here, and as a plain process, where only whoever runs the emulator can log in.
class GcpHosts : public ::testing::TestWithParam<HostKind> {};
INSTANTIATE_TEST_SUITE_P(Kinds, GcpHosts, ::testing::Values(HostKind::automatic, HostKind::process),
                         [](auto& kind) { return kind.param == HostKind::process ? "process" : "automatic"; });

TEST_P(GcpHosts, AMachineComesIsLoggedInToAndGoes) {
  World world("", GetParam());
  if (!world.problem().empty()) GTEST_SKIP() << world.problem();
  auto plan = layer();
  auto r = world.row(plan);
  create(world.gcp(), r, plan);
  auto ready = world.gcp().wait_ready(plan, r, within(120));
  ASSERT_TRUE(ready) << ready.error().what << "; " << world.emulator().hosts_text();
  ASSERT_EQ(ready->hosts.size(), 1U);
  EXPECT_TRUE(ready->hosts[0].access.host_key.starts_with("SHA256:"));
  auto session = connect(ready->hosts[0], within(30));
  ASSERT_TRUE(session) << session.error().what;
  auto echo = exec(**session, "echo hello", "", within(20));
  ASSERT_TRUE(echo) << echo.error().what;
  EXPECT_EQ(echo->out, "hello\n");
  EXPECT_EQ(world.gcp().fate(r).value_or("error"), "");
  EXPECT_EQ(listed(world.gcp(), r), "host disk ");
  auto destroyed = world.gcp().destroy(r);
  ASSERT_TRUE(destroyed) << destroyed.error().what;
  EXPECT_EQ(listed(world.gcp(), r), "");
}

TEST(GcpContract, AStockOutIsToldWithZonesThatHaveRoom) {
  World world(fault("create", "stockout"));
  ASSERT_EQ(world.problem(), "");
  auto plan = layer();
  auto r = world.row(plan);
  create(world.gcp(), r, plan);
  auto error = wait_error(world.gcp(), r, 20);
  EXPECT_EQ(error.code, Errc::capacity) << error.what;
  EXPECT_TRUE(world.gcp().destroy(r));
  EXPECT_EQ(listed(world.gcp(), r), "");
}

TEST(GcpContract, OverQuotaIsTheAccountsLimit) {
  World world(fault("create", "quota"));
  ASSERT_EQ(world.problem(), "");
  auto plan = layer();
  auto r = world.row(plan);
  create(world.gcp(), r, plan);
  EXPECT_EQ(wait_error(world.gcp(), r, 20).code, Errc::quota);
}

TEST(GcpContract, ALostReplyIsAmbiguousAndTheMachineIsFoundByItsMarks) {
  for (auto kind : {"lost-after", "error-after", "truncated"}) {
    World world(fault("create", kind));
    ASSERT_EQ(world.problem(), "");
    auto plan = layer();
    auto r = world.row(plan);
    EXPECT_TRUE(std::holds_alternative<Ambiguous>(world.gcp().create(plan, r))) << kind;
    EXPECT_EQ(listed(world.gcp(), r), "host disk ") << kind;
    auto after_crash = world.client();
    auto again = after_crash->create(plan, r);  // the same request: recognised, not made twice
    ASSERT_TRUE(std::holds_alternative<Created>(again)) << kind;
    EXPECT_TRUE(after_crash->destroy(r)) << "by name: the id is not known";
    EXPECT_EQ(listed(*after_crash, r), "") << kind;
  }
}

TEST(GcpContract, ANameThatIsOursAlreadyIsAdopted) {
  World world;
  ASSERT_EQ(world.problem(), "");
  auto plan = layer();
  auto r = world.row(plan);
  create(world.gcp(), r, plan);
  auto again = r;
  again.request_id = "6f2f1d2c-1111-4111-8111-111111111111";  // as if the service had forgotten the first one
  auto outcome = world.gcp().create(plan, again);
  ASSERT_TRUE(std::holds_alternative<Created>(outcome));
  EXPECT_EQ(std::get<Created>(outcome).provider_id, r.provider_id);
}

TEST(GcpContract, ALostRequestMakesNothing) {
  World world(fault("create", "lost-before"));
  ASSERT_EQ(world.problem(), "");
  auto plan = layer();
  auto r = world.row(plan);
  EXPECT_TRUE(std::holds_alternative<Ambiguous>(world.gcp().create(plan, r)));
  EXPECT_EQ(listed(world.gcp(), r), "");
}

TEST(GcpContract, TurnedAwayUnreadIsRateAndAnExpiredTokenIsRenewed) {
  World limited(fault("create", "rate"));
  auto plan = layer();
  auto outcome = limited.gcp().create(plan, limited.row(plan));
  ASSERT_TRUE(std::holds_alternative<Refused>(outcome));
  EXPECT_EQ(std::get<Refused>(outcome).kind, Finding::Kind::rate);
  World expired(fault("create", "expired"));
  auto r = expired.row(plan);
  create(expired.gcp(), r, plan);
}

TEST(GcpContract, WhatIsWrongWithTheRequestIsRefused) {
  World world;
  auto plan = layer("n2-standard-4");
  plan.options["disk-type"] = {"pd-extreme-x"};
  auto outcome = world.gcp().create(plan, world.row(plan));
  ASSERT_TRUE(std::holds_alternative<Refused>(outcome));
  EXPECT_EQ(std::get<Refused>(outcome).kind, Finding::Kind::policy) << std::get<Refused>(outcome).what;
  auto r = world.row(layer());
  r.zone = "europe-west3-c";
  outcome = world.gcp().create(layer(), r);
  ASSERT_TRUE(std::holds_alternative<Refused>(outcome));
  EXPECT_EQ(std::get<Refused>(outcome).kind, Finding::Kind::not_found) << std::get<Refused>(outcome).what;
}

TEST(GcpContract, AListThatLacksAPartProvesNothing) {
  World world(json::array({{{"api", "gcp"}, {"call", "list"}, {"probability", 1.0}, {"kind", "partial"}}}).dump());
  ASSERT_EQ(world.problem(), "");
  auto plan = layer();
  auto r = world.row(plan);
  create(world.gcp(), r, plan);
  auto listing = world.gcp().list_owned("contract");
  EXPECT_TRUE(!listing || !listing->complete);
}

TEST(GcpContract, ALateMachineIsWaitedForAndAVanishedOneIsLost) {
  World late(fault("create", "late", 200));
  auto plan = layer();
  auto r = late.row(plan);
  create(late.gcp(), r, plan);
  EXPECT_EQ(wait_error(late.gcp(), r, 1).code, Errc::timeout) << "not lost";
  World gone(fault("create", "vanish", 60));
  r = gone.row(plan);
  create(gone.gcp(), r, plan);
  auto error = wait_error(gone.gcp(), r, 20);
  EXPECT_EQ(error.code, Errc::lost) << error.what;
}

TEST(GcpContract, TheLeaseEndsWhenTheLedgerSays) {
  World world;
  auto plan = layer();
  auto r = world.row(plan, "spot", Duration{3000});
  create(world.gcp(), r, plan);
  SystemClock clock;
  while (clock.wall() < r.owner.expires) {
    ASSERT_EQ(listed(world.gcp(), r), "host disk ") << "not before";
    clock.sleep(Duration{200});
  }
  for (auto deadline = within(20); listed(world.gcp(), r) != "" && !deadline.passed();) clock.sleep(Duration{100});
  EXPECT_EQ(listed(world.gcp(), r), "");
  EXPECT_NE(world.gcp().fate(r).value_or(""), "");
}

}  // namespace
