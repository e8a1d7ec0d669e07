#include <curl/curl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <mutex>

#include "orchestrator/model/failpoint.hpp"
#include "orchestrator/model/text.hpp"
#include "providers/http/address_rules.hpp"
#include "providers/http/http.hpp"

namespace vt {

namespace {

constexpr Duration kConnectTimeout{10'000};
constexpr std::size_t kLargestHeaders = std::size_t{64} * 1024;
/// A read that trickles slower than this is given up. Not for requests that change something: a slow answer would become an unclear one.
constexpr long kSlowestBytesPerSecond = 16, kSlowestSeconds = 30;

struct FreeEasy {
  void operator()(CURL* easy) const { curl_easy_cleanup(easy); }
};
using Easy = std::unique_ptr<CURL, FreeEasy>;

struct FreeList {
  void operator()(curl_slist* list) const { curl_slist_free_all(list); }
};

class HeaderLines {
 public:
  /// False for a line that would be several.
  bool add(const std::string& line) {
    if (std::any_of(line.begin(), line.end(), [](unsigned char c) { return c < 0x20 || c == 0x7f; })) return false;
    auto longer = curl_slist_append(list_.get(), line.c_str());
    if (!longer) return false;
    (void)list_.release();
    list_.reset(longer);
    return true;
  }
  [[nodiscard]] curl_slist* get() const { return list_.get(); }

 private:
  std::unique_ptr<curl_slist, FreeList> list_;
};

/// What the callbacks of one transfer write into.
struct Transfer {
  const HttpRequest& request;
  const HttpRules& rules;
  HttpReply reply = {};
  std::size_t header_bytes = 0;
  bool head_complete = false, too_large = false, foreign = false;
  std::array<char, CURL_ERROR_SIZE> error{};
  std::chrono::steady_clock::time_point began = std::chrono::steady_clock::now();
};

std::size_t on_body(char* bytes, std::size_t, std::size_t count, void* user) {
  auto& transfer = *static_cast<Transfer*>(user);
  auto& body = transfer.reply.body;
  transfer.too_large = count > transfer.request.largest - std::min(body.size(), transfer.request.largest);
  if (transfer.too_large) return 0;
  body.append(bytes, count);
  return count;
}

std::string lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return out;
}

std::size_t on_header(char* bytes, std::size_t, std::size_t count, void* user) {
  auto& transfer = *static_cast<Transfer*>(user);
  std::string_view line(bytes, count);
  transfer.too_large = (transfer.header_bytes += count) > kLargestHeaders;
  if (transfer.too_large) return 0;
  if (line.starts_with("HTTP/")) transfer.reply.headers.clear(), transfer.head_complete = false;  // so far it was an interim reply
  if (line == "\r\n" || line == "\n") transfer.head_complete = true;
  auto colon = line.find(':');
  if (colon != std::string_view::npos) transfer.reply.headers[lower(line.substr(0, colon))] = std::string(trim(line.substr(colon + 1)));
  return count;
}

/// The last look at where we really go: a name may resolve to anything.
curl_socket_t on_socket(void* user, curlsocktype, curl_sockaddr* address) {
  auto& transfer = *static_cast<Transfer*>(user);
  if (transfer.rules.reach == HttpRules::Reach::loopback && !is_loopback(address->addr)) {
    transfer.foreign = true;
    return CURL_SOCKET_BAD;
  }
  return socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

/// libcurl asks several times a second while bytes flow, and once a second while none do.
int on_progress(void* user, curl_off_t, curl_off_t, curl_off_t, curl_off_t) {
  auto& transfer = *static_cast<const Transfer*>(user);
  return std::chrono::steady_clock::now() - transfer.began >= transfer.rules.grace && transfer.rules.abandon() ? 1 : 0;
}

bool is_read(const HttpRequest& request) { return request.method == "GET" || request.method == "HEAD"; }

/// Whom we talk to and how, the same for every request.
void set_rules(CURL* easy, Transfer& transfer) {
  auto& rules = transfer.rules;
  curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");  // which of the two, the address rules have decided
  curl_easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 0L);
  curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));  // 2 may send a refused stream again
  curl_easy_setopt(easy, CURLOPT_PROXY, "");
  curl_easy_setopt(easy, CURLOPT_NETRC, static_cast<long>(CURL_NETRC_IGNORED));
  curl_easy_setopt(easy, CURLOPT_DISALLOW_USERNAME_IN_URL, 1L);
  curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(easy, CURLOPT_SSL_VERIFYPEER, 1L);
  curl_easy_setopt(easy, CURLOPT_SSL_VERIFYHOST, 2L);
  curl_easy_setopt(easy, CURLOPT_SSLVERSION, static_cast<long>(CURL_SSLVERSION_TLSv1_2));
  if (!rules.ca_file.empty()) curl_easy_setopt(easy, CURLOPT_CAINFO, rules.ca_file.c_str());
  curl_easy_setopt(easy, CURLOPT_USERAGENT, rules.user_agent.c_str());
  curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, on_socket);
  curl_easy_setopt(easy, CURLOPT_OPENSOCKETDATA, &transfer);
  curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, on_body);
  curl_easy_setopt(easy, CURLOPT_WRITEDATA, &transfer);
  curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, on_header);
  curl_easy_setopt(easy, CURLOPT_HEADERDATA, &transfer);
  curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, transfer.error.data());
  if (!rules.abandon || transfer.request.method == "POST") return;
  curl_easy_setopt(easy, CURLOPT_NOPROGRESS, 0L);
  curl_easy_setopt(easy, CURLOPT_XFERINFOFUNCTION, on_progress);
  curl_easy_setopt(easy, CURLOPT_XFERINFODATA, &transfer);
}

