#include "fixture.hpp"
#include "orchestrator/model/sha256.hpp"
#include "orchestrator/store/codec.hpp"
#include "sqlite_raw.hpp"

#include <fstream>
#include <nlohmann/json.hpp>

using namespace vt;
using namespace vt::test;

namespace {

class StoreTest : public testing::Test {
 protected:
  TempDir dir_;
  ManualClock clock_;
  std::unique_ptr<Store> store_ = must(Store::open(dir_.state(), clock_));
};

Observation full_observation() {
  auto o = observation(key("r1", "h0", "os.kernel"));
  o.key.attempt = 2, o.key.phase = "after-reboot", o.key.subject = "GPU-7", o.key.sample = 3;
  o.origin = EvidenceOrigin::rehearsal, o.device = "cpu", o.agent = "build-9", o.started = 77, o.took = Duration{1234};
  o.exit_code = -1, o.signal = 9, o.timed_out = true, o.problem = "timed out after 10s";
  o.values = {{"value", 6.5}, {"list", Value::List{1, "x"}}, {"none", Value()}};
  o.out = {.head = std::string("nul\0 and \xff", 10), .tail = "end", .bytes = 1u << 31, .lines = 5};
  o.err = {.head = "e", .tail = "", .bytes = 1, .lines = 1};
  return o;
}

Judgement full_judgement() {
  auto j = judgement(full_observation().key, Verdict::error);
  j.cause = Cause::infrastructure, j.capability = "gpu>=2", j.evidence = "nvidia-smi says 1", j.origin = EvidenceOrigin::rehearsal;
  j.values = {{"value", "6.5", "at-least 6.13", "missed", "below"}, {"x", "1 GB", "", "recorded", ""}};
  return j;
}

}  // namespace

TEST_F(StoreTest, RunsLayersAndPlannedChecksComeBack) {
  auto run = run_row("20261120-103000-abcd", 5000);
  run.purpose = "sign-off", run.plan_hash = "ph", run.catalogue_hash = "ch", run.selection = R"({"layer":["rack"]})", run.tool = "0.1.0";
  run.subject = {.path = "/src", .commit = "c0ffee", .dirty = true, .digest = "d9", .image = "img"};
  run.origin = EvidenceOrigin::imported;
  auto rack = layer_row("rack");
  rack.proves = "the machine", rack.state = LayerState::acquire, rack.detail = "asking", rack.subject = run.subject, rack.started = 1,
  rack.ended = 2;
  must(store_->add_run(run, {layer_row("vm"), rack},
                       {{"", "rack", "os.b", "B", "warn", 2}, {"", "rack", "os.a", "A", "gate", 1}, {"", "vm", "os.z", "Z", "info", 3}}));

  auto back = must(store_->run(run.id));
  ASSERT_TRUE(back);
  EXPECT_EQ(back->plan, "blackwell");
  EXPECT_EQ(back->purpose, "sign-off");
  EXPECT_EQ(back->plan_hash + back->catalogue_hash, "phch");
  EXPECT_EQ(back->selection, run.selection);
  EXPECT_EQ(back->level + back->tool, "quick0.1.0");
  EXPECT_EQ(back->subject, run.subject);
  EXPECT_EQ(back->origin, EvidenceOrigin::imported);
  EXPECT_EQ(back->started, 5000);
  EXPECT_EQ(back->ended, 0);
  EXPECT_FALSE(back->exit_code);
  EXPECT_TRUE(is_alive(back->holder));

  auto layers = must(store_->layers(run.id));
  ASSERT_EQ(layers.size(), 2U);
  EXPECT_EQ(layers[0].name, "vm");
  EXPECT_EQ(layers[0].state, LayerState::waiting);
  EXPECT_EQ(layers[1].run, run.id);
  EXPECT_EQ(layers[1].proves + layers[1].detail + layers[1].provider, "the machineaskingbare-metal");
  EXPECT_EQ(layers[1].state, LayerState::acquire);
  EXPECT_EQ(layers[1].subject, run.subject);
  EXPECT_EQ(layers[1].started + layers[1].ended, 3);

  auto planned = must(store_->planned(run.id));
  ASSERT_EQ(planned.size(), 3U);
  EXPECT_EQ(planned[0].check + planned[1].check + planned[2].check, "os.zos.aos.b");  // layers in plan order, then position
  EXPECT_EQ(planned[2].severity + planned[2].title + planned[2].layer, "warnBrack");
  EXPECT_EQ(code_of(store_->add_run(run, {}, {})), Errc::refused);
}

