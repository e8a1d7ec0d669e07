#include <set>

#include "fixture.hpp"
#include "sqlite_raw.hpp"

using namespace vt;
using namespace vt::test;
using enum ResourceState;

namespace {

constexpr ResourceState kAll[] = {planned, creating, created, ambiguous, refused, ready, deleting, gone, presumed_absent};

const std::set<std::pair<ResourceState, ResourceState>> kLegal{
    {planned, creating}, {planned, refused}, {creating, created}, {creating, ambiguous},       {creating, refused},
    {creating, planned}, {created, ready},   {created, deleting}, {ambiguous, created},        {ambiguous, presumed_absent},
    {ready, deleting},   {deleting, gone},   {gone, deleting},    {presumed_absent, deleting}, {refused, deleting},
};

}  // namespace

TEST(LedgerState, OnlyTheStepsOfTheDiagramAreTaken) {
  TempDir dir;
  ManualClock clock;
  auto ledger = must(Ledger::open(dir.state(), clock));
  auto r = resource(*ledger);
  must(ledger->plan(r));
  for (auto from : kAll)
    for (auto to : kAll) {
      change(dir.state() + "/ledger.db", "UPDATE resource SET state = '" + std::string(name(from)) + "'");
      auto moved = ledger->update(r.owner.name, "test", [&](Resource& x) { x.state = to, x.reason = "moved"; });
      bool legal = from == to || kLegal.contains({from, to});
      EXPECT_EQ(moved.has_value(), legal) << name(from) << " -> " << name(to);
      EXPECT_TRUE(moved || moved.error().code == Errc::refused);
      EXPECT_EQ(must(ledger->find(r.owner.name))->state, legal ? to : from);
    }
}

TEST(LedgerState, EveryOpenStateHasAWayOut) {
  for (auto from : kAll) {
    std::set<ResourceState> reached{from};
    for (std::size_t before = 0; before != reached.size();) {
      before = reached.size();
      for (auto& [a, b] : kLegal)
        if (reached.contains(a)) reached.insert(b);
    }
    EXPECT_TRUE(reached.contains(gone) || reached.contains(refused)) << name(from);
  }
}
