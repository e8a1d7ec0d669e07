#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "orchestrator/model/result.hpp"
#include "providers/emulator/books.hpp"
#include "providers/emulator/faults.hpp"

namespace vt::emulator {

/// One request, as a handler sees it.
struct Call {
  std::string method, path;                           ///< path without the query
  std::vector<std::string> parts;                     ///< what the "{}" of the route stood for, decoded
  std::map<std::string, std::string> query, headers;  ///< header names in lower case
  std::string body;
  std::string base;          ///< "http://127.0.0.1:PORT", as the client sees us
  std::uint64_t number = 0;  ///< in the books' log; 0 for requests that change nothing
  FaultSet faults;           ///< those that are the handler's to play

  [[nodiscard]] std::string bearer() const;                         ///< the token of the Authorization header; empty if there is none
  [[nodiscard]] std::string param(const std::string& name) const;   ///< of the query; empty if absent
  [[nodiscard]] std::string header(const std::string& name) const;  ///< lower case; empty if absent
};

struct Reply {
  int status = 200;
  std::string body;
  std::string type = "application/json";
  std::map<std::string, std::string> headers;
};
Reply json_reply(const nlohmann::json& body, int status = 200);
/// "a=b&c=d", of an address or a form, decoded.
std::map<std::string, std::string> parse_query(const std::string& text);

using Handler = std::function<Reply(const Call&)>;
/// How an API words an error that comes from the front of the house: 401, 404, 405, 409, 429, 500, 503.
using ErrorMaker = std::function<Reply(int status)>;

/// HTTP on a loopback port behind a Gate. Handlers run on many threads at once. Plays the faults that happen on the wire (lost,
/// truncated, late replies; 429, 500, 503, 401; the Date header) for all of them, and logs what changes anything in the books.
class Server {
 public:
  Server(Books&, Faults&, const Clock&);
  ~Server();

  /// "/v2/pods/{}": "{}" is one segment, "{*}" at the end one or more. The first route that matches is taken. Before start() only.
  void route(const std::string& method, const std::string& pattern, Api, CallKind, Handler);
  void errors(Api, ErrorMaker);
  /// Paths below `prefix` that no route matches get that API's 404, or 405 if another method would do.
  void home(Api, const std::string& prefix);

  Status start(int port);
  void stop();
  [[nodiscard]] int port() const;
  [[nodiscard]] std::string base() const;
  /// The reply to a call that is part of another (a batch): handlers' faults only.
  Reply answer(Call) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace vt::emulator
