#pragma once
#include <string>

namespace vt::test {

/// A new folder below /tmp (mode 0700), removed with everything in it at the end.
class TempDir {
 public:
  TempDir();
  ~TempDir();
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;
  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] std::string operator/(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

/// Whole file; "" if there is none.
std::string read_file(const std::string& path);
void write_file(const std::string& path, const std::string& text, unsigned mode = 0600);
/// Runs a shell command; its exit status.
int shell(const std::string& command);

}  // namespace vt::test
