#include "providers/runpod/wish.hpp"

#include <algorithm>
#include <charconv>

#include "orchestrator/model/text.hpp"
#include "providers/options.hpp"

namespace vt::runpod {

namespace {

/// Has the CUDA toolkit and no SSH server: what most users bring.
constexpr const char* kDefaultImage = "nvidia/cuda:12.8.0-cudnn-devel-ubuntu24.04";
constexpr int kDefaultDiskGb = 20;
constexpr int kMostDiskGb = 4096;
constexpr int kMostGpus = 64;

std::vector<std::string> list(const Layer& layer, const std::string& key) {
  auto it = layer.options.find(key);
  return it == layer.options.end() ? std::vector<std::string>{} : it->second;
}

std::optional<int> whole_number(std::string_view text, int most) {
  int value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() && value >= 1 && value <= most ? std::optional(value) : std::nullopt;
}

/// "50 GB", "50GB" or "50".
std::optional<int> gigabytes(std::string_view text) {
  for (auto unit : {"GB", "GiB"})
    if (text.ends_with(unit)) return whole_number(trim(text.substr(0, text.size() - std::string_view(unit).size())), kMostDiskGb);
  return whole_number(text, kMostDiskGb);
}

/// "12.8": what the API takes.
bool is_cuda_version(std::string_view text) {
  auto dot = text.find('.');
  return dot != std::string_view::npos && whole_number(text.substr(0, dot), 1000) &&
         (text.substr(dot + 1) == "0" || whole_number(text.substr(dot + 1), 1000));
}

tl::unexpected<Error> bad(const std::string& key, const std::string& value, const std::string& expected) {
  return fail(Errc::config, key + ": \"" + printable(value) + "\" cannot be; expected " + expected);
}

Status read_numbers(const Layer& layer, Wish& wish) {
  auto gpus = option(layer, "gpus", "1"), disk = option(layer, "disk", std::to_string(kDefaultDiskGb));
  auto count = whole_number(gpus, kMostGpus), size = gigabytes(disk);
  if (!count) return bad("gpus", gpus, "a number from 1 to " + std::to_string(kMostGpus));
  if (!size) return bad("disk", disk, "a size like \"50 GB\"");
  wish.gpu_count = *count, wish.disk_gb = *size;
  wish.min_cuda = option(layer, "min-cuda");
  if (!wish.min_cuda.empty() && !is_cuda_version(wish.min_cuda)) return bad("min-cuda", wish.min_cuda, "a version like \"12.8\"");
  return {};
}

}  // namespace

Result<Wish> wish_of(const Layer& layer) {
  Wish wish;
  wish.gpus = list(layer, "gpu");
  if (wish.gpus.empty() || std::any_of(wish.gpus.begin(), wish.gpus.end(), [](auto& id) { return id.empty(); }))
    return fail(Errc::config, "gpu: expected the id of a GPU, or several in the order to try");
  wish.clouds = list(layer, "cloud");
  if (wish.clouds.empty()) wish.clouds = {"SECURE"};
  for (auto& cloud : wish.clouds)
    if (cloud != "SECURE" && cloud != "COMMUNITY") return bad("cloud", cloud, "SECURE, COMMUNITY or both in the order to try");
  wish.data_centers = list(layer, "data-centers");
  wish.image = option(layer, "image", kDefaultImage);
  auto weak = option(layer, "accept-weak-lease", "false");
  if (weak != "true" && weak != "false") return bad("accept-weak-lease", weak, "true or false");
  wish.accept_weak_lease = weak == "true";
  VT_CHECK(read_numbers(layer, wish));
  return wish;
}

}  // namespace vt::runpod
