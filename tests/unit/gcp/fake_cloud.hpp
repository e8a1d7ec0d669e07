#pragma once
#include <deque>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "providers/gcp/api.hpp"
#include "providers/gcp/gcp.hpp"
#include "tests/support/temp_dir.hpp"

namespace vt::test {

/// A Compute Engine that says what it was told to say, and remembers what it was asked.
class FakeCloud {
 public:
  FakeCloud();

  /// Requests whose "METHOD path?query" fits the pattern (see glob_match) get these replies in turn, the last one for ever.
  /// Earlier patterns win; what fits none gets a 404 of the API.
  void on(const std::string& pattern, int status, const nlohmann::json& body);
  /// As above, but no reply comes.
  void lose(const std::string& pattern, bool sent);
  /// Adds a header to the last reply given.
  void header(const std::string& name, const std::string& value);
  /// The Date of every reply, relative to our clock.
  Duration skew{0};

  struct Asked {
    std::string line, body;  ///< "POST projects/p/…"
  };
  [[nodiscard]] const std::vector<Asked>& asked() const { return asked_; }
  /// How many requests fit the pattern.
  [[nodiscard]] int count(const std::string& pattern) const;
  [[nodiscard]] int renewals() const { return renewals_; }

  gcp::Api& api() { return *api_; }
  std::unique_ptr<Provider> provider();
  ProviderContext context;
  ManualClock clock;
  TempDir dir;

 private:
  class Wire;
  class Token;
  struct Line {
    std::string pattern;
    std::deque<HttpResult> replies;
  };
  HttpResult answer(const HttpRequest&);

  std::vector<Line> lines_;
  std::vector<Asked> asked_;
  int renewals_ = 0;
  std::unique_ptr<Http> http_;
  std::unique_ptr<GcpCredentials> credentials_;
  std::unique_ptr<gcp::Api> api_;
};

/// An error of the API as HTTP carries it.
nlohmann::json api_error(int status, const std::string& reason, const std::string& message);
/// A DONE operation; with a code it failed.
nlohmann::json operation(const std::string& code = "", const std::string& message = "");
/// A row of project "p" in us-central1-b whose lease runs for another hour.
Resource row(const FakeCloud&, const std::string& machine = "g4-standard-48", const std::string& market = "spot");
/// The marks of that row, as things of ours show them.
nlohmann::json marks(const Resource&);
Layer layer(Options extra = {});

}  // namespace vt::test
