#include <gtest/gtest.h>
#include <poll.h>

#include <nlohmann/json.hpp>

#include "orchestrator/host/transport.hpp"
#include "providers/container/process.hpp"
#include "providers/runpod/runpod.hpp"
#include "tests/contract/emulated_cloud.hpp"

// The client against the emulated RunPod, over real HTTP, with its own start command really running in the pods.
using namespace vt;
using emulator::Emulator;
using emulator::HostKind;
using nlohmann::json;
using test::within;

namespace {

constexpr double kPace = 0.02;

class World : public test::EmulatedCloud {
 public:
  explicit World(const std::string& faults = "", HostKind hosts = HostKind::automatic) : EmulatedCloud(faults, hosts, kPace) {
    if (problem().empty()) provider_ = make_runpod(context());
  }
  Provider& runpod() { return *provider_; }
  [[nodiscard]] std::string address() const { return emulator().address(); }
  [[nodiscard]] std::string key() const { return access().environment("RUNPOD_API_KEY"); }

  Resource row(Duration lease = std::chrono::hours(1)) {
    Resource r = EmulatedCloud::row("runpod", lease);
    r.machine = "NVIDIA L4", r.market = "SECURE";
    return r;
  }
  /// The end of the pod as the books have it; "" while it is there.
  [[nodiscard]] std::string end_of(const Resource& r) {
    auto http = make_http({HttpRules::Reach::loopback, "vault-test/test", ""});
    HttpRequest request;
    request.url = address() + "/emulator/books";
    auto reply = http->send(request);
    json books = reply ? json::parse(reply->body, nullptr, false) : json();
    for (auto& thing : books.value("things", json::array()))
      if (thing["name"] == r.owner.name) return thing["end"];
    return "never there";
  }
  [[nodiscard]] std::string log_of(const Resource& r) {
    auto http = make_http({HttpRules::Reach::loopback, "vault-test/test", ""});
    HttpRequest request;
    request.url = address() + "/emulator/log?id=" + r.provider_id;
    auto reply = http->send(request);
    return reply ? reply->body : "";
  }

