#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "remote-agent/base/libraries.hpp"
#include "remote-agent/gpu/library.hpp"
#include "tests/support/temp_dir.hpp"

namespace vt::gpu {
namespace {

namespace fs = std::filesystem;

/// A made-up root with made-up variables.
class Libraries : public testing::Test {
 protected:
  agent::Host host() {
    return {root_.path(), [this](const std::string& name) { return variables_[name]; }};
  }
  void add(const std::string& path, const std::string& link = "") {
    auto full = root_.path() + path;
    fs::create_directories(fs::path(full).parent_path());
    if (link.empty()) test::write_file(full, path);
    else fs::create_symlink(link, full);
  }
  std::vector<std::string> find(const std::vector<std::string>& names) {
    auto out = agent::find_libraries(host(), names);
    for (auto& path : out) path = path.substr(fs::canonical(root_.path()).string().size());
    return out;
  }

  test::TempDir root_;
  std::map<std::string, std::string> variables_;
};

using Paths = std::vector<std::string>;

TEST_F(Libraries, AreFoundInTheOrderInWhichFoldersCount) {
  add("/usr/local/lib/python3.12/dist-packages/nvidia/nccl/lib/libnccl.so.2");
  add("/usr/local/cuda-12.8/lib64/libnccl.so.2");
  add("/usr/lib/x86_64-linux-gnu/libnccl.so.2");
  add("/opt/nccl/libnccl.so.2");
  add("/home/me/payload/libnccl.so.2");
  variables_ = {{"VT_PAYLOAD", "/home/me/payload"}, {"LD_LIBRARY_PATH", "/nowhere:/opt/nccl:"}};
  EXPECT_EQ(find({"libnccl.so.2"}),
            (Paths{"/home/me/payload/libnccl.so.2", "/opt/nccl/libnccl.so.2", "/usr/lib/x86_64-linux-gnu/libnccl.so.2",
                   "/usr/local/cuda-12.8/lib64/libnccl.so.2", "/usr/local/lib/python3.12/dist-packages/nvidia/nccl/lib/libnccl.so.2"}));
}

TEST_F(Libraries, OneFileUnderTwoNamesIsOne) {
  add("/usr/lib64/libcuda.so.580.95.05");
  add("/usr/lib64/libcuda.so.1", "libcuda.so.580.95.05");
  add("/usr/local/nvidia/lib64/libcuda.so.1", "../../../lib64/libcuda.so.580.95.05");
  EXPECT_EQ(find({"libcuda.so.1"}), (Paths{"/usr/lib64/libcuda.so.580.95.05"}));
}

TEST_F(Libraries, NewerNamesComeFirst) {
  add("/usr/lib64/libnvrtc.so.12");
  add("/usr/local/cuda/lib64/libnvrtc.so.13");
  EXPECT_EQ(find({"libnvrtc.so.13", "libnvrtc.so.12"}), (Paths{"/usr/local/cuda/lib64/libnvrtc.so.13", "/usr/lib64/libnvrtc.so.12"}));
}

TEST_F(Libraries, StubsAndBrokenLinksAreNone) {
  add("/usr/local/cuda/lib64/stubs/libcuda.so.1");
  add("/usr/lib64/libcuda.so.1", "libcuda.so.gone");
  EXPECT_EQ(find({"libcuda.so.1"}), Paths{});
}

TEST_F(Libraries, VirtualEnvironmentsAreSearched) {
  add("/data/env/lib/python3.11/site-packages/torch/lib/libcublasLt.so.12");
  add("/home/me/work/lib/python3.10/site-packages/nvidia/cublas/lib/libcublasLt.so.12");
  variables_ = {{"VIRTUAL_ENV", "/data/env"}, {"HOME", "/home/me"}};
  EXPECT_EQ(find({"libcublasLt.so.12"}).size(), 2U);
}

TEST_F(Libraries, PackagesFilesAreFoundByPattern) {
  add("/opt/conda/lib/python3.11/site-packages/vllm/_C.abi3.so");
  EXPECT_EQ(agent::package_files(host(), "vllm/*.so").size(), 1U);
  EXPECT_TRUE(agent::package_files(host(), "torch/lib/libtorch_cuda.so").empty());
}

TEST_F(Libraries, TellTheirVersionByNameOrByTheirPackage) {
  EXPECT_EQ(agent::library_version("/usr/lib/libcuda.so.580.95.05"), "580.95.05");
  EXPECT_EQ(agent::library_version("/usr/lib/libnccl.so.2"), "") << "the major version alone says too little";
  EXPECT_EQ(agent::library_version("/usr/lib/libnccl.so"), "");
  EXPECT_EQ(agent::library_version("/usr/lib/nccl.txt"), "");
  add("/p/nvidia/cublas/lib/libcublasLt.so.12");
  fs::create_directories(root_ / "p/nvidia_cublas_cu12-12.8.4.1.dist-info");
  EXPECT_EQ(agent::library_version(root_ / "p/nvidia/cublas/lib/libcublasLt.so.12"), "12.8.4.1");
}

TEST(OpenLibrary, OpensWhatIsThere) {
  auto library = open_library({"libnone.so.9", "libm.so.6"});
  ASSERT_TRUE(library) << library.error().what;
  EXPECT_NE(library->path().find("libm"), std::string::npos);
  EXPECT_DOUBLE_EQ(library->function<double (*)(double)>("sqrt")(9), 3);
  EXPECT_EQ(library->symbol("no_such_function"), nullptr);
}

TEST(OpenLibrary, TellsMissingFromBroken) {
  auto missing = open_library({"libnone.so.9"});
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, Errc::not_found);
  test::TempDir folder;
  test::write_file(folder / "libbroken.so.1", "no library");
  setenv("VT_PAYLOAD", folder.path().c_str(), 1);
  auto broken = open_library({"libbroken.so.1"});
  unsetenv("VT_PAYLOAD");
  ASSERT_FALSE(broken);
  EXPECT_EQ(broken.error().code, Errc::refused);
  EXPECT_NE(broken.error().what.find("libbroken.so.1 cannot be loaded: "), std::string::npos) << broken.error().what;
}

}  // namespace
}  // namespace vt::gpu