TEST_F(StoreTest, ARunIsAddedWholeOrNotAtAll) {
  EXPECT_FALSE(store_->add_run(run_row("r1"), {layer_row("rack")}, {{"", "no-such-layer", "c", "t", "gate", 0}}));
  EXPECT_FALSE(store_->add_run(run_row("r1"), {layer_row("rack")}, {{"", "rack", "c", "t", "fatal", 0}}));
  EXPECT_FALSE(must(store_->run("r1")));
}

TEST_F(StoreTest, RunsEndAndAreTakenUpAgain) {
  add_run(*store_, "r1");
  must(store_->end_run("r1", 130));
  EXPECT_EQ(must(store_->run("r1"))->ended, clock_.wall());
  EXPECT_EQ(must(store_->run("r1"))->exit_code, 130);
  must(store_->take_run("r1"));
  EXPECT_EQ(must(store_->run("r1"))->ended, 0);
  EXPECT_FALSE(must(store_->run("r1"))->exit_code);
  EXPECT_EQ(must(store_->run("r1"))->holder, this_holder());
  EXPECT_EQ(code_of(store_->take_run("r2")), Errc::not_found);
  EXPECT_EQ(code_of(store_->end_run("r2", 0)), Errc::not_found);
}

TEST_F(StoreTest, LayersMove) {
  add_run(*store_, "r1");
  must(store_->move_layer("r1", "rack", LayerState::connect, "trying"));
  auto layer = must(store_->layers("r1")).front();
  EXPECT_EQ(layer.state, LayerState::connect);
  EXPECT_EQ(layer.detail, "trying");
  EXPECT_EQ(layer.started, clock_.wall());
  EXPECT_EQ(layer.ended, 0);
  auto started = clock_.wall();
  clock_.wall_ms += 500;
  must(store_->move_layer("r1", "rack", LayerState::failed, "host key"));
  layer = must(store_->layers("r1")).front();
  EXPECT_EQ(layer.started, started);
  EXPECT_EQ(layer.ended, clock_.wall());
  Subject seen{.path = "/p", .commit = "c2", .dirty = false, .digest = "d2", .image = ""};
  must(store_->set_layer_subject("r1", "rack", seen));
  EXPECT_EQ(must(store_->layers("r1")).front().subject, seen);
  EXPECT_EQ(code_of(store_->move_layer("r1", "nowhere", LayerState::done, "")), Errc::not_found);
}

TEST_F(StoreTest, ObservationsAndJudgementsComeBack) {
  add_run(*store_, "r1");
  auto o = full_observation();
  auto j = full_judgement();
  must(store_->add_result(&o, j));
  auto observed = must(store_->observations("r1", "rack", "os.kernel"));
  ASSERT_EQ(observed.size(), 1U);
  EXPECT_EQ(to_json(observed[0].values), to_json(o.values));
  EXPECT_EQ(observed[0].out.head, o.out.head);  // byte for byte
  EXPECT_EQ(json_text(to_json(observed[0])), json_text(to_json(o)));
  auto judged = must(store_->judgements("r1"));
  ASSERT_EQ(judged.size(), 1U);
  EXPECT_EQ(to_json(judged[0]), to_json(j));
  EXPECT_EQ(sql(dir_.state() + "/results.db", "SELECT j.observation = o.id FROM judgement j, observation o"), "1");
}

TEST_F(StoreTest, TheSameKeyTwiceIsRefusedAndChangesNothing) {
  add_run(*store_, "r1");
  auto k = key("r1", "h0", "os.kernel");
  auto o = observation(k);
  must(store_->add_result(&o, judgement(k, Verdict::pass)));
  auto again = store_->add_result(&o, judgement(k, Verdict::fail));
  EXPECT_EQ(code_of(again), Errc::refused);
  EXPECT_NE(again.error().what.find("already recorded"), std::string::npos);
  EXPECT_EQ(code_of(store_->add_result(nullptr, judgement(k, Verdict::fail))), Errc::refused);
  EXPECT_EQ(must(store_->judgements("r1")).at(0).verdict, Verdict::pass);
  EXPECT_EQ(must(store_->observations("r1", "rack", "os.kernel")).size(), 1U);
  // Every part of the key makes it another one.
  for (auto other : {key("r1", "h1", "os.kernel"), key("r1", "h0", "os.other"), key("r1", "h0", "os.kernel", 2)})
    must(store_->add_result(nullptr, judgement(other, Verdict::skip)));
  auto phase = k, subject = k, sample = k;
  phase.phase = "build", subject.subject = "gpu0", sample.sample = 1;
  for (auto& other : {phase, subject, sample}) must(store_->add_result(nullptr, judgement(other, Verdict::skip)));
}

