#include "orchestrator/report/run_view.hpp"

#include <nlohmann/json.hpp>
#include <set>

#include "orchestrator/report/json.hpp"
#include "orchestrator/report/outcome.hpp"
#include "orchestrator/report/skips.hpp"
#include "orchestrator/report/surprises.hpp"
#include "tests/unit/report/fixture.hpp"

namespace vt {
namespace {

using Names = std::vector<std::string>;

const ViewCell& cell(const RunView& view, const std::string& check, const std::string& label) {
  for (auto& row : view.rows)
    for (std::size_t i = 0; i < row.cells.size(); ++i)
      if (row.check == check && view.columns[i].label == label) return row.cells[i];
  ADD_FAILURE() << "no cell " << check << " on " << label;
  static const ViewCell none;
  return none;
}

TEST(RunView, CountsEveryPlannedCheckExactlyOnce) {
  RunBuilder b;
  fill_broken(b);
  auto view = b.view();
  ASSERT_EQ(view.layers.size(), 4U);
  for (auto& layer : view.layers) EXPECT_EQ(layer.counts.judged() + layer.counts.none, 6) << layer.row.name;
  EXPECT_EQ(view.layers[0].counts.none, 1);
  EXPECT_EQ(view.layers[1].counts[Verdict::fail], 2);
  EXPECT_EQ(view.state, RunView::State::ended);
  EXPECT_EQ(view.spent, Money{1'230'000});
}

TEST(RunView, NoVerdictIsSilentInTheJson) {
  for (auto fill : {fill_quickstart, fill_broken, fill_rehearsal}) {
    RunBuilder b;
    fill(b);
    auto planned = b.store().planned(RunBuilder::kRun);
    ASSERT_TRUE(planned);
    std::multiset<std::pair<std::string, std::string>> expected, seen;
    for (auto& p : *planned) expected.emplace(p.layer, p.check);
    auto json = nlohmann::json::parse(json_report(b.view(), b.catalogue));
    for (auto& result : json.at("results")) {
      seen.emplace(result.at("layer"), result.at("check"));
      EXPECT_FALSE(result.at("verdict").get<std::string>().empty());
    }
    EXPECT_EQ(seen, expected);
    EXPECT_EQ(json.at("vault_test_report"), 1);
  }
}

TEST(RunView, ASkipIsCoveredOnlyByRealProof) {
  RunBuilder b;
  b.check("a", ""), b.check("b", ""), b.check("c", "");
  b.layer("one", {"a", "b", "c"}), b.layer("two", {"a", "b", "c"});
  b.start();
  b.skip("one", "gpu", "none", {"a", "b", "c"});
  b.pass("two", {"a"});
  auto rehearsed = b.judged("two", "b", Verdict::pass);
  rehearsed.origin = EvidenceOrigin::rehearsal;
  b.add(rehearsed);
  b.add(b.judged("two", "c", Verdict::info, Cause::check));
  auto view = b.view();
  EXPECT_EQ(cell(view, "a", "one").covered_by, Names{"two"});
  EXPECT_EQ(cell(view, "b", "one").covered_by, Names{});
  EXPECT_EQ(cell(view, "c", "one").covered_by, Names{});
  EXPECT_EQ(view.unproven, (Names{"b", "c"}));
  auto groups = skip_groups(view);
  ASSERT_EQ(groups.size(), 1U);
  ASSERT_EQ(groups[0].lists.size(), 2U);
  EXPECT_EQ(groups[0].lists[0].heading(), "covered by two");
  EXPECT_EQ(groups[0].lists[0].checks, Names{"a"});
  EXPECT_EQ(groups[0].lists[1].heading(), "UNPROVEN");
  EXPECT_EQ(groups[0].lists[1].checks, (Names{"b", "c"}));
}

TEST(RunView, SeveralHostsHaveAColumnEachAndShareAJudgementOfTheLayer) {
  RunBuilder b;
  b.check("a", ""), b.check("b", "");
  b.layer("rack", {"a", "b"});
  b.start();
  for (auto host : {"node0", "node1"}) b.event("rack", event::HostReady{host, ""});
  auto own = b.judged("rack", "a", Verdict::pass);
  own.key.host = "node0";
  b.add(own);
  for (auto id : {"a", "b"}) {
    auto whole = b.judged("rack", id, Verdict::blocked, Cause::infrastructure, "lost");
    whole.key.host = "";
    b.add(whole);
  }
  auto view = b.view();
  ASSERT_EQ(view.columns.size(), 2U);
  EXPECT_EQ(cell(view, "a", "rack/node0").deciding()->verdict, Verdict::pass) << "its own judgement wins";
  EXPECT_EQ(cell(view, "a", "rack/node1").deciding()->verdict, Verdict::blocked);
  EXPECT_EQ(cell(view, "b", "rack/node0").deciding()->verdict, Verdict::blocked);
}

TEST(RunView, OneBadGpuDecidesTheCheck) {
  RunBuilder b;
  b.check("gpu.ecc", "");
  b.layer("cube", {"gpu.ecc"});
  b.start();
  for (auto [gpu, verdict] : {std::pair{"GPU-1", Verdict::pass}, {"GPU-2", Verdict::fail}, {"GPU-3", Verdict::skip}}) {
    auto j = b.judged("cube", "gpu.ecc", verdict, verdict == Verdict::pass ? Cause::none : Cause::check);
    j.key.subject = gpu;
    b.add(j);
  }
  auto view = b.view();
  EXPECT_EQ(cell(view, "gpu.ecc", "cube").deciding()->key.subject, "GPU-2");
  EXPECT_EQ(view.unproven, Names{"gpu.ecc"}) << "one GPU was skipped";
  auto told = surprises(view, b.catalogue);
  ASSERT_EQ(told.size(), 1U);
  EXPECT_EQ(told[0].where, Names{"cube (GPU-2)"});
  auto json = nlohmann::json::parse(json_report(view, b.catalogue));
  ASSERT_EQ(json.at("results").size(), 1U);
  EXPECT_EQ(json.at("results")[0].at("subjects").size(), 3U);
}

TEST(RunView, ADeadHolderMeansInterrupted) {
  RunBuilder b;
  b.run.holder = "1:1:no-such-boot";
  b.check("a", "");
  b.layer("cube", {"a"});
  b.start();
  auto view = b.view();
  EXPECT_EQ(view.state, RunView::State::interrupted);
  EXPECT_EQ(outcome_of(view).exit_code, 130);
}

TEST(RunView, ALivingHolderMeansRunningUntilAllLayersAreOver) {
  RunBuilder b;
  b.check("a", "");
  b.layer("cube", {"a"});
  b.start();
  EXPECT_EQ(b.view().state, RunView::State::running);
  EXPECT_TRUE(surprises(b.view(), b.catalogue).empty()) << "not judged yet is no surprise";
  b.pass("cube", {"a"});
  b.move("cube", LayerState::done);
  EXPECT_EQ(outcome_of(b.view()).exit_code, 0) << "its holder asks for the code to close it with";
}

TEST(RunView, KnowsWhatIsLeftBehindAndWhatIsKept) {
  RunBuilder b;
  b.check("a", "");
  b.layer("pod", {"a"});
  b.start();
  for (auto& [resource, state] :
       std::vector<std::pair<std::string, std::string>>{{"vt-1", "ready"}, {"vt-1", "gone"}, {"vt-2", "open"}, {"vt-3", "kept"}})
    b.event("pod", event::ResourceMoved{resource, state, ""});
  auto view = b.view();
  EXPECT_EQ(view.open_resources, Names{"vt-2"});
  ASSERT_EQ(view.kept.size(), 1U);
  EXPECT_EQ(view.kept[0].name, "vt-3");
}

TEST(RunView, SaysWhichLayerSawAnotherSubject) {
  RunBuilder b;
  fill_broken(b);
  auto view = b.view();
  EXPECT_FALSE(view.layers[0].subject_differs) << "a layer that recorded none saw nothing else";
  EXPECT_TRUE(view.layers[1].subject_differs);
}

TEST(RunView, AnUnknownRunIsNotFound) {
  RunBuilder b;
  auto view = view_run(b.store(), "20990101");
  ASSERT_FALSE(view);
  EXPECT_EQ(view.error().code, Errc::not_found);
}

}  // namespace
}  // namespace vt
