#pragma once
#include <map>
#include <string>
#include <vector>

#include "orchestrator/plan/load.hpp"

namespace vt::test {

/// A folder of its own below /tmp, gone with the object.
class TempFolder {
 public:
  TempFolder();
  ~TempFolder();
  TempFolder(const TempFolder&) = delete;
  [[nodiscard]] const std::string& path() const { return path_; }
  /// Writes a file, making its folders; returns its path.
  std::string write(const std::string& name, const std::string& text) const;

 private:
  std::string path_;
};

/// Makes paths relative to `folder` for as long as it lives, so that messages do not depend on where the sources are.
class WorkIn {
 public:
  explicit WorkIn(const std::string& folder);
  ~WorkIn();
  WorkIn(const WorkIn&) = delete;

 private:
  std::string before_;
};

std::string data(const std::string& name);  ///< a path below tests/data
std::string read(const std::string& path);
/// The catalogue of the tests, which has every name the plans here use.
const LoadedCatalogue& catalogue();
const std::vector<ProviderSchema>& providers();
std::string text(const Problems&);

struct Given {
  std::map<std::string, std::string> set = {}, environment = {};
};
/// Loads `text` as a plan file of its own.
LoadedPlan load(const std::string& text, const Given& = {});
/// A whole plan around the keys of one layer, each on a line of its own.
std::string plan_with(const std::string& layer_keys, const std::string& provider = "local", const std::string& top = "");

}  // namespace vt::test
