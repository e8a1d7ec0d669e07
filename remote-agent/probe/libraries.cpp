#include "remote-agent/base/libraries.hpp"

#include "remote-agent/probe/probes.hpp"
#include "remote-agent/probe/words.hpp"

namespace vt::probe {
namespace {

using Strings = std::vector<std::string>;

/// The version as the file tells without being opened; a library that keeps it to itself is asked, in a child.
Answer version_of(const Host& host, const std::string& path) {
  auto version = agent::library_version(path);
  if (!version.empty()) return text(version, path);
  auto told = host.system.library_version(path, host.limit());
  if (told.empty()) return unknown(path + " does not tell its version");
  return text(told, path + " says " + told);
}

Answer first_of(const Host& host, const Strings& found, const std::string& name) {
  if (!found.empty()) return version_of(host, found.front());
  if (agent::library_folders({host.options.root, host.system.environment}).empty()) return unknown("no folder of libraries can be seen");
  return text("", "no " + name + " in the loader's folders, LD_LIBRARY_PATH, CUDA's folders or Python's packages");
}

Answer library(const Host& host, const Strings& names) {
  return first_of(host, agent::find_libraries({host.options.root, host.system.environment}, names), names.front());
}

}  // namespace

Answer lib_cuda(const Host& host) { return library(host, {"libcuda.so.1"}); }
Answer lib_nvml(const Host& host) { return library(host, {"libnvidia-ml.so.1"}); }
Answer lib_cublaslt(const Host& host) { return library(host, {"libcublasLt.so.13", "libcublasLt.so.12", "libcublasLt.so.11"}); }
Answer lib_nccl(const Host& host) { return library(host, {"libnccl.so.2"}); }
Answer lib_nvrtc(const Host& host) { return library(host, {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2"}); }

Answer lib_torch(const Host& host) {
  constexpr auto kFile = "torch/lib/libtorch_cuda.so";
  return first_of(host, agent::package_files({host.options.root, host.system.environment}, kFile), kFile);
}

}  // namespace vt::probe
