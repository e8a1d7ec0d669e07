#pragma once
#include <memory>
#include <string>
#include <vector>

#include "providers/provider.hpp"

namespace vt {

/// One row per provider: a new provider is one folder and one line in registry.cpp.
struct ProviderEntry {
  const char* name;
  const char* summary;
  /// Keys a layer of this provider may have beside the common ones, dotted for nested ones; "x!" = required.
  std::vector<std::string> options;
  std::unique_ptr<Provider> (*make)(const ProviderContext&);
  bool can_run = true;  ///< false: plans may name it and are predicted; running it is not possible yet
};

const std::vector<ProviderEntry>& provider_registry();
const ProviderEntry* find_provider(const std::string& name);

}  // namespace vt
