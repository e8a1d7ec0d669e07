#include <gtest/gtest.h>
#include <libssh/libssh.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "providers/container/backend.hpp"
#include "providers/container/pod.hpp"
#include "providers/container/process.hpp"
#include "providers/container/view.hpp"
#include "providers/ssh_keys.hpp"

using namespace vt;

namespace {

class PodParts : public testing::Test {
 protected:
  PodParts() {
    char name[] = "/tmp/vt-parts-XXXXXX";
    pod_.folder = mkdtemp(name);
    pod_.owner = {"install8", "attempt", "vt-install8-attempt", 1234, "token"};
    pod_.backend = "unshare";
    pod_.access.address = "127.0.0.1";
    pod_.access.port = 2200;
    pod_.access.user = "root";
    pod_.access.host_key = "SHA256:abc";
  }
  ~PodParts() override { std::filesystem::remove_all(pod_.folder); }
  Pod pod_;
};

TEST(PodKeys, AreReadAndFingerprintedAlikeByAnotherImplementation) {
  auto key = new_ssh_key("a comment");
  ASSERT_TRUE(key);
  ssh_key read = nullptr, read_public = nullptr;
  ASSERT_EQ(ssh_pki_import_privkey_base64(key->private_text.c_str(), nullptr, nullptr, nullptr, &read), SSH_OK);
  ASSERT_EQ(ssh_pki_export_privkey_to_pubkey(read, &read_public), SSH_OK);
  char* encoded = nullptr;
  ASSERT_EQ(ssh_pki_export_pubkey_base64(read_public, &encoded), SSH_OK);
  EXPECT_EQ(key->public_line, std::string("ssh-ed25519 ") + encoded + " a comment");
  unsigned char* hash = nullptr;
  std::size_t size = 0;
  ASSERT_EQ(ssh_get_publickey_hash(read_public, SSH_PUBLICKEY_HASH_SHA256, &hash, &size), SSH_OK);
  char* fingerprint = ssh_get_fingerprint_hash(SSH_PUBLICKEY_HASH_SHA256, hash, size);
  EXPECT_EQ(key->fingerprint, fingerprint);
  ssh_string_free_char(fingerprint);
  ssh_clean_pubkey_hash(&hash);
  ssh_string_free_char(encoded);
  ssh_key_free(read_public);
  ssh_key_free(read);
}

TEST(PodKeys, AreNewEveryTime) { EXPECT_NE(new_ssh_key("x")->fingerprint, new_ssh_key("x")->fingerprint); }

TEST_F(PodParts, OwnerIsWrittenForTheOwnerOnlyAndReadBack) {
  ASSERT_TRUE(write_owner(pod_));
  struct stat st {};
  ASSERT_EQ(stat((pod_.folder + "/owner.json").c_str(), &st), 0);
  EXPECT_EQ(st.st_mode & 0777U, 0600U);
  auto read = read_pod(pod_.folder);
  ASSERT_TRUE(read) << read.error().what;
  EXPECT_EQ(read->owner.name, pod_.owner.name);
  EXPECT_EQ(read->owner.install, "install8");
  EXPECT_EQ(read->owner.token, "token");
  EXPECT_EQ(read->owner.expires, 1234);
  EXPECT_EQ(read->backend, "unshare");
  EXPECT_EQ(read->access.port, 2200);
  EXPECT_EQ(read->access.host_key, "SHA256:abc");
  EXPECT_EQ(read->access.identity, pod_.folder + "/id_ed25519");
}

TEST_F(PodParts, AMissingOrBrokenOwnerIsAnError) {
  EXPECT_EQ(read_pod(pod_.folder).error().code, Errc::not_found);
  std::ofstream(pod_.folder + "/owner.json") << R"({"name": 3})";
  EXPECT_EQ(read_pod(pod_.folder).error().code, Errc::storage);
}

TEST_F(PodParts, NoFileIsEverOverwritten) {
  ASSERT_TRUE(write_new_file(pod_.folder + "/f", "one", 0600));
  EXPECT_FALSE(write_new_file(pod_.folder + "/f", "two", 0600));
}

TEST_F(PodParts, TheLogsLastLinesFitOnOneLine) {
  std::ofstream(pod_.log()) << "one\ntwo\nthree\x1b[31m\nfour\n";
  EXPECT_EQ(log_tail(pod_), "two; three\\x1b[31m; four");
}

TEST(PodNames, OnlyPlainNamesOfOursAreNames) {
  EXPECT_TRUE(is_pod_name("vt-abcdefgh-abcdefgh23456723"));
  for (auto name : {"", "vt", "abc", "vt-../x", "vt-a/b", "vt-A", "vt-a.b", "vt-a b"}) EXPECT_FALSE(is_pod_name(name)) << name;
  EXPECT_FALSE(is_pod_name("vt-" + std::string(70, 'a')));
}

TEST_F(PodParts, TheViewHasNoHomesNoDataAndNoState) {
  SshServer server{"/usr/sbin/sshd", "", "/usr/sbin/sshd", ""};
  Login login{0, 0, "root", "/root"};
  auto mounts = make_view(pod_, login, server);
  ASSERT_TRUE(mounts) << mounts.error().what;
  for (auto& mount : *mounts) {
    if (mount.kind != Mount::Kind::bind) continue;
    for (auto kept : {"/root", "/home", "/srv", "/mnt", "/var/lib/docker", "/tmp/.X11-unix", "/proc", "/boot"})
      EXPECT_FALSE(mount.source == kept || mount.source.starts_with(std::string(kept) + "/")) << mount.source;
    EXPECT_NE(mount.source, "/");
  }
  auto hidden = [&](const std::string& target) {
    return std::any_of(mounts->begin(), mounts->end(), [&](auto& m) { return m.target == target && m.source != target; });
  };
  EXPECT_TRUE(hidden("/root"));
  EXPECT_TRUE(hidden("/tmp"));
  EXPECT_EQ(hidden("/etc/ssh"), std::filesystem::exists("/etc/ssh"));
  EXPECT_EQ(hidden("/etc/shadow"), std::filesystem::exists("/etc/shadow"));
}

TEST_F(PodParts, RuncIsGivenTheSameCutAsDocker) {
  if (find_program("runc").empty()) GTEST_SKIP() << "runc is not installed";
  PodStart start{pod_.owner.name, pod_mark(pod_.owner.name), pod_.folder, pod_.root(), {0, 0, "root", "/root"}, {}, {"/bin/sh"}};
  ASSERT_TRUE(kRunc.prepare(start));
  auto config = nlohmann::json::parse(std::ifstream(pod_.folder + "/config.json"));
  EXPECT_EQ(config["process"]["capabilities"]["bounding"].size(), 14U);
  EXPECT_EQ(config["process"]["noNewPrivileges"], false);
  EXPECT_EQ(config["root"]["readonly"], true);
  EXPECT_FALSE(config["process"]["capabilities"].contains("inheritable"));
}

TEST(PodProcesses, AProgramIsKilledAtItsDeadline) {
  auto done = run_program({"/bin/sh", "-c", "sleep 60"}, Deadline::after(std::chrono::milliseconds(50)));
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code, Errc::timeout);
}

