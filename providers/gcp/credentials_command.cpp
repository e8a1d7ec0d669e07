#include <poll.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "orchestrator/host/child.hpp"
#include "orchestrator/model/text.hpp"
#include "providers/gcp/credentials_source.hpp"

namespace vt::gcp {

namespace {

constexpr std::chrono::seconds kCommandTimeout{60};
constexpr std::size_t kLargestToken = 16'384;
/// gcloud prints a token that it keeps for itself; it does not say for how long it is still good.
constexpr Duration kAssumedLifetime = std::chrono::minutes(10);

/// What it writes to its standard output; what it writes elsewhere is drained, so that it never waits for us.
Result<std::string> read_output(Child& child, Deadline deadline) {
  std::string text;
  std::array<char, 4096> buffer{};
  std::array<pollfd, 2> ends{{{child.out.get(), POLLIN, 0}, {child.err.get(), POLLIN, 0}}};
  while (ends[0].fd >= 0) {
    if (deadline.passed()) return fail(Errc::transport, "it did not end within " + short_text(kCommandTimeout));
    poll(ends.data(), ends.size(), static_cast<int>(deadline.left().count()) + 1);
    for (auto& end : ends) {
      if (end.fd < 0 || end.revents == 0) continue;
      auto n = read(end.fd, buffer.data(), buffer.size());
      if (n < 0 && (errno == EAGAIN || errno == EINTR)) continue;
      if (n > 0 && end.fd == child.out.get()) text.append(buffer.data(), static_cast<std::size_t>(n));
      if (n <= 0) end.fd = -1;
    }
    if (text.size() > kLargestToken) return fail(Errc::auth, "it prints more than a token");
  }
  return text;
}

bool is_token(const std::string& text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](unsigned char c) { return c > 0x20 && c < 0x7f; });
}

class CommandSource final : public TokenSource {
 public:
  CommandSource(std::vector<std::string> argv, std::vector<std::string> environment)
      : argv_(std::move(argv)), environment_(std::move(environment)) {}

  Result<Token> fetch() override {
    auto deadline = Deadline::after(kCommandTimeout);
    VT_TRY(Child child, Child::spawn(argv_, environment_));
    child.in.reset();
    VT_TRY(std::string text, read_output(child, deadline));
    VT_TRY(int status, child.wait(deadline));
    if (status != 0) return fail(Errc::auth, "exit status " + std::to_string(status) + "; run it by hand to see why");
    std::string token(trim(text));
    OPENSSL_cleanse(text.data(), text.size());
    if (!is_token(token)) return fail(Errc::auth, "what it prints is no token");
    return Token{Secret(std::move(token)), kAssumedLifetime};
  }
  /// Without its arguments: one of them may be a secret.
  [[nodiscard]] std::string text() const override { return "token command " + printable(argv_.front()); }

 private:
  std::vector<std::string> argv_, environment_;
};

}  // namespace

std::unique_ptr<TokenSource> command_source(std::vector<std::string> argv, std::vector<std::string> environment) {
  return std::make_unique<CommandSource>(std::move(argv), std::move(environment));
}

}  // namespace vt::gcp