TEST_F(StoreTest, ResultsNeedTheirLayer) {
  add_run(*store_, "r1");
  EXPECT_EQ(code_of(store_->add_result(nullptr, judgement(key("r2", "h0", "c"), Verdict::pass))), Errc::storage);
}

TEST_F(StoreTest, CapabilitiesComeBackAndTheNewestWins) {
  add_run(*store_, "r1");
  Capabilities said;
  said.set({.id = "docker.daemon", .value = true, .evidence = "usual", .origin = FactOrigin::predicted, .scope = FactScope::host});
  must(store_->add_capabilities("r1", "rack", "h0", said));
  Capabilities seen;
  seen.set({.id = "docker.daemon",
            .value = std::nullopt,
            .evidence = "permission denied",
            .origin = FactOrigin::probed,
            .scope = FactScope::login});
  seen.set({.id = "gpu", .value = 2, .evidence = "/dev/nvidia0", .origin = FactOrigin::probed, .scope = FactScope::host});
  must(store_->add_capabilities("r1", "rack", "h0", seen));
  auto rows = must(store_->capabilities("r1"));
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].fact, *seen.find("docker.daemon"));
  EXPECT_EQ(rows[1].fact, *seen.find("gpu"));
  EXPECT_EQ(rows[1].layer + rows[1].host, "rackh0");
}

TEST_F(StoreTest, DocumentsAreKeptByTheirHash) {
  auto hash = must(store_->put_document("plan", "name: x\n"));
  EXPECT_EQ(hash, sha256_hex("name: x\n"));
  EXPECT_EQ(must(store_->put_document("plan", "name: x\n")), hash);
  EXPECT_EQ(must(store_->document(hash)), "name: x\n");
  EXPECT_EQ(code_of(store_->document("00")), Errc::not_found);
}

TEST_F(StoreTest, ArtefactsAreFilesByTheirHash) {
  add_run(*store_, "r1");
  std::string bytes("journal\0of the kernel\n", 22);
  ArtefactRow row{.run = "r1", .layer = "rack", .host = "h0", .check = "os.kernel", .name = "dmesg", .sha256 = "", .bytes = 0, .at = 55};
  must(store_->add_artefact(row, bytes));
  must(store_->add_artefact(row, ""));
  auto rows = must(store_->artefacts("r1"));
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].sha256, sha256_hex(bytes));
  EXPECT_EQ(rows[0].bytes, 22U);
  EXPECT_EQ(rows[0].layer + rows[0].host + rows[0].check + rows[0].name, "rackh0os.kerneldmesg");
  EXPECT_EQ(rows[0].at, 55);
  EXPECT_EQ(must(store_->artefact(rows[0].sha256)), bytes);
  EXPECT_EQ(must(store_->artefact(rows[1].sha256)), "");

  auto folder = dir_.state() + "/artefacts/" + rows[0].sha256.substr(0, 2);
  auto file = folder + "/" + rows[0].sha256;
  EXPECT_EQ(mode_of(folder), 0700U);
  EXPECT_EQ(mode_of(file), 0600U);
  std::ofstream(file, std::ios::app) << "!";
  EXPECT_EQ(code_of(store_->artefact(rows[0].sha256)), Errc::storage);
  must(store_->add_artefact(row, bytes));  // heals it
  EXPECT_EQ(must(store_->artefact(rows[0].sha256)), bytes);
  for (auto& wrong : {std::string(64, 'a'), std::string("../results.db"), std::string()})
    EXPECT_EQ(code_of(store_->artefact(wrong)), Errc::not_found);
}

TEST_F(StoreTest, FilesArePrivate) {
  EXPECT_EQ(mode_of(dir_.state()), 0700U);
  EXPECT_EQ(mode_of(dir_.state() + "/results.db"), 0600U);
}

TEST_F(StoreTest, ReadersSeeWhatIsThereAndWriteNothing) {
  add_run(*store_, "r1");
  auto reader = must(Store::open_existing(dir_.state(), clock_));
  EXPECT_EQ(must(reader->run("last"))->id, "r1");
  EXPECT_EQ(code_of(reader->end_run("r1", 0)), Errc::storage);
  EXPECT_EQ(code_of(Store::open_existing(dir_.path() + "/nowhere", clock_)), Errc::not_found);
  std::filesystem::remove(dir_.state() + "/results.db");
  EXPECT_EQ(code_of(Store::open_existing(dir_.state(), clock_)), Errc::not_found);
  EXPECT_FALSE(std::filesystem::exists(dir_.state() + "/results.db"));
}
