#include <dlfcn.h>

#include <algorithm>
#include <sstream>

#include "remote-agent/base/libraries.hpp"
#include "remote-agent/checks/check.hpp"
#include "remote-agent/gpu/open.hpp"

namespace vt::checks {

namespace {

using Strings = std::vector<std::string>;

struct Kind {
  const char* name;
  Strings files;
  /// The least version that has code for compute capability 10.0 and 12.0; "": any. cublasLt: release notes of CUDA 12.8. NCCL: 2.25.1
  /// was the first with sm_100 and sm_120, but asked for more shared memory than the latter has; 2.26.2 works.
  const char* least_for_blackwell;
};
const Kind kKinds[] = {{"cuda", {"libcuda.so.1"}, ""},
                       {"cublaslt", {"libcublasLt.so.13", "libcublasLt.so.12", "libcublasLt.so.11"}, "12.8"},
                       {"nccl", {"libnccl.so.2"}, "2.26.2"},
                       {"nvrtc", {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2"}, ""}};

std::vector<long> numbers(const std::string& version) {
  std::istringstream in(version);
  std::vector<long> out;
  for (std::string part; std::getline(in, part, '.');) out.push_back(std::atol(part.c_str()));
  return out;
}

/// Its own word where it gives one, else its file's name; "" if neither tells.
std::string version_of(const std::string& path, std::string& trouble) {
  auto* handle = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    auto* words = ::dlerror();
    trouble = words ? words : path + " cannot be loaded";
    return agent::library_version(path);
  }
  auto told = agent::told_version(handle);
  return told.empty() ? agent::library_version(path) : told;
}

/// The newest architecture of this host's GPUs; 0 without any.
int newest_architecture() {
  auto devices = gpu::list();
  int out = 0;
  if (devices)
    for (auto& device : devices.value()) out = std::max(out, device.sm);
  return out;
}

struct Findings {
  std::string too_old, broken, duplicates;
  static void add(std::string& to, const std::string& text) { to += (to.empty() ? "" : "; ") + text; }
};

/// The first that is found under a name is the one that programs get; another version behind it is what some of them get instead.
void look_at(const Kind& kind, const std::string& file, int sm, nlohmann::json& values, Findings& findings) {
  constexpr int kBlackwell = 100;
  auto paths = agent::find_libraries(agent::this_host(), {file});
  if (paths.empty()) return;
  std::string trouble, others;
  auto& path = paths.front();
  auto version = version_of(path, trouble);
  if (!values.contains(kind.name))
    values[kind.name] = version.empty() ? "unknown" : version, values[std::string(kind.name) + "_path"] = path;
  if (!trouble.empty()) Findings::add(findings.broken, trouble);
  bool old = sm >= kBlackwell && !version.empty() && numbers(version) < numbers(kind.least_for_blackwell);
  if (old)
    Findings::add(findings.too_old,
                  path + " is " + version + ": sm_" + std::to_string(sm) + " needs " + kind.least_for_blackwell + " or newer");
  for (std::size_t i = 1; i < paths.size(); ++i) {
    auto other = agent::library_version(paths[i]);
    if (other != agent::library_version(path)) others += ", " + paths[i] + (other.empty() ? "" : " " + other);
  }
  if (!others.empty()) Findings::add(findings.duplicates, path + " " + version + others);
}

}  // namespace

Outcome gpu_libraries(const Task& task, Reporter&) {
  Outcome out;
  Findings findings;
  auto sm = static_cast<int>(task.number("sm", 0));
  if (sm == 0) sm = newest_architecture();
  for (auto& kind : kKinds)
    for (auto& file : kind.files) look_at(kind, file, sm, out.values, findings);
  if (out.values.empty()) return {{}, "", "none of NVIDIA's libraries is here"};
  auto or_none = [](const std::string& text) { return text.empty() ? "none" : text; };
  out.values["sm"] = sm;
  out.values["too_old"] = or_none(findings.too_old);
  out.values["broken"] = or_none(findings.broken);
  out.values["duplicates"] = or_none(findings.duplicates);
  return out;
}

}  // namespace vt::checks
