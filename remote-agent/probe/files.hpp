#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace vt::probe {

/// The file system as the probes see it: nothing but reading, every path below one root. `error` is an errno, 0 = fine.
class Files {
 public:
  struct Text {
    std::string text;  ///< trimmed of white space at the end; at most 1 MiB
    int error = 0;
  };
  struct Names {
    std::vector<std::string> names;  ///< sorted
    int error = 0;
  };
  struct Status {
    std::uint32_t mode = 0;
    std::uint32_t owner = 0;
    int error = 0;
  };

  explicit Files(std::string root) : root_(std::move(root)) {}

  [[nodiscard]] Text read(const std::string& path) const;
  [[nodiscard]] Names list(const std::string& folder) const;
  [[nodiscard]] Status stat(const std::string& path) const;
  [[nodiscard]] Text link(const std::string& path) const;  ///< where a symbolic link points
  /// 0 or the errno of looking at it; ENOENT = it is not there.
  [[nodiscard]] int look(const std::string& path) const { return stat(path).error; }
  [[nodiscard]] bool exists(const std::string& path) const { return look(path) == 0; }
  /// Where `path` really is, for what is not read through this class (sockets, devices).
  [[nodiscard]] std::string real(const std::string& path) const { return root_ + path; }

 private:
  std::string root_;
};

/// True for the errors that mean "it is not there", as against "I may not look".
bool absent(int error);

}  // namespace vt::probe
