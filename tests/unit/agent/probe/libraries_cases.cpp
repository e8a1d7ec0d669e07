#include "tests/unit/agent/probe/scene.hpp"

namespace vt::probe {
namespace {

using Prepare = std::function<void(Scene&)>;

Prepare file(const std::string& path) {
  return [=](Scene& s) { s.file(path, "ELF"); };
}
/// A library whose name says nothing, and what it says when it is opened.
Prepare told(const std::string& path, const std::string& version) {
  return [=](Scene& s) {
    s.file(path, "ELF");
    s.system.library_version = [version](const std::string&, System::Limit) { return version; };
  };
}
void nothing(Scene& s) { s.folder("/usr/lib"); }
void no_folders(Scene&) {}

/// Cases that every library has.
void add_common(std::vector<Case>& to, const std::string& name, Answer (*probe)(const Host&), const std::string& file_name) {
  to.push_back({name + "None", probe, nothing, "\"\"", "no lib"});
  to.push_back({name + "NoFolders", probe, no_folders, "", "no folder of libraries"});
  to.push_back({name + "Silent", probe, file("/usr/lib64/" + file_name), "", "does not tell its version"});
  to.push_back({name + "Told", probe, told("/usr/lib64/" + file_name, "2.28.9"), "\"2.28.9\"", "says 2.28.9"});
}

}  // namespace

std::vector<Case> library_cases() {
  std::vector<Case> out;
  add_common(out, "Cuda", lib_cuda, "libcuda.so.1");
  add_common(out, "Nvml", lib_nvml, "libnvidia-ml.so.1");
  add_common(out, "CublasLt", lib_cublaslt, "libcublasLt.so.12");
  add_common(out, "Nccl", lib_nccl, "libnccl.so.2");
  add_common(out, "Nvrtc", lib_nvrtc, "libnvrtc.so.13");
  const std::string packages = "/usr/local/lib/python3.12/dist-packages/";
  out.push_back({"CudaByName", lib_cuda,
                 [](Scene& s) {
                   s.file("/usr/lib/x86_64-linux-gnu/libcuda.so.570.86.15", "ELF");
                   s.link("/usr/lib/x86_64-linux-gnu/libcuda.so.1", "libcuda.so.570.86.15");
                 },
                 "\"570.86.15\"", "libcuda.so.570.86.15"});
  out.push_back(
      {"NcclOfAPackage", lib_nccl,
       [=](Scene& s) { s.file(packages + "nvidia/nccl/lib/libnccl.so.2", "ELF").folder(packages + "nvidia_nccl_cu12-2.26.2.dist-info"); },
       "\"2.26.2\"", "nvidia/nccl/lib/libnccl.so.2"});
  out.push_back({"NcclOfTheLibraryPathFirst", lib_nccl,
                 [](Scene& s) {
                   s.file("/usr/lib/libnccl.so.2.18.1", "ELF").link("/usr/lib/libnccl.so.2", "libnccl.so.2.18.1");
                   s.file("/own/libnccl.so.2.27.3", "ELF").link("/own/libnccl.so.2", "libnccl.so.2.27.3");
                   s.system.environment = [](const std::string& name) { return name == "LD_LIBRARY_PATH" ? "/own" : ""; };
                 },
                 "\"2.27.3\"", "/own/"});
  out.push_back(
      {"NcclOfTheLoaderSettings", lib_nccl,
       [](Scene& s) {
         s.file("/etc/ld.so.conf", "include /etc/ld.so.conf.d/*.conf\n").file("/etc/ld.so.conf.d/nccl.conf", "# ours\n/far/away\n");
         s.file("/far/away/libnccl.so.2.27.3", "ELF").link("/far/away/libnccl.so.2", "libnccl.so.2.27.3");
       },
       "\"2.27.3\"", "/far/away/"});
  out.push_back({"TorchNone", lib_torch, nothing, "\"\"", "no torch"});
  out.push_back({"TorchNoFolders", lib_torch, no_folders, "", "no folder of libraries"});
  out.push_back({"TorchSilent", lib_torch, file(packages + "torch/lib/libtorch_cuda.so"), "", "does not tell its version"});
  out.push_back({"Torch", lib_torch,
                 [=](Scene& s) { s.file(packages + "torch/lib/libtorch_cuda.so", "ELF").folder(packages + "torch-2.7.1+cu128.dist-info"); },
                 "\"2.7.1\"", "libtorch_cuda.so"});
  return out;
}

}  // namespace vt::probe
