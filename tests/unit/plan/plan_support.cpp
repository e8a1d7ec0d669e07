#include "plan_support.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "orchestrator/model/text.hpp"

namespace vt::test {

namespace fs = std::filesystem;

TempFolder::TempFolder() {
  char name[] = "/tmp/vt-plan-XXXXXX";
  path_ = mkdtemp(name);
}
TempFolder::~TempFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}
std::string TempFolder::write(const std::string& name, const std::string& text) const {
  auto path = fs::path(path_) / name;
  fs::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << text;
  return path.string();
}

WorkIn::WorkIn(const std::string& folder) : before_(fs::current_path().string()) { fs::current_path(folder); }
WorkIn::~WorkIn() { fs::current_path(before_); }

std::string data(const std::string& name) { return std::string(VT_SOURCE_DIR) + "/tests/data/" + name; }

std::string read(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

const LoadedCatalogue& catalogue() {
  static const LoadedCatalogue loaded = load_catalogue(data("plan-catalogue"));
  EXPECT_EQ(text(loaded.problems), "");
  return loaded;
}

const std::vector<ProviderSchema>& providers() {
  static const std::vector<ProviderSchema> all{{"local", {}},
                                               {"bare-metal", {"hosts!"}},
                                               {"gcp", {"project!", "machine!", "zones", "market"}},
                                               {"runpod", {"gpu!", "cloud", "image", "disk", "min-cuda"}}};
  return all;
}

std::string text(const Problems& problems) {
  std::string out;
  for (auto& problem : problems) out += problem.text() + "\n";
  return out;
}

LoadedPlan load(const std::string& plan, const Given& given) {
  TempFolder folder;
  WorkIn here(folder.path());
  folder.write("plan.yaml", plan);
  return load_plan({"plan.yaml", given.set, given.environment}, catalogue().catalogue, providers());
}

std::string plan_with(const std::string& layer_keys, const std::string& provider, const std::string& top) {
  std::string out = "vault-test: 1\nname: p\n" + top + "layers:\n  a:\n    provider: " + provider + "\n    suites: [os, gpu-stack]\n";
  for (auto& line : split(layer_keys, '\n')) out += "    " + line + "\n";
  return out;
}

}  // namespace vt::test
