#pragma once
#include <string>
#include <vector>

#include "orchestrator/model/result.hpp"

namespace vt::gpu {

/// A shared library of NVIDIA's on this host, opened at run time. Stays open until the process ends: they do not like to be closed.
class Library {
 public:
  Library(void* handle, std::string path) : handle_(handle), path_(std::move(path)) {}
  [[nodiscard]] const std::string& path() const { return path_; }  ///< as resolved by the loader
  /// nullptr: it has no such function.
  [[nodiscard]] void* symbol(const char* name) const;
  template <class Function>
  [[nodiscard]] Function function(const char* name) const {
    return reinterpret_cast<Function>(symbol(name));
  }

 private:
  void* handle_;
  std::string path_;
};

/// Where such libraries are looked for, in this order: the user's payload folder (VT_PAYLOAD), LD_LIBRARY_PATH, the loader's own
/// paths, /usr/local/cuda*, pip's nvidia/*/lib and torch/lib below the usual site-packages and virtual environments.
std::vector<std::string> library_folders();
/// Every file of one of these names in those folders, without links that lead to the same file.
std::vector<std::string> find_libraries(const std::vector<std::string>& names);
/// Opens the first that can be opened: names are tried in order ("libnccl.so.2"). Errc::not_found: there is none; Errc::refused: there
/// is one and it cannot be loaded (the text has the loader's words).
Result<Library> open_library(const std::vector<std::string>& names);

}  // namespace vt::gpu
