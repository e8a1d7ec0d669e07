#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "orchestrator/cost/billing.hpp"
#include "orchestrator/store/ledger.hpp"
#include "orchestrator/store/store.hpp"
#include "tests/support/program.hpp"

namespace vt {
namespace {

using nlohmann::json;
using test::Program;

constexpr EpochMs kHour = 3'600'000, kDay = 24 * kHour;

template <class T>
T must(Result<T> result) {
  if (!result) throw std::runtime_error(result.error().what);
  return std::move(result).take();
}
void must(const Status& status) {
  if (!status) throw std::runtime_error(status.error().what);
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

/// A state folder as runs of two plans leave it: closed, refused and open rows, and checks that took their time.
class CostCommand : public testing::Test {
 protected:
  CostCommand() : ledger_(must(Ledger::open(program_.state(), clock_))), store_(must(Store::open(program_.state(), clock_))) {
    add_run("r1", "blackwell"), add_run("r2", "nightly");
    row("r1", "pod", "runpod", 3 * kHour, ResourceState::gone, Money{690'000});
    row("r1", "image", "gcp", 2 * kHour, ResourceState::gone, Money{1'800'001});
    row("r1", "image", "gcp", 2 * kHour, ResourceState::refused, Money{0});
    row("r2", "pod", "runpod", 40 * kDay, ResourceState::gone, Money{5'000'000});
    check("r1", "pod", "gpu.burn", now_ - 3 * kHour + 60'000, Duration{kHour / 2});
  }

  void add_run(const std::string& id, const std::string& plan) {
    RunRow run;
    run.id = id, run.plan = plan, run.level = "standard", run.started = now_;
    LayerRow pod, image;
    pod.run = image.run = id, pod.name = "pod", image.name = "image";
    must(store_->add_run(run, {pod, image}, {}));
  }

  /// A host at $0.69 per hour that was created that long ago and, if closed, lived for one.
  void row(const std::string& run, const std::string& layer, const std::string& provider, EpochMs age, ResourceState state, Money cost,
           Ledger* ledger = nullptr) {
    auto& books = ledger ? *ledger : *ledger_;
    Resource r;
    r.owner = must(books.new_ownership(provider, "", Duration{kHour}));
    r.provider = provider, r.kind = "host", r.run = run, r.layer = layer, r.created = now_ - age, r.hourly = Money{690'000};
    must(books.plan(r));
    auto name = r.owner.name;
    auto to = [&](ResourceState next) { must(books.update(name, "on", [&](Resource& x) { x.state = next; })); };
    if (state == ResourceState::refused) return to(state);
    for (auto next : {ResourceState::creating, ResourceState::created, ResourceState::ready}) to(next);
    if (state != ResourceState::gone) return;
    to(ResourceState::deleting);
    must(books.update(name, "gone", [&](Resource& x) {
      x.state = ResourceState::gone, x.provider_id = "p-1", x.closed = x.created + kHour, x.cost = cost;
    }));
  }

  void check(const std::string& run, const std::string& layer, const std::string& id, EpochMs started, Duration took) {
    Observation seen;
    seen.key.run = run, seen.key.layer = layer, seen.key.host = layer, seen.key.check = id;
    seen.started = started, seen.took = took, seen.exit_code = 0;
    Judgement judged;
    judged.key = seen.key, judged.verdict = Verdict::pass, judged.at = started;
    must(store_->add_result(&seen, judged));
  }

  json cost(std::vector<std::string> more, int exit_code = 0) {
    std::vector<std::string> words{"cost", "--json"};
    words.insert(words.end(), more.begin(), more.end());
    auto ended = program_.run(words);
    EXPECT_EQ(ended.exit_code, exit_code) << ended.err;
    return json::parse(ended.out, nullptr, false);
  }

  static std::map<std::string, std::int64_t> lines(const json& page) {
    std::map<std::string, std::int64_t> out;
    for (auto& line : page["lines"]) out[line["what"]] = line["cost_micro_usd"];
    return out;
  }

  Program program_;
  SystemClock clock_;
  EpochMs now_ = clock_.wall();
  std::unique_ptr<Ledger> ledger_;
  std::unique_ptr<Store> store_;
};

using Lines = std::map<std::string, std::int64_t>;

TEST_F(CostCommand, AddsUpByPlanLayerProviderAndCheck) {
  EXPECT_EQ(lines(cost({})), (Lines{{"blackwell", 2'490'001}})) << "the last 30 days";
  EXPECT_EQ(lines(cost({"--since", "60d"})), (Lines{{"blackwell", 2'490'001}, {"nightly", 5'000'000}}));
  EXPECT_EQ(lines(cost({"--by", "layer"})), (Lines{{"blackwell/pod", 690'000}, {"blackwell/image", 1'800'001}}));
  EXPECT_EQ(lines(cost({"--by", "provider"})), (Lines{{"runpod", 690'000}, {"gcp", 1'800'001}}));
  EXPECT_EQ(lines(cost({"--by", "check"})), (Lines{{"gpu.burn", 345'000}, {"(provisioning and teardown)", 2'145'001}}));
  EXPECT_EQ(lines(cost({"--since", "1h"})), Lines{});
}

TEST_F(CostCommand, EveryViewAddsUpToTheSameTotal) {
  row("r2", "image", "gcp", 5 * kHour, ResourceState::gone, Money{333'333});
  for (auto by : {"plan", "layer", "provider", "check"}) {
    auto page = cost({"--by", by, "--since", "90d"});
    std::int64_t sum = 0;
    for (auto& [what, micro] : lines(page)) sum += micro;
    EXPECT_EQ(sum, 690'000 + 1'800'001 + 5'000'000 + 333'333) << by;
    EXPECT_EQ(page["total_micro_usd"], sum) << by;
  }
}

TEST_F(CostCommand, CountsWhatIsOpenUntilNowWhateverItsAge) {
  row("r2", "pod", "runpod", 50 * kDay, ResourceState::ready, Money{0});
  auto page = cost({"--since", "1h"});
  EXPECT_EQ(page["open"], 1);
  auto least = price_for(Money{690'000}, 50 * kDay / 1000);
  EXPECT_GE(page["total_micro_usd"], least.micro);
  EXPECT_LT(page["total_micro_usd"], least.micro + 100'000);
  auto text = program_.run({"cost"}).out;
  EXPECT_TRUE(has(text, "1 open, counted until now")) << text;
}

TEST_F(CostCommand, TheTextIsExactToTheMicroDollar) {
  auto text = program_.run({"cost", "--by", "provider"}).out;
  EXPECT_EQ(text,
            "cost by provider of what was created in the last 30d\n"
            "provider  resources       cost\n"
            "gcp               2  $1.800001\n"
            "runpod            1  $0.690000\n"
            "total             3  $2.490001\n");
}

TEST_F(CostCommand, RehearsalsHaveBooksOfTheirOwn) {
  std::filesystem::create_directories(program_.state() + "/rehearsal");
  std::filesystem::permissions(program_.state() + "/rehearsal", std::filesystem::perms::owner_all);
  auto books = must(Ledger::open(program_.state() + "/rehearsal", clock_));
  row("r2", "pod", "runpod", kHour, ResourceState::gone, Money{77'000}, books.get());
  auto page = cost({"--rehearse"});
  EXPECT_EQ(lines(page), (Lines{{"nightly", 77'000}}));
  EXPECT_EQ(page["rehearsal"], true);
  EXPECT_TRUE(has(program_.run({"cost", "--rehearse"}).out, "REHEARSAL: ")) << "marked for people too";
  EXPECT_EQ(cost({})["rehearsal"], false);
  EXPECT_EQ(program_.run({"cost", "--rehearse", "--reconcile"}).exit_code, 2);
}

TEST_F(CostCommand, ReconcilingSaysWhereAProviderTellsNothing) {
  row("r3", "own", "container", kHour, ResourceState::gone, Money{120'000});
  for (auto& r : must(ledger_->all()))  // the clouds of this test cannot be asked
    if (r.provider != "container" && r.state == ResourceState::gone)
      must(ledger_->update(r.owner.name, "never billed", [](Resource& x) { x.provider_id = ""; }));
  auto ended = program_.run({"cost", "--reconcile"});
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  EXPECT_TRUE(has(ended.out, "$0.120000  not told")) << ended.out;
  EXPECT_TRUE(has(ended.out, "container: 1 host, recorded $0.120000; its API tells no costs")) << ended.out;
  auto page = cost({"--reconcile"});
  ASSERT_EQ(page["reconciled"].size(), 1U);
  EXPECT_TRUE(page["reconciled"][0]["billed_micro_usd"].is_null());
}

TEST_F(CostCommand, ReconcilingFailsWhereAProviderCannotBeAsked) {
  row("r3", "own", "nonesuch", kHour, ResourceState::gone, Money{120'000});
  for (auto& r : must(ledger_->all()))
    if (r.provider != "nonesuch" && r.state == ResourceState::gone)
      must(ledger_->update(r.owner.name, "never billed", [](Resource& x) { x.provider_id = ""; }));
  auto ended = program_.run({"cost", "--reconcile"});
  EXPECT_EQ(ended.exit_code, 3) << ended.err;
  EXPECT_TRUE(has(ended.out, "provider unknown to this version")) << ended.out;
  EXPECT_TRUE(has(ended.out, "1 could not be asked about")) << ended.out;
}

TEST_F(CostCommand, RefusesWhatItDoesNotUnderstand) {
  EXPECT_EQ(program_.run({"cost", "--since", "yesterday"}).exit_code, 2);
  EXPECT_EQ(program_.run({"cost", "--by", "colour"}).exit_code, 2);
}

TEST(CostWithoutALedger, IsNothing) {
  Program program;
  auto ended = program.run({"cost"});
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  EXPECT_EQ(ended.out, "cost by plan of what was created in the last 30d\nnothing was created\n");
  EXPECT_FALSE(std::filesystem::exists(program.state() + "/ledger.db")) << "asking creates nothing";
}

TEST(OwnCaps, AConfigurationThatCannotBeReadStartsNothing) {
  Program program;
  test::write_file(program.path("config.yaml"), "caps: {dya: $20}\n");
  program.environment["VAULT_TEST_CONFIG"] = program.path("config.yaml");
  auto plan = program.plan("vault-test: 1\nname: p\nlayers:\n  here: {provider: local, suites: [good]}\n");
  auto ended = program.run({"run", plan});
  EXPECT_EQ(ended.exit_code, 2) << ended.err;
  EXPECT_TRUE(has(ended.err, "config.yaml:1:8: unknown key 'dya'")) << ended.err;
  EXPECT_TRUE(has(ended.err, "nearest 'day'")) << ended.err;
}

}  // namespace
}  // namespace vt