TEST(PodProcesses, OutputIsBoundedAndTheExitCodeKept) {
  auto done = run_program({"/bin/sh", "-c", "head -c 1000000 /dev/zero; exit 7"}, Deadline::after(std::chrono::seconds(10)));
  ASSERT_TRUE(done);
  EXPECT_EQ(done->exit_code, 7);
  EXPECT_EQ(done->output.size(), 64U * 1024);
}

TEST(PodProcesses, AProgramThatIsNotThereIsAnError) {
  EXPECT_FALSE(run_program({"/nonexistent/program"}, Deadline::after(std::chrono::seconds(1))));
  EXPECT_EQ(find_program("no-such-program-anywhere"), "");
}

TEST(PodProcesses, NothingIsInherited) {
  setenv("VT_UNIT_SECRET", "x", 1);
  auto done = run_program({"/bin/sh", "-c", "env; ls /proc/self/fd | wc -l"}, Deadline::after(std::chrono::seconds(10)));
  unsetenv("VT_UNIT_SECRET");
  ASSERT_TRUE(done);
  EXPECT_EQ(done->output.find("VT_UNIT_SECRET"), std::string::npos);
  EXPECT_TRUE(done->output.ends_with("4\n")) << done->output;  // three streams and the folder being listed
}

TEST(PodMounts, AreFoundBelowAFolder) {
  auto below = mounts_below("");
  EXPECT_TRUE(std::find(below.begin(), below.end(), "/proc") != below.end());
  EXPECT_TRUE(mounts_below("/nonexistent").empty());
}

}  // namespace
