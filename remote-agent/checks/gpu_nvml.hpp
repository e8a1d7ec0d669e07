#pragma once
#include <functional>

#include "remote-agent/checks/check.hpp"
#include "remote-agent/gpu/nvml.hpp"

namespace vt::checks {

/// What NVML says about one GPU, by name.
using ReadGpu = std::function<Result<nlohmann::json>(const gpu::nvml::Nvml&, gpu::nvml::Handle)>;

/// Adds a GPU's values to lists that have one entry for each of the `before` GPUs before it: null where a GPU has none of that name,
/// so that entry i is GPU i in every list.
void append_row(nlohmann::json& lists, const nlohmann::json& row, std::size_t before);

/// Asks every GPU: each name becomes a list with one entry per GPU, as append_row makes them; `gpu` is the list of UUIDs. A GPU that
/// cannot be asked makes all of it an error, which says which GPU and why.
Outcome for_each_gpu(const ReadGpu& read);

/// "2 x NVIDIA GeForce RTX 5090 (GPU-…, GPU-…)", as fan_out writes it.
std::string device_text(const std::vector<std::pair<std::string, std::string>>& names_and_uuids);

/// What a GPU or driver does not have is "n/a"; any other error stays one.
template <class T>
Result<std::string> or_none(const Result<T>& read, const std::function<std::string(const T&)>& text) {
  if (read) return text(*read);
  if (read.error().code == Errc::not_found) return "n/a";
  return fail(read.error());
}

}  // namespace vt::checks
