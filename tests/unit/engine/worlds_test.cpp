// Many drawn worlds in which things of ours, of others and of liars lie side by side: reap ends exactly those that are provably ours and
// expired. And a holder that was superseded touches nothing.
#include <gtest/gtest.h>

#include <cstdlib>
#include <nlohmann/json.hpp>
#include <random>

#include "fake_provider.hpp"
#include "orchestrator/engine/lifecycle.hpp"
#include "orchestrator/engine/reap.hpp"
#include "tests/support/figures.hpp"
#include "tests/support/temp_dir.hpp"

using namespace vt;

namespace {

constexpr int kWorlds = 20'000, kLongWorlds = 100'000;

/// How a thing's marks came to be.
enum class Mark {
  ours,
  no_token,
  other_token,
  other_key,
  other_install,
  moved_expiry,
  unreadable_expiry,
  other_name,
  other_account,
  count
};

class Worlds : public testing::Test {
 protected:
  struct Drawn {
    Resource thing;
    bool must_go = false;
  };

  template <class T>
  T below(T limit) {
    return static_cast<T>(random_() % static_cast<std::uint64_t>(limit));
  }

  /// The end of a lease is drawn close to where it matters.
  Drawn draw(int number) {
    Drawn d;
    Resource& r = d.thing;
    r.provider = "fake", r.kind = "host", r.account = "account";
    r.owner.install = key_.install, r.owner.attempt = std::to_string(number);
    r.owner.name = "vt-" + key_.install + "-" + r.owner.attempt;
    EpochMs ended_ago =
        (below<EpochMs>(3) == 0 ? below<EpochMs>(1'000'000) - 500'000 : kGrace.count() / 1000 + below<EpochMs>(7) - 3) * 1000;
    r.owner.expires = clock_.wall_ms - ended_ago;
    r.owner.token = key_.token(r.owner, r.provider, r.account);
    auto mark = below<int>(2) == 0 ? Mark::ours : static_cast<Mark>(below(static_cast<int>(Mark::count)));
    spoil(r, mark);
    d.must_go = mark == Mark::ours && ended_ago >= kGrace.count();
    return d;
  }

  void spoil(Resource& r, Mark mark) {
    switch (mark) {
      case Mark::no_token: r.owner.token.clear(); break;
      case Mark::other_token: r.owner.token[below(r.owner.token.size())] ^= 1; break;
      case Mark::other_key: r.owner.token = other_.token(r.owner, r.provider, r.account); break;
      case Mark::other_install: r.owner.install = other_.install; break;
      case Mark::moved_expiry: r.owner.expires += (below<EpochMs>(2) == 0 ? -1 : 1) * 1000 * (1 + below<EpochMs>(100'000)); break;
      case Mark::unreadable_expiry: r.owner.expires = 0; break;
      case Mark::other_name: r.owner.name += "x"; break;
      case Mark::other_account: r.account += "2"; break;
      case Mark::ours:
      case Mark::count: break;
    }
  }

  /// Empty, or what is wrong.
  std::string world(int number) {
    FakeCloud cloud;
    std::map<std::string, bool> must_go;
    for (int i = 0, things = 1 + below(6); i < things; ++i) {
      auto drawn = draw(number * 10 + i);
      cloud.alive[drawn.thing.owner.name] = drawn.thing;
      must_go[drawn.thing.owner.name] = drawn.must_go;
    }
    cloud.destroys_ignored = below(2);
    cloud.list_incomplete = below(10) == 0;
    FakeProvider provider(cloud);
    for (int run = 0; run < 2; ++run) (void)reap_stateless(key_, {&provider}, clock_, stop_, {});
    for (auto& [name, goes] : must_go) {
      own_ += goes, strangers_ += !goes;
      if (goes == cloud.alive.contains(name)) return (goes ? "left: " : "ended: ") + name;
    }
    return "";
  }

  InstallKey key_{"instalid", std::string(32, 'k')}, other_{"otherone", std::string(32, 'o')};
  ManualClock clock_;
  StopFlag stop_;
  std::mt19937_64 random_{20261120};
  int own_ = 0, strangers_ = 0;
};

}  // namespace

TEST_F(Worlds, OnlyWhatIsProvablyOursAndExpiredIsEnded) {
  int worlds = std::getenv("VT_LONG") ? kLongWorlds : kWorlds, wrong = 0;
  for (int n = 0; n < worlds; ++n)
    if (auto problem = world(n); !problem.empty() && ++wrong < 10) ADD_FAILURE() << "world " << n << ": " << problem;
  EXPECT_GT(own_, worlds / 10) << "there was too little to end";
  EXPECT_GT(strangers_, worlds / 10);
  test::note_figures("P3", {{"worlds", worlds}, {"own_expired", own_}, {"strangers", strangers_}, {"wrong_worlds", wrong}});
}

namespace {

/// Time in which somebody else takes the row while its holder sleeps.
class Meanwhile final : public Clock {
 public:
  explicit Meanwhile(std::function<void()> what) : what_(std::move(what)) {}
  [[nodiscard]] EpochMs wall() const override { return clock_.wall(); }
  [[nodiscard]] Duration boot() const override { return clock_.boot(); }
  void sleep(Duration d) const override { clock_.sleep(d), what_(); }

 private:
  ManualClock clock_;
  std::function<void()> what_;
};

}  // namespace

TEST(Generation, ASupersededHolderNeitherCreatesNorDeletes) {
  test::TempDir folder;
  std::unique_ptr<Ledger> ledger;
  Meanwhile clock([&] { EXPECT_TRUE((*Ledger::open(folder.path(), ManualClock()).value()).take_over(ledger->all()->back().owner.name)); });
  auto store = Store::open(folder.path(), clock).value();
  ledger = Ledger::open(folder.path(), clock).value();
  FakeCloud cloud;
  FakeProvider provider(cloud);
  StopFlag stop;
  Context context{*store,   *ledger, clock,   stop, {}, [&](const std::string&) { return std::make_unique<FakeProvider>(cloud); },
                  {"fake"}, {},      connect, {},   {}, false,
                  false};
  Layer layer;
  layer.name = "pod", layer.provider = "fake";
  cloud.rate_limited = 1;
  EXPECT_FALSE(acquire(context, provider, layer, {"run1", {}, {}, Duration{1000}, {}}));
  EXPECT_EQ(cloud.creates, 1) << "the one that was turned away unread, before it was superseded";
  ASSERT_TRUE(acquire(context, provider, layer, {"run2", {}, {}, Duration{1000}, {}}));
  clock.sleep(Duration{1});
  EXPECT_FALSE(release(context, provider, ledger->all()->back().owner.name));
  EXPECT_EQ(cloud.destroys, 0);
}
