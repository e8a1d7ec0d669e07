#include "providers/http/address_rules.hpp"

#include <arpa/inet.h>
#include <curl/curl.h>
#include <netinet/in.h>

#include <memory>

namespace vt {

namespace {

constexpr const char* kMetadataServer = "metadata.google.internal";

struct FreeUrl {
  void operator()(CURLU* url) const { curl_url_cleanup(url); }
};

std::string part(CURLU& url, CURLUPart which) {
  char* text = nullptr;
  if (curl_url_get(&url, which, &text, 0) != CURLUE_OK) return "";
  std::string copy(text);
  curl_free(text);
  return copy;
}

bool is_loopback_host(std::string host) {
  if (host == "localhost") return true;  // what it resolves to is looked at again when the socket is made
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  in_addr four{};
  in6_addr six{};
  if (inet_pton(AF_INET, host.c_str(), &four) == 1) return ntohl(four.s_addr) >> 24 == 127;
  return inet_pton(AF_INET6, host.c_str(), &six) == 1 && IN6_IS_ADDR_LOOPBACK(&six);
}

}  // namespace

bool is_loopback(const sockaddr& address) {
  if (address.sa_family == AF_INET) return ntohl(reinterpret_cast<const sockaddr_in&>(address).sin_addr.s_addr) >> 24 == 127;
  return address.sa_family == AF_INET6 && IN6_IS_ADDR_LOOPBACK(&reinterpret_cast<const sockaddr_in6&>(address).sin6_addr);
}

std::string refused_address(HttpRules::Reach reach, const std::string& text, bool with_bearer) {
  std::unique_ptr<CURLU, FreeUrl> url(curl_url());
  if (!url || curl_url_set(url.get(), CURLUPART_URL, text.c_str(), CURLU_DISALLOW_USER) != CURLUE_OK) return "not an address we can use";
  std::string scheme = part(*url, CURLUPART_SCHEME), host = part(*url, CURLUPART_HOST);
  if (scheme != "http" && scheme != "https") return "neither http nor https";
  if (reach == HttpRules::Reach::loopback)
    return is_loopback_host(host) ? "" : "a rehearsal talks to this machine only, and this is not an address of it";
  if (scheme == "https" || (host == kMetadataServer && !with_bearer)) return "";
  return "not https";
}

}  // namespace vt
