// What every Transport promises, shown on each of them.
#include "orchestrator/host/transport.hpp"

#include <gtest/gtest.h>
#include <openssl/evp.h>

#include <chrono>

#include "tests/support/sshd.hpp"

namespace vt {
namespace {

using namespace std::chrono_literals;
using test::Sshd;

Deadline soon(Duration d = 20s) { return Deadline::after(d); }

std::string sha256(const std::string& bytes) {
  unsigned char hash[32];
  EVP_Digest(bytes.data(), bytes.size(), hash, nullptr, EVP_sha256(), nullptr);
  std::string out;
  for (auto byte : hash) {
    char digits[3];
    std::snprintf(digits, sizeof digits, "%02x", byte);
    out += digits;
  }
  return out;
}

struct Collected {
  std::string out, err;
  Result<int> status = fail(Errc::internal, "not asked");
};

Result<Collected> collect(Stream& stream, Deadline deadline) {
  Collected all;
  while (true) {
    VT_TRY(auto chunk, stream.read(deadline));
    if (chunk.end) break;
    if (chunk.bytes.empty()) return fail(Errc::timeout, "no end");
    (chunk.from == Stream::From::out ? all.out : all.err) += chunk.bytes;
  }
  all.status = stream.exit_status(deadline);
  return all;
}

class TransportContract : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    Host host;
    if (GetParam() == "ssh") {
      auto sshd = Sshd::start();
      if (!sshd) GTEST_SKIP() << sshd.error().what;
      sshd_ = std::move(sshd).take();
      host.access = sshd_->access();
    }
    auto transport = connect(host, soon());
    ASSERT_TRUE(transport) << transport.error().what;
    transport_ = std::move(transport).take();
  }
  std::unique_ptr<Stream> open(const std::string& command) {
    auto stream = transport_->open(command, soon());
    EXPECT_TRUE(stream) << stream.error().what;
    return stream ? std::move(stream).take() : nullptr;
  }

  std::unique_ptr<Sshd> sshd_;
  std::unique_ptr<Transport> transport_;
};

TEST_P(TransportContract, ReportsTheExitStatus) {
  for (int status : {0, 1, 3, 127, 255}) {
    auto result = exec(*transport_, "exit " + std::to_string(status), "", soon());
    ASSERT_TRUE(result) << result.error().what;
    EXPECT_EQ(result->exit_code, status);
  }
}

TEST_P(TransportContract, ReportsASignalAsShellsDo) {
  auto result = exec(*transport_, "kill -TERM $$", "", soon());
  ASSERT_TRUE(result) << result.error().what;
  EXPECT_EQ(result->exit_code, 143);
}

TEST_P(TransportContract, KeepsTheStreamsApart) {
  auto result = exec(*transport_, "echo out; echo err >&2", "", soon());
  ASSERT_TRUE(result) << result.error().what;
  EXPECT_EQ(result->out, "out\n");
  EXPECT_EQ(result->err, "err\n");
}

TEST_P(TransportContract, CarriesFiftyMegabytesOnBothStreams) {
  auto stream = open("head -c 50000000 /dev/zero | tr '\\0' o & head -c 50000000 /dev/zero | tr '\\0' e >&2; wait");
  auto all = collect(*stream, soon(60s));
  ASSERT_TRUE(all) << all.error().what;
  EXPECT_EQ(sha256(all->out), sha256(std::string(50'000'000, 'o')));
  EXPECT_EQ(sha256(all->err), sha256(std::string(50'000'000, 'e')));
  EXPECT_EQ(all->status.value_or(-1), 0);
}

TEST_P(TransportContract, ExecKeepsOneMebibyteOfALongOutput) {
  auto result = exec(*transport_, "head -c 3000000 /dev/zero", "", soon());
  ASSERT_TRUE(result) << result.error().what;
  EXPECT_EQ(result->out.size(), 1024U * 1024U);
}

TEST_P(TransportContract, GivesTheInputToItsEnd) {
  std::string input(20'000'000, 'x');
  for (std::size_t i = 0; i < input.size(); i += 997) input[i] = static_cast<char>(i);
  auto result = exec(*transport_, "sha256sum", input, soon(60s));
  ASSERT_TRUE(result) << result.error().what;
  EXPECT_EQ(result->out.substr(0, 64), sha256(input));
}

