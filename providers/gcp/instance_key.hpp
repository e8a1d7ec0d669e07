#pragma once
#include <string>

#include "orchestrator/model/result.hpp"

namespace vt::gcp {

/// "<state_dir>/keys/<name>": the private key that opens one instance; beside it NAME.pub.
std::string key_path(const std::string& state_dir, const std::string& name);
/// The public line of the instance's key. It is made and stored (0600, folder 0700, on disk) the first time, so that no instance
/// is ever asked for whose key could get lost; asked again, the same key.
Result<std::string> instance_key(const std::string& state_dir, const std::string& name);
/// Once the instance is being deleted. Nothing there is fine.
void forget_instance_key(const std::string& state_dir, const std::string& name);

}  // namespace vt::gcp
