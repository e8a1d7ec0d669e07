#pragma once
#include <memory>

#include "providers/provider.hpp"

namespace vt {

/// Pods of RunPod through its REST API v2, on demand (there is no spot market any more). docs/setup-runpod.md has the options of a
/// layer and what an account needs.
std::unique_ptr<Provider> make_runpod(const ProviderContext&);
/// The same over another HTTP client.
std::unique_ptr<Provider> make_runpod(const ProviderContext&, std::unique_ptr<Http>);

}  // namespace vt