TEST_P(TransportContract, DoesNotDeadlockWhenTheCommandEchoesItsInput) {
  std::string input(5'000'000, 'y');
  auto result = exec(*transport_, "cat", input, soon(60s));
  ASSERT_TRUE(result) << result.error().what;
  EXPECT_EQ(result->out, input.substr(0, 1024 * 1024));
  EXPECT_EQ(result->exit_code, 0);
}

TEST_P(TransportContract, ACommandThatDoesNotReadItsInputIsNoError) {
  auto result = exec(*transport_, "exit 4", std::string(1'000'000, 'z'), soon());
  ASSERT_TRUE(result) << result.error().what;
  EXPECT_EQ(result->exit_code, 4);
}

TEST_P(TransportContract, CarriesEveryByteValue) {
  std::string bytes;
  for (int i = 0; i < 256 * 64; ++i) bytes += static_cast<char>(i);
  auto result = exec(*transport_, "cat", bytes, soon());
  ASSERT_TRUE(result) << result.error().what;
  EXPECT_EQ(result->out, bytes);
}

TEST_P(TransportContract, AnUnknownCommandIsAResult) {
  auto result = exec(*transport_, "no-such-program-anywhere", "", soon());
  ASSERT_TRUE(result) << result.error().what;
  EXPECT_EQ(result->exit_code, 127);
  EXPECT_NE(result->err.find("no-such-program-anywhere"), std::string::npos);
}

TEST_P(TransportContract, AReadEndsAtItsDeadlineWithoutAnEnd) {
  auto stream = open("sleep 30");
  auto begin = std::chrono::steady_clock::now();
  auto chunk = stream->read(soon(150ms));
  ASSERT_TRUE(chunk) << chunk.error().what;
  EXPECT_TRUE(chunk->bytes.empty());
  EXPECT_FALSE(chunk->end);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 1s);
  auto status = stream->exit_status(soon(50ms));
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, Errc::timeout);
}

TEST_P(TransportContract, ExecOfAHangingCommandIsATimeout) {
  auto result = exec(*transport_, "sleep 30", "", soon(200ms));
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, Errc::timeout);
}

TEST_P(TransportContract, AWriteNobodyReadsIsATimeout) {
  auto stream = open("sleep 30");
  auto written = stream->write(std::string(20'000'000, 'w'), soon(500ms));
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().code, Errc::timeout);
}

TEST_P(TransportContract, AKilledPeerIsNeverASuccess) {
  auto result = exec(*transport_, GetParam() == "ssh" ? "kill -9 $PPID; sleep 5" : "kill -9 $$", "", soon());
  if (result) {
    EXPECT_EQ(result->exit_code, 137);
  } else {
    EXPECT_EQ(result.error().code, Errc::transport);
  }
}

TEST_P(TransportContract, ClosingIsPromptWhateverTheCommandDoes) {
  for (std::string command : {"sleep 60", "cat /dev/zero", "trap '' TERM HUP PIPE; sleep 60"}) {
    auto stream = open(command);
    auto begin = std::chrono::steady_clock::now();
    stream.reset();
    EXPECT_LT(std::chrono::steady_clock::now() - begin, 1s) << command;
  }
  EXPECT_TRUE(exec(*transport_, "true", "", soon()));  // the transport still works
}

TEST_P(TransportContract, OpensManyCommandsOneAfterAnotherAndAtOnce) {
  for (int i = 0; i < 50; ++i) {
    auto result = exec(*transport_, "echo " + std::to_string(i), "", soon());
    ASSERT_TRUE(result) << i << ": " << result.error().what;
    EXPECT_EQ(result->out, std::to_string(i) + "\n");
  }
  std::vector<std::unique_ptr<Stream>> streams;
  for (int i = 0; i < 20; ++i) streams.push_back(open("echo " + std::to_string(i) + "; cat"));
  for (int i = 0; i < 20; ++i) {
    ASSERT_TRUE(streams[static_cast<std::size_t>(i)]->close_input());
    auto all = collect(*streams[static_cast<std::size_t>(i)], soon());
    ASSERT_TRUE(all) << all.error().what;
    EXPECT_EQ(all->out, std::to_string(i) + "\n");
    EXPECT_EQ(all->status.value_or(-1), 0);
  }
}

TEST_P(TransportContract, NamesTheHost) {
  EXPECT_EQ(transport_->where(),
            GetParam() == "ssh" ? sshd_->access().user + "@127.0.0.1:" + std::to_string(sshd_->port()) : "this machine");
}

INSTANTIATE_TEST_SUITE_P(All, TransportContract, testing::Values("local", "ssh"), [](auto& p) { return p.param; });

}  // namespace
}  // namespace vt
