#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "remote-agent/probe/table.hpp"
#include "remote-agent/probe/words.hpp"
#include "tests/unit/agent/probe/scene.hpp"

namespace vt::probe {
namespace {

const std::set<std::string> kPredictedOnly = {"image.build"};

struct Row {
  std::string id;
  bool login = false;
};

std::string between(const std::string& text, const std::string& open, const std::string& close) {
  auto from = text.find(open);
  if (from == std::string::npos) return "";
  from += open.size();
  return text.substr(from, text.find(close, from) - from);
}

/// The table of docs/capabilities.md, `tool.NAME` unfolded.
std::vector<Row> documented() {
  std::vector<Row> out;
  std::ifstream file(VT_SOURCE_DIR "/docs/capabilities.md");
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with("| `")) continue;
    auto id = between(line, "`", "`");
    bool login = split(line, '|')[2].find("login") != std::string::npos;
    if (id != "tool.NAME") {
      out.push_back({id, login});
      continue;
    }
    for (auto& name : split(between(line, "PATH: ", " |"), ',')) out.push_back({"tool." + words(name).front(), login});
  }
  return out;
}

std::vector<Fact> facts_of(const Scene& scene) {
  std::vector<Fact> out;
  probe_all(scene.options, scene.system, [&](const Fact& fact) { out.push_back(fact); });
  return out;
}

TEST(ProbeCatalogue, IsExactlyWhatIsDocumentedInThatOrder) {
  std::vector<std::string> wanted, have;
  for (auto& row : documented())
    if (!kPredictedOnly.contains(row.id)) wanted.push_back(row.id);
  for (auto& fact : facts_of(Scene())) have.push_back(fact.id);
  EXPECT_GE(wanted.size(), 60U);
  EXPECT_EQ(have, wanted);
}

TEST(ProbeCatalogue, ScopesAreAsDocumented) {
  std::map<std::string, std::string> scope;
  for (auto& fact : facts_of(Scene())) scope[fact.id] = fact.scope;
  for (auto& row : documented())
    if (!kPredictedOnly.contains(row.id)) { EXPECT_EQ(scope[row.id], row.login ? "login" : "host") << row.id; }
}

TEST(ProbeCatalogue, PredictedOnlyIdsAreDocumented) {
  std::set<std::string> ids;
  for (auto& row : documented()) ids.insert(row.id);
  for (auto& id : kPredictedOnly) EXPECT_TRUE(ids.contains(id)) << id;
}

TEST(ProbeCatalogue, ValuesAreJsonAndEvidenceIsOneLine) {
  Scene scene;
  scene.file("/proc/1/comm", "evil\x1b[2J\xff name\nsecond");
  for (auto& fact : facts_of(scene)) {
    EXPECT_TRUE(fact.value.empty() || nlohmann::json::accept(fact.value)) << fact.id << ": " << fact.value;
    EXPECT_FALSE(fact.evidence.empty()) << fact.id;
    EXPECT_EQ(fact.evidence.find_first_of("\n\x1b"), std::string::npos) << fact.id;
  }
}

TEST(ProbeCatalogue, OnAHostWithoutAnyFileNothingIsClaimedFromTheMissingOnes) {
  Scene scene;
  TempTree empty;
  scene.options.root = empty.root();
  for (auto& fact : facts_of(scene)) {
    bool from_files = fact.id != "host.root" && fact.id != "host.sudo" && fact.id != "kernel.version" && fact.id != "driver.nvml";
    bool asked_or_searched = fact.id.starts_with("docker") || fact.id == "podman" || fact.id == "containers.nested" || fact.id == "kvm" ||
                             fact.id == "dmesg.read" || fact.id == "kernel.modules" || fact.id == "pkg.manager" ||
                             fact.id.starts_with("tool.");
    if (from_files && !asked_or_searched) { EXPECT_EQ(fact.value, "") << fact.id << ": " << fact.evidence; }
  }
}

TEST(ProbeCatalogue, SlowQuestionsAreAskedOnce) {
  Scene scene;
  int sudo = 0, nvml = 0;
  scene.login(1000).program("/usr/bin/sudo");
  scene.system.sudo = [&](System::Limit) { return ++sudo, std::optional<int>(0); };
  scene.system.nvml = [&](bool, System::Limit) { return ++nvml, Nvml{}; };
  facts_of(scene);
  EXPECT_EQ(sudo, 1);
  EXPECT_EQ(nvml, 1);
}

TEST(ProbeCatalogue, StreamsInOrderWhileItRuns) {
  Scene scene;
  std::vector<std::string> seen;
  scene.system.namespaces = [&](System::Limit) {
    EXPECT_EQ(seen.empty() ? "" : seen.back(), "podman");  // what comes before it in the table has been told already
    return 0;
  };
  probe_all(scene.options, scene.system, [&](const Fact& fact) { seen.push_back(fact.id); });
  EXPECT_EQ(seen.front(), "host.root");
}

}  // namespace
}  // namespace vt::probe
