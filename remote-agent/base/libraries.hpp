#pragma once
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace vt::agent {

/// How a search for NVIDIA's libraries sees this host.
struct Host {
  std::string root;                                            ///< prefix of every path; "" = the real ones
  std::function<std::string(const std::string&)> environment;  ///< a variable, "" = unset
};
/// This host, this process.
Host this_host();

/// Folders that are there, in the order in which they count: the user's payload folder (VT_PAYLOAD), LD_LIBRARY_PATH, the loader's own
/// (ld.so.conf and its defaults), /usr/local/cuda*, pip's nvidia/*/lib and torch/lib below the usual site-packages and virtual
/// environments.
std::vector<std::string> library_folders(const Host&);
/// Every file of one of these names in those folders (first all of the first name), without links that lead to the same file.
std::vector<std::string> find_libraries(const Host&, const std::vector<std::string>& names);
/// Files of Python packages that match a shell pattern ("torch/lib/libtorch_cuda.so", "vllm/*.so"), in the usual site-packages and virtual
/// environments, without links that lead to the same file.
std::vector<std::string> package_files(const Host&, const std::string& pattern);
/// The version of a library as its file tells without being opened: from the real name (libnccl.so.2.26.2), or from the record of the
/// Python package it came with (nvidia_nccl_cu12-2.26.2.dist-info); "" if neither does.
std::string library_version(const std::string& path);
/// The same as an opened library says; `handle` is dlopen's. NCCL, cublasLt, NVRTC; "" for others.
std::string told_version(void* handle);

}  // namespace vt::agent
