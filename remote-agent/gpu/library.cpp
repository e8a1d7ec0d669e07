#include "remote-agent/gpu/library.hpp"

#include <dlfcn.h>
#include <link.h>

#include <filesystem>

#include "remote-agent/base/libraries.hpp"

namespace vt::gpu {

namespace {

std::string resolved(void* handle, const std::string& asked) {
  link_map* map = nullptr;
  std::string path = ::dlinfo(handle, RTLD_DI_LINKMAP, static_cast<void*>(&map)) == 0 && map && map->l_name ? map->l_name : asked;
  std::error_code error;
  auto real = std::filesystem::canonical(path, error).string();
  return error ? path : real;
}

}  // namespace

void* Library::symbol(const char* name) const { return ::dlsym(handle_, name); }

std::vector<std::string> library_folders() { return agent::library_folders(agent::this_host()); }

std::vector<std::string> find_libraries(const std::vector<std::string>& names) { return agent::find_libraries(agent::this_host(), names); }

Result<Library> open_library(const std::vector<std::string>& names) {
  auto candidates = find_libraries(names);
  bool found = !candidates.empty();
  candidates.insert(candidates.end(), names.begin(), names.end());  // the loader may know of more folders than we do
  std::string trouble;
  for (auto& candidate : candidates) {
    if (auto* handle = ::dlopen(candidate.c_str(), RTLD_NOW | RTLD_LOCAL)) return Library(handle, resolved(handle, candidate));
    auto* words = ::dlerror();
    if (trouble.empty() && words) trouble = words;
  }
  auto name = names.empty() ? std::string("library") : names.front();
  if (!found) return fail(Errc::not_found, "there is no " + name + " on this host");
  return fail(Errc::refused, name + " cannot be loaded: " + trouble);
}

}  // namespace vt::gpu
