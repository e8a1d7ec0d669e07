#include "remote-agent/base/libraries.hpp"

#include <dlfcn.h>
#include <glob.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <sstream>

#include "remote-agent/base/os.hpp"

namespace vt::agent {

namespace {

namespace fs = std::filesystem;
using Paths = std::vector<std::string>;

/// What there is of a shell pattern, in alphabetical order.
Paths expand(const std::string& pattern) {
  glob_t found{};
  Paths out;
  if (::glob(pattern.c_str(), GLOB_NOSORT, nullptr, &found) == 0) out.assign(found.gl_pathv, found.gl_pathv + found.gl_pathc);
  ::globfree(&found);
  std::sort(out.begin(), out.end());
  return out;
}

Paths split(const std::string& text, char separator) {
  std::istringstream in(text);
  Paths out;
  for (std::string part; std::getline(in, part, separator);)
    if (!part.empty()) out.push_back(part);
  return out;
}

/// Folders named in ld.so.conf, whose includes lead to files and no further.
void read_loader_settings(const Host& host, const std::string& file, bool follow, Paths& out) {
  for (auto& line : split(read_file(file), '\n')) {
    std::istringstream words(line.substr(0, line.find('#')));
    std::string first, second;
    words >> first >> second;
    if (first.starts_with('/')) out.push_back(first);
    if (first != "include" || !follow) continue;
    auto pattern = second.starts_with('/') ? second : "/etc/" + second;
    for (auto& included : expand(host.root + pattern)) read_loader_settings(host, included, false, out);
  }
}

/// Where Python keeps packages: the system's, the user's, and virtual environments where people put them.
Paths package_folders(const Host& host) {
  Paths out;
  for (auto* name : {"VIRTUAL_ENV", "CONDA_PREFIX"})
    if (auto prefix = host.environment(name); !prefix.empty()) out.push_back(prefix + "/lib/python3*/site-packages");
  for (auto* prefix : {"/usr/local/lib", "/usr/lib"})
    for (auto* kind : {"/python3*/dist-packages", "/python3*/site-packages"}) out.push_back(std::string(prefix) + kind);
  auto home = host.environment("HOME");
  if (!home.empty()) {
    out.push_back(home + "/.local/lib/python3*/site-packages");
    for (auto* place : {"/*/lib", "/.*/lib"}) out.push_back(home + place + "/python3*/site-packages");
  }
  for (auto* prefix : {"/opt/*", "/opt/*/envs/*", "/venv", "/workspace/*", "/app/*"})
    out.push_back(std::string(prefix) + "/lib/python3*/site-packages");
  return out;
}

/// Patterns, in the order in which they count.
Paths patterns(const Host& host) {
  Paths out;
  if (auto payload = host.environment("VT_PAYLOAD"); !payload.empty()) out = {payload, payload + "/lib"};
  for (auto& folder : split(host.environment("LD_LIBRARY_PATH"), ':')) out.push_back(folder);
  read_loader_settings(host, host.root + "/etc/ld.so.conf", true, out);
  for (auto* folder : {"/lib/*-linux-gnu", "/usr/lib/*-linux-gnu", "/lib64", "/usr/lib64", "/lib", "/usr/lib", "/usr/lib/wsl/lib",
                       "/usr/local/nvidia/lib64", "/usr/local/cuda*/lib64", "/usr/local/cuda*/targets/*/lib", "/usr/local/cuda*/lib"})
    out.emplace_back(folder);
  for (auto& packages : package_folders(host)) {
    out.push_back(packages + "/nvidia/*/lib");
    out.push_back(packages + "/torch/lib");
  }
  return out;
}

/// Digits and at least one point: a major version alone says too little.
bool is_version(std::string_view text) {
  return text.find('.') != std::string_view::npos && text.find_first_not_of("0123456789.") == std::string_view::npos && text.back() != '.';
}

/// The Python package a library comes with, as a pattern of its record's name.
std::string package_of(const std::string& library) {
  if (library == "torch_cuda") return "torch";
  if (library == "cublasLt") return "nvidia_cublas*";
  return (library == "nvrtc" ? "nvidia_cuda_" : "nvidia_") + library + "*";
}

/// "nvidia_nccl_cu12-2.26.2.dist-info" -> "2.26.2"; "torch-2.7.1+cu128.dist-info" -> "2.7.1".
std::string package_version(const std::string& folder, const std::string& library) {
  for (auto& record : expand(folder + "/" + package_of(library) + "-*.dist-info")) {
    auto name = fs::path(record).filename().string();
    auto version = name.substr(name.find('-') + 1);
    version.resize(version.size() - std::string_view(".dist-info").size());
    version = version.substr(0, version.find('+'));
    if (is_version(version)) return version;
  }
  return "";
}

std::string points(std::size_t number) {  // 22602 -> 2.26.2, as NCCL (since 2.9) and cublasLt count
  return std::to_string(number / 10'000) + "." + std::to_string(number / 100 % 100) + "." + std::to_string(number % 100);
}

}  // namespace

Host this_host() {
  return {"", [](const std::string& name) {
            auto* value = std::getenv(name.c_str());
            return std::string(value ? value : "");
          }};
}

Paths library_folders(const Host& host) {
  Paths out;
  std::error_code error;
  for (auto& pattern : patterns(host))
    for (auto& folder : expand(host.root + pattern)) {
      auto real = fs::canonical(folder, error).string();
      if (!error && fs::is_directory(real, error) && std::find(out.begin(), out.end(), real) == out.end()) out.push_back(real);
    }
  return out;
}

Paths find_libraries(const Host& host, const Paths& names) {
  Paths out;
  auto folders = library_folders(host);
  std::error_code error;
  for (auto& name : names)
    for (auto& folder : folders) {
      auto real = fs::canonical(folder + "/" + name, error).string();
      if (!error && fs::is_regular_file(real, error) && std::find(out.begin(), out.end(), real) == out.end()) out.push_back(real);
    }
  return out;
}

Paths package_files(const Host& host, const std::string& pattern) {
  Paths out;
  std::error_code error;
  for (auto& packages : package_folders(host))
    for (auto& file : expand(host.root + packages + "/" + pattern)) {
      auto real = fs::canonical(file, error).string();
      if (!error && fs::is_regular_file(real, error) && std::find(out.begin(), out.end(), real) == out.end()) out.push_back(real);
    }
  return out;
}

std::string library_version(const std::string& path) {
  auto file = fs::path(path);
  auto name = file.filename().string();
  auto end = name.find(".so");
  if (!name.starts_with("lib") || end == std::string::npos) return "";
  if (auto version = name.substr(std::min(end + 4, name.size())); is_version(version)) return version;
  auto packages = file.parent_path().parent_path().parent_path();  // torch/lib/libtorch_cuda.so, nvidia/nccl/lib/libnccl.so.2
  auto library = name.substr(3, end - 3);
  return package_version((library == "torch_cuda" ? packages : packages.parent_path()).string(), library);
}

std::string told_version(void* handle) {
  if (auto nccl = reinterpret_cast<int (*)(int*)>(::dlsym(handle, "ncclGetVersion"))) {
    int version = 0;
    return nccl(&version) == 0 && version > 0 ? points(static_cast<std::size_t>(version)) : "";
  }
  if (auto cublas = reinterpret_cast<std::size_t (*)()>(::dlsym(handle, "cublasLtGetVersion"))) return points(cublas());
  if (auto nvrtc = reinterpret_cast<int (*)(int*, int*)>(::dlsym(handle, "nvrtcVersion"))) {
    int major = 0, minor = 0;
    return nvrtc(&major, &minor) == 0 ? std::to_string(major) + "." + std::to_string(minor) : "";
  }
  return "";
}

}  // namespace vt::agent
