#include <strings.h>

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "orchestrator/model/text.hpp"
#include "providers/emulator/server.hpp"

namespace vt::emulator {

using nlohmann::json;

namespace {

std::string decoded(const std::string& text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%' && i + 2 < text.size()) {
      out += static_cast<char>(std::strtol(text.substr(i + 1, 2).c_str(), nullptr, 16));
      i += 2;
    } else {
      out += text[i] == '+' ? ' ' : text[i];
    }
  }
  return out;
}

}  // namespace

// The HTTP library would take "a=b=c" apart at its last "=".
std::map<std::string, std::string> parse_query(const std::string& text) {
  std::map<std::string, std::string> query;
  for (auto& pair : split(text, '&')) {
    auto equals = pair.find('=');
    query[decoded(pair.substr(0, equals))] = equals == std::string::npos ? "" : decoded(pair.substr(equals + 1));
  }
  return query;
}

std::string Call::bearer() const {
  std::string value = header("authorization");
  return value.size() > 7 && strncasecmp(value.c_str(), "Bearer ", 7) == 0 ? value.substr(7) : "";
}

std::string Call::param(const std::string& key) const {
  auto found = query.find(key);
  return found == query.end() ? "" : found->second;
}

std::string Call::header(const std::string& key) const {
  auto found = headers.find(key);
  return found == headers.end() ? "" : found->second;
}

Reply json_reply(const json& body, int status) {
  Reply reply;
  reply.status = status;
  reply.body = body.dump(-1, ' ', false, json::error_handler_t::replace);
  return reply;
}

}  // namespace vt::emulator