 private:
  std::unique_ptr<Provider> provider_;
};

Layer layer() {
  Layer made;
  made.name = "podlike", made.provider = "runpod";
  made.options = {{"gpu", {"NVIDIA L4"}}, {"cloud", {"SECURE"}}};
  return made;
}

std::string fault(const std::string& call, const std::string& kind, int seconds = 0) {
  return test::fault_plan("runpod", call, kind, seconds);
}

void create(Provider& runpod, Resource& r) { test::create(runpod, r, layer()); }

bool listed(Provider& runpod, const Resource& r) {
  auto listing = runpod.list_owned("contract");
  EXPECT_TRUE(listing && listing->complete);
  for (auto& seen : listing ? listing->resources : std::vector<Resource>())
    if (test::is_row(seen, r)) return true;
  return false;
}

TEST(RunpodContract, PreflightAndCandidatesAcceptWhatTheEmulatorOffers) {
  World world("", HostKind::none);
  ASSERT_EQ(world.problem(), "");
  for (auto& finding : world.runpod().preflight(layer())) EXPECT_EQ(finding.weight, Finding::Weight::warns) << finding.what;
  auto candidates = world.runpod().candidates(layer());
  ASSERT_TRUE(candidates) << candidates.error().what;
  ASSERT_FALSE(candidates->empty());
  EXPECT_TRUE((*candidates)[0].in_stock && (*candidates)[0].price_known);
  EXPECT_GT((*candidates)[0].hourly.micro, 430'000);
}

class RunpodPods : public testing::TestWithParam<HostKind> {};

TEST_P(RunpodPods, ComeAreLoggedInToAndGo) {
  World world("", GetParam());
  ASSERT_EQ(world.problem(), "");
  if (find_program("curl").empty()) GTEST_SKIP() << "curl is not installed: the pod's watchdog needs it";
  auto r = world.row();
  create(world.runpod(), r);
  auto ready = world.runpod().wait_ready(layer(), r, within(60));
  if (!ready && find_program("sshd").empty()) GTEST_SKIP() << "sshd is not installed";
  ASSERT_TRUE(ready) << ready.error().what << "\n" << world.log_of(r);
  ASSERT_EQ(ready->hosts.size(), 1U);
  auto session = connect(ready->hosts[0], within(30));
  ASSERT_TRUE(session) << session.error().what;
  auto proof = exec(**session, "cat $VT_DIR/lease-proof", "", within(20));
  ASSERT_TRUE(proof) << proof.error().what;
  EXPECT_TRUE(proof->out.starts_with("proved ")) << proof->out << world.log_of(r);
  EXPECT_TRUE(listed(world.runpod(), r));
  EXPECT_TRUE(world.runpod().destroy(r));
  EXPECT_FALSE(listed(world.runpod(), r));
  EXPECT_EQ(world.end_of(r), "deleted");
}

INSTANTIATE_TEST_SUITE_P(As, RunpodPods, testing::Values(HostKind::automatic, HostKind::process),
                         [](auto& one) { return std::string(one.param == HostKind::process ? "Processes" : "Containers"); });

TEST(RunpodContract, APodEndsItselfWhenItsLeaseIsOver) {
  World world;
  ASSERT_EQ(world.problem(), "");
  if (find_program("curl").empty()) GTEST_SKIP() << "curl is not installed: the pod's watchdog needs it";
  auto r = world.row(std::chrono::seconds(8));
  create(world.runpod(), r);
  for (auto deadline = within(40); world.end_of(r).empty() && !deadline.passed();) poll(nullptr, 0, 100);
  EXPECT_EQ(world.end_of(r), "deleted") << world.log_of(r);
  EXPECT_FALSE(listed(world.runpod(), r));
}

/// Whoever holds the rehearsal's key and speaks REST v2 without our client.
class Plain {
 public:
  explicit Plain(World& world) : address_(world.address()), key_(world.key()) {}
  std::pair<int, json> send(const std::string& method, const std::string& path, const json& body = nullptr) {
    HttpRequest request;
    request.method = method, request.url = address_ + "/v2/" + path, request.bearer = &key_;
    if (!body.is_null()) request.content_type = "application/json", request.body = body.dump();
    auto reply = http_->send(request);
    return reply ? std::pair(reply->status, json::parse(reply->body, nullptr, false)) : std::pair(0, json());
  }
  /// The container's log once it has said `text`; what it said else.
  std::string log_with(const std::string& id, const std::string& text) {
    std::string said;
    for (auto deadline = within(20); !deadline.passed(); poll(nullptr, 0, 100)) {
      HttpRequest request;
      request.url = address_ + "/emulator/log?id=" + id;
      auto reply = http_->send(request);
      if (reply && (said = reply->body).find(text) != std::string::npos) break;
    }
    return said;
  }

 private:
  std::string address_;
  Secret key_;
  std::unique_ptr<Http> http_ = make_http({HttpRules::Reach::loopback, "vault-test/test", ""});
};

json plain_pod(const std::string& script) {
  return {{"name", "plain"},
          {"image", "ubuntu"},
          {"gpu", {{"id", "NVIDIA L4"}, {"count", 1}}},
          {"ports", {"22/tcp"}},
          {"args", "bash -c '" + script + "'"}};
}

TEST(RunpodContract, APodIsToldWhoItIsAndItsKeyIsGoodForItselfAlone) {
  if (find_program("curl").empty()) GTEST_SKIP() << "curl is not installed";
  World world;
  ASSERT_EQ(world.problem(), "");
  Plain plain(world);
  std::string api = world.address() + "/v2/pods", own = api + "/$RUNPOD_POD_ID";
  std::string script =
      "ask() { curl -s -o /dev/null -A pod -w \"%{http_code} \" -H \"Authorization: Bearer $RUNPOD_API_KEY\" \"$@\"; }\n"
      "echo \"$RUNPOD_POD_ID $RUNPOD_DC_ID $RUNPOD_GPU_COUNT $RUNPOD_TCP_PORT_22\"\n"
      "ask " +
      own + "; ask " + api + "; ask -d {} " + api + "; ask -X PATCH -d {} " + own + "; echo done; sleep 2; ask -X DELETE " + own +
      "; sleep 100";
  auto [status, pod] = plain.send("POST", "pods", plain_pod(script));
  ASSERT_EQ(status, 201) << pod;
  std::string id = pod["id"], said = plain.log_with(id, "done");
  EXPECT_NE(said.find(id + " US-KS-2 1 "), std::string::npos) << said;
  EXPECT_NE(said.find("200 403 403 403 done"), std::string::npos) << said;
  auto shown = plain.send("GET", "pods/" + id).second;
  if (shown["ssh"]["direct"].is_object())
    EXPECT_NE(said.find(" 1 " + shown["ssh"]["direct"]["port"].dump() + "\n"), std::string::npos) << said << shown["ssh"];
  for (auto deadline = within(20); plain.send("GET", "pods/" + id).first == 200 && !deadline.passed();) poll(nullptr, 0, 50);
  EXPECT_EQ(plain.send("GET", "pods/" + id).first, 404) << "it has ended itself";
}

TEST(RunpodContract, AStartCommandThatEndsIsRunAgainAndBilledOn) {
  World world;
  ASSERT_EQ(world.problem(), "");
  Plain plain(world);
  auto [status, pod] = plain.send("POST", "pods", plain_pod("echo run $RUNPOD_POD_ID >>/kept; wc -l </kept; exit 1"));
  ASSERT_EQ(status, 201) << pod;
  std::string id = pod["id"];
  EXPECT_NE(plain.log_with(id, "\n3\n").find("1\n2\n3\n"), std::string::npos);
  auto shown = plain.send("GET", "pods/" + id).second;
  EXPECT_EQ(shown["status"], "RUNNING");
  EXPECT_GT(shown["cost"].get<double>(), 0);
}

TEST(RunpodContract, UnusablePodsAreToldFromSlowOnes) {
  const std::pair<const char*, Errc> cases[] = {{"no-gpu", Errc::timeout}, {"stuck", Errc::timeout}, {"vanish", Errc::lost}};
  for (auto& [kind, expected] : cases) {
    World world(fault("create", kind, std::string(kind) == "vanish" ? 60 : 0), HostKind::none);
    ASSERT_EQ(world.problem(), "");
    auto r = world.row();
    create(world.runpod(), r);
    auto ready = world.runpod().wait_ready(layer(), r, within(4));
    ASSERT_FALSE(ready) << kind;
    bool as_expected = ready.error().code == expected || (expected == Errc::lost && ready.error().code == Errc::not_found);
    EXPECT_TRUE(as_expected) << kind << ": " << ready.error().what;
    (void)world.runpod().destroy(r);
    EXPECT_FALSE(listed(world.runpod(), r)) << kind;
  }
}

TEST(RunpodContract, RefusalsAndUnclearAnswersAreToldApart) {
  auto outcome = [](const std::string& faults) {
    World world(faults, HostKind::none);
    auto r = world.row();
    auto made = world.runpod().create(layer(), r);
    if (auto refused = std::get_if<Refused>(&made)) return "refused " + std::to_string(static_cast<int>(refused->kind));
    return std::string(std::holds_alternative<Ambiguous>(made) ? "ambiguous" : "created") + (listed(world.runpod(), r) ? ", there" : "");
  };
  auto refused = [](Finding::Kind kind) { return "refused " + std::to_string(static_cast<int>(kind)); };
  EXPECT_EQ(outcome(fault("create", "stockout")), refused(Finding::Kind::stock_out));
  EXPECT_EQ(outcome(fault("create", "quota")), refused(Finding::Kind::funds));
  EXPECT_EQ(outcome(fault("create", "rate")), refused(Finding::Kind::rate));
  EXPECT_EQ(outcome(fault("create", "expired")), refused(Finding::Kind::auth));
  EXPECT_EQ(outcome(fault("create", "error-after")), "ambiguous, there");
  EXPECT_EQ(outcome(fault("create", "lost-after")), "ambiguous, there");
  EXPECT_EQ(outcome(fault("create", "lost-before")), "ambiguous");
}

}  // namespace
