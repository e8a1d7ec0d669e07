#include "tests/support/fake_gpus.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "tests/unit/agent/agent_client.hpp"

namespace vt::test {

namespace {

namespace fs = std::filesystem;
using nlohmann::json;

/// Without a copy where one file system holds both. A link would not do: the double looks for its configuration where it lies.
void place(const fs::path& file, const fs::path& at) {
  std::error_code error;
  fs::create_hard_link(file, at, error);
  if (error) fs::copy_file(file, at);
}

std::string two_digits(int n) { return (n < 10 ? "0" : "") + std::to_string(n); }

}  // namespace

FakeGpus::FakeGpus(int count, const std::string& model) {
  for (auto& file : fs::directory_iterator(VT_DOUBLES_DIR)) place(file.path(), folder_ / file.path().filename().string());
  for (auto* older : {"libnvrtc.so.12", "libnvrtc.so.11.2"}) place(folder_ / "libnvrtc.so.13", folder_ / older);
  host_ = {{"driver", "580.95.05"}, {"cuda", 13000}, {"nvml", json::object()}, {"faults", json::array()}};
  for (int i = 0; i < count; ++i)
    host_["gpus"].push_back({{"name", model},
                             {"uuid", "GPU-5090f00d-0000-4000-8000-0000000000" + two_digits(i)},
                             {"pci", "00000000:" + two_digits(i + 1) + ":00.0"},
                             {"sm", 120},
                             {"free_mib", 64},
                             {"nvml", json::object()}});
}

FakeGpus::FakeGpus(const json& what) : FakeGpus(what.value("count", 1), what.value("model", "NVIDIA GeForce RTX 5090")) {
  for (auto& one : host_["gpus"]) one.merge_patch(what.value("each", json::object()));
  auto patches = what.value("gpu", json::object());
  for (auto& [ordinal, patch] : patches.items()) gpu(std::stoi(ordinal)).merge_patch(patch);
  auto rest = what;
  for (auto* used : {"count", "model", "each", "gpu"}) rest.erase(used);
  host_.merge_patch(rest);
}

void FakeGpus::every_nvml(const std::string& key, const json& value) {
  for (auto& one : host_["gpus"]) one["nvml"][key] = value;
}

void FakeGpus::all_p2p() {
  auto count = host_["gpus"].size();
  host_["p2p"] = std::vector(count, std::vector<bool>(count, true));
}

void FakeGpus::fault_corrupt_p2p(int from, int to, int after) {
  fault({{"kind", "corrupt-p2p"}, {"gpu", from}, {"to", to}, {"after", after}});
}
void FakeGpus::fault_corrupt_copy(int gpu, const std::string& direction, int after) {
  fault({{"kind", "corrupt-copy"}, {"gpu", gpu}, {"where", direction}, {"after", after}});
}
void FakeGpus::fault_wrong_element(int gpu, const std::string& kernel, int argument, std::size_t byte, int bit, int after) {
  fault({{"kind", "wrong-element"},
         {"gpu", gpu},
         {"kernel", kernel},
         {"argument", argument},
         {"offset", byte},
         {"bit", bit},
         {"after", after}});
}
void FakeGpus::fault_memory(int gpu, std::size_t offset, int bit, bool stuck_at) {
  fault({{"kind", "memory-flaw"}, {"gpu", gpu}, {"offset", offset}, {"bit", bit}, {"value", stuck_at ? 1 : 0}});
}
void FakeGpus::fault_launch(int gpu, int code, int after) { fault({{"kind", "launch"}, {"gpu", gpu}, {"code", code}, {"after", after}}); }
void FakeGpus::fault_hang(int gpu, const std::string& in, int after) {
  fault({{"kind", "hang"}, {"gpu", gpu}, {"where", in}, {"after", after}});
}
void FakeGpus::fault_context_hang(int gpu) { fault({{"kind", "context-hang"}, {"gpu", gpu}}); }
void FakeGpus::fault_lost(int gpu, int after_launches) { fault({{"kind", "lost"}, {"gpu", gpu}, {"after", after_launches}}); }
void FakeGpus::fault_xid(int gpu, int code, int after_launches, int after_ms) {
  fault({{"kind", "xid"}, {"gpu", gpu}, {"code", code}, {"after", after_launches}, {"after_ms", after_ms}});
}
void FakeGpus::fault_ecc(int gpu, bool uncorrected, int count, int after_launches) {
  nvml(gpu)["ecc"] = 1;
  auto* where = uncorrected ? "uncorrected" : "corrected";
  fault({{"kind", "ecc"}, {"gpu", gpu}, {"where", where}, {"count", count}, {"after", after_launches}});
}
void FakeGpus::fault_throttle(int gpu, unsigned bits) { fault({{"kind", "throttle"}, {"gpu", gpu}, {"code", bits}}); }
void FakeGpus::fault_driver_mismatch() { host_["nvml"]["mismatch"] = true; }
void FakeGpus::fault_nvrtc() { fault({{"kind", "nvrtc"}}); }

void FakeGpus::time_slice(int logical) {
  auto physical = gpu(0);
  host_["gpus"] = std::vector(static_cast<std::size_t>(logical), physical);
}

const std::string& FakeGpus::folder() {
  write_file(folder_ / "gpus.json", host_.dump(1), 0644);
  return folder_.path();
}

std::map<std::string, std::string> FakeGpus::environment() { return {{"LD_LIBRARY_PATH", folder()}}; }

protocol::JobResult FakeGpus::check(const std::string& name, json args, int deadline_ms) {
  Folder state;
  Agent agent(state, {environment(), 0});
  auto job = test::check("check", name, std::move(args));
  job["deadline_ms"] = deadline_ms;
  constexpr int kGrace = 5000;
  return agent.run(job, deadline_ms + kGrace);
}

json FakeGpus::values(const std::string& name, json args, int deadline_ms) {
  auto result = check(name, std::move(args), deadline_ms);
  EXPECT_EQ(result.error, "") << result.err.head;
  auto values = json::parse(result.values, nullptr, false);
  EXPECT_TRUE(values.is_object()) << result.values << result.error << result.err.head;
  return values;
}

}  // namespace vt::test
