#include <algorithm>
#include <set>

#include "remote-agent/base/libraries.hpp"
#include "remote-agent/checks/check.hpp"
#include "remote-agent/checks/cuda_fatbin.hpp"
#include "remote-agent/gpu/open.hpp"

namespace vt::checks {

namespace {

/// Where the frameworks keep the kernels that they were built with.
constexpr const char* kPatterns[] = {"torch/lib/libtorch_cuda.so", "vllm/*.so",      "vllm/*/*.so",       "flash_attn*.so",
                                     "flash_attn*/*.so",           "xformers/*.so",  "bitsandbytes/*.so", "transformer_engine*.so",
                                     "causal_conv1d*.so",          "mamba_ssm/*.so", "sgl_kernel/*.so"};

Result<std::vector<std::string>> files_of(const Task& task) {
  std::vector<std::string> out;
  if (auto named = task.args.find("files"); named != task.args.end() && named->is_array()) {
    for (auto& file : *named)
      if (file.is_string()) out.push_back(file.get<std::string>());
    return out;
  }
  for (auto* pattern : kPatterns)
    for (auto& file : agent::package_files(agent::this_host(), pattern)) out.push_back(file);
  return out;
}

/// Of args.sm, or of this host's GPUs.
Result<std::set<int>> architectures_of(const Task& task) {
  if (auto sm = static_cast<int>(task.number("sm", 0)); sm > 0) return std::set<int>{sm};
  std::set<int> out;
  VT_TRY(auto devices, gpu::list());
  for (auto& device : devices) out.insert(device.sm);
  return out;
}

/// Empty if machine code for it is there.
std::string trouble_with(const DeviceCode& code, int sm) {
  if (code.runs_on(sm)) return "";
  auto name = "sm_" + std::to_string(sm);
  if (code.compiles_for(sm)) return "no " + name + ", only PTX, which the driver compiles at the first start";
  return "nothing that runs on " + name;
}

struct Findings {
  nlohmann::json binaries = nlohmann::json::array();
  std::string unsupported, compiled_late;
  void add(std::string& to, const std::string& text) { to += (to.empty() ? "" : "; ") + text; }
};

void look_at(const std::string& path, const DeviceCode& code, const std::set<int>& architectures, Findings& findings) {
  findings.binaries.push_back(path + ": " + code.text());
  for (int sm : architectures) {
    auto trouble = trouble_with(code, sm);
    if (!trouble.empty())
      findings.add(code.compiles_for(sm) ? findings.compiled_late : findings.unsupported,
                   path + ": " + trouble + " (has " + code.text() + ")");
  }
}

}  // namespace

Outcome gpu_binaries(const Task& task, Reporter& report) {
  auto files = files_of(task);
  auto architectures = architectures_of(task);
  if (!architectures) return {{}, "", architectures.error().what};
  if (files->empty()) return {{}, "", "no library with GPU code: neither args.files nor a known Python package names one"};
  Findings findings;
  for (std::size_t i = 0; i < files->size(); ++i) {
    auto& path = (*files)[i];
    report.progress(path, static_cast<double>(i) / static_cast<double>(files->size()));
    auto code = read_device_code(path);
    if (!code) return {{}, "", code.error().what};
    if (!code->empty()) look_at(path, *code, *architectures, findings);
  }
  if (findings.binaries.empty()) return {{}, "", "none of " + std::to_string(files->size()) + " files holds GPU code"};
  auto or_none = [](const std::string& text) { return text.empty() ? "none" : text; };
  return {{{"files", findings.binaries.size()},
           {"binaries", findings.binaries},
           {"unsupported", or_none(findings.unsupported)},
           {"compiled_late", or_none(findings.compiled_late)}},
          "",
          ""};
}

}  // namespace vt::checks