void set_request(CURL* easy, const HttpRequest& request, const HeaderLines& headers) {
  auto total = std::max(request.timeout, Duration{1});  // 0 would be for ever
  curl_easy_setopt(easy, CURLOPT_URL, request.url.c_str());
  curl_easy_setopt(easy, CURLOPT_HTTPHEADER, headers.get());
  curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS, static_cast<long>(total.count()));
  curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(std::min(total, kConnectTimeout).count()));
  if (request.method == "HEAD") {
    curl_easy_setopt(easy, CURLOPT_NOBODY, 1L);
  } else if (request.method != "GET") {
    curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request.body.size()));
    curl_easy_setopt(easy, CURLOPT_POSTFIELDS, request.body.c_str());
    curl_easy_setopt(easy, CURLOPT_CUSTOMREQUEST, request.method.c_str());
  }
  if (is_read(request)) {
    curl_easy_setopt(easy, CURLOPT_LOW_SPEED_LIMIT, kSlowestBytesPerSecond);
    curl_easy_setopt(easy, CURLOPT_LOW_SPEED_TIME, kSlowestSeconds);
  } else {
    // libcurl by itself sends a request again when a reused connection dies before the first byte of the reply.
    curl_easy_setopt(easy, CURLOPT_FRESH_CONNECT, 1L);
    curl_easy_setopt(easy, CURLOPT_FORBID_REUSE, 1L);
  }
}

bool add_headers(const HttpRequest& request, HeaderLines& lines) {
  bool fine = lines.add("Expect:") && lines.add("Content-Type:" + (request.content_type.empty() ? "" : " " + request.content_type));
  for (auto& [name, value] : request.headers) fine = fine && lines.add(name + ": " + value);
  return fine && (!request.bearer || lines.add("Authorization: Bearer " + request.bearer->reveal()));
}

HttpFailure refused(const HttpRequest& request, const std::string& why) {
  return {false, true, printable(request.method + " " + request.url) + ": " + why};
}

/// Nothing of the request has left as long as libcurl has written none of it: no name, no connection, no TLS.
HttpFailure failure(CURL* easy, CURLcode code, const Transfer& transfer) {
  if (transfer.foreign) return refused(transfer.request, "leads to an address that is not this machine's");
  long written = 0;
  curl_off_t began = 0;
  curl_easy_getinfo(easy, CURLINFO_REQUEST_SIZE, &written);
  curl_easy_getinfo(easy, CURLINFO_PRETRANSFER_TIME_T, &began);
  std::string why = transfer.error[0] ? transfer.error.data() : curl_easy_strerror(code);
  if (transfer.too_large) why = "the reply is larger than allowed";
  return {written > 0 || began > 0, false, printable(transfer.request.method + " " + transfer.request.url + ": " + why)};
}

void read_reply(CURL* easy, HttpReply& reply) {
  long status = 0;
  curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status);
  reply.status = static_cast<int>(status);
  auto date = reply.headers.find("date");
  time_t seconds = date == reply.headers.end() ? -1 : curl_getdate(date->second.c_str(), nullptr);
  if (seconds >= 0) reply.date = static_cast<EpochMs>(seconds) * 1000;
}

void start_library() {
  static const bool once = [] {
    unsetenv("SSLKEYLOGFILE");  // libcurl would write the keys of every connection to it
    return curl_global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK;
  }();
  (void)once;
}

class CurlHttp final : public Http {
 public:
  explicit CurlHttp(HttpRules rules) : rules_(std::move(rules)) { start_library(); }

  HttpResult send(const HttpRequest& request) override {
    if (auto why = refused_address(rules_.reach, request.url, request.bearer != nullptr); !why.empty())
      return tl::unexpected(refused(request, why));
    HeaderLines headers;
    if (!add_headers(request, headers)) return tl::unexpected(refused(request, "a header is not one line of text"));
    Easy easy = take();
    if (!easy) return tl::unexpected(HttpFailure{false, false, "libcurl cannot start"});
    auto result = transmit(easy.get(), request, headers);
    give_back(std::move(easy));
    return result;
  }

 private:
  HttpResult transmit(CURL* easy, const HttpRequest& request, const HeaderLines& headers) const {
    Transfer transfer{request, rules_};
    set_rules(easy, transfer);
    set_request(easy, request, headers);
    static_assert(is_failpoint("http.send"));
    if (auto fine = failpoint_reached("http.send"); !fine) return tl::unexpected(HttpFailure{false, false, fine.error().what});
    auto code = curl_easy_perform(easy);
    // libcurl takes a head that was cut off for a reply without a body.
    if (code != CURLE_OK || !transfer.head_complete) return tl::unexpected(failure(easy, code ? code : CURLE_PARTIAL_FILE, transfer));
    read_reply(easy, transfer.reply);
    return std::move(transfer.reply);
  }

  /// A handle keeps its connections for the next read; each is used by one thread at a time.
  Easy take() {
    std::lock_guard lock(mutex_);
    if (idle_.empty()) return Easy(curl_easy_init());
    Easy easy = std::move(idle_.back());
    idle_.pop_back();
    return easy;
  }
  void give_back(Easy easy) {
    curl_easy_reset(easy.get());  // forgets the request and its headers, keeps the connections
    std::lock_guard lock(mutex_);
    idle_.push_back(std::move(easy));
  }

  HttpRules rules_;
  std::mutex mutex_;
  std::vector<Easy> idle_;
};

}  // namespace

std::unique_ptr<Http> make_http(HttpRules rules) { return std::make_unique<CurlHttp>(std::move(rules)); }

}  // namespace vt
