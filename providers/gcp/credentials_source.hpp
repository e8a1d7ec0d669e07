#pragma once
#include <memory>
#include <string>
#include <vector>

#include "orchestrator/model/clock.hpp"
#include "orchestrator/model/result.hpp"
#include "orchestrator/model/secret.hpp"
#include "providers/gcp/credentials_jwt.hpp"
#include "providers/http/http.hpp"

/// Ways to get an access token; each asks anew every time. Internal to the credentials.
namespace vt::gcp {

struct Token {
  Secret value;
  Duration lifetime{0};  ///< from now
};

class TokenSource {
 public:
  virtual ~TokenSource() = default;
  /// Errc::auth if we are not accepted, Errc::transport if nobody could be asked. Never a secret in the text.
  virtual Result<Token> fetch() = 0;
  [[nodiscard]] virtual std::string text() const = 0;
};

/// A user who gave gcloud or another program leave to act for him.
struct AuthorizedUser {
  std::string client_id, token_uri;
  Secret client_secret, refresh_token;
};

/// `origin`: where it was found, for text().
std::unique_ptr<TokenSource> service_account_source(ServiceAccount, std::string origin, Http&, const Clock&);
std::unique_ptr<TokenSource> user_source(AuthorizedUser, std::string origin, Http&);
/// `base`: CloudAccess::gcp_metadata.
std::unique_ptr<TokenSource> metadata_source(const std::string& base, Http&);
/// `argv` with the absolute path of the program first; run without a shell in exactly that environment.
std::unique_ptr<TokenSource> command_source(std::vector<std::string> argv, std::vector<std::string> environment);
/// A source for what the file holds. Errc::auth: unreadable, readable by others, or of a kind that cannot be used.
Result<std::unique_ptr<TokenSource>> file_source(const std::string& path, const std::string& origin, Http&, const Clock&);

}  // namespace vt::gcp
