#include <algorithm>
#include <sstream>

#include "orchestrator/model/text.hpp"
#include "providers/emulator/gcp/api.hpp"

// POST /batch/compute/v1: several requests in one multipart body, as gcloud sends them for more than one instance.
namespace vt::emulator::gcp {

namespace {

constexpr const char* kBoundary = "batch_emulated";

struct Part {
  std::string id;  ///< Content-ID without brackets
  Call call;
};

/// Cuts the text up to an empty line off; lines end in LF or CRLF.
std::vector<std::string> take_head(std::string& text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    auto end = text.find('\n');
    std::string line(trim(text.substr(0, end)));
    text.erase(0, end == std::string::npos ? text.size() : end + 1);
    if (line.empty() && !lines.empty()) break;
    if (!line.empty()) lines.push_back(line);
  }
  return lines;
}

std::map<std::string, std::string> fields_of(const std::vector<std::string>& lines) {
  std::map<std::string, std::string> fields;
  for (auto& line : lines) {
    auto colon = line.find(':');
    if (colon == std::string::npos) continue;
    std::string key = line.substr(0, colon);
    std::transform(key.begin(), key.end(), key.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    fields[key] = trim(line.substr(colon + 1));
  }
  return fields;
}

std::optional<Part> part_from(std::string text, const Call& whole) {
  auto outer = fields_of(take_head(text));
  auto inner = take_head(text);
  if (inner.empty()) return std::nullopt;
  Part part;
  part.id = outer["content-id"];
  if (part.id.starts_with('<') && part.id.ends_with('>')) part.id = part.id.substr(1, part.id.size() - 2);
  std::istringstream line(inner.front());
  std::string target;
  line >> part.call.method >> target;
  auto question = target.find('?');
  part.call.path = target.substr(0, question);
  if (question != std::string::npos) part.call.query = parse_query(target.substr(question + 1));
  part.call.headers = fields_of(inner);
  part.call.headers["authorization"] = whole.header("authorization");
  part.call.base = whole.base, part.call.body = trim(text);
  return part;
}

std::string boundary_of(const std::string& type) {
  auto at = type.find("boundary=");
  if (at == std::string::npos) return "";
  std::string boundary = type.substr(at + 9);
  if (boundary.starts_with('"')) return boundary.substr(1, boundary.find('"', 1) - 1);
  return boundary.substr(0, boundary.find(';'));
}

std::vector<Part> parts_of(const Call& call, const std::string& boundary) {
  std::vector<Part> parts;
  std::string mark = "--" + boundary;
  for (auto at = call.body.find(mark); at != std::string::npos;) {
    auto from = at + mark.size();
    auto next = call.body.find(mark, from);
    if (next == std::string::npos) break;
    if (auto part = part_from(call.body.substr(from, next - from), call)) parts.push_back(*part);
    at = next;
  }
  return parts;
}

std::string part_text(const Part& part, const Reply& reply) {
  return std::string("--") + kBoundary + "\r\nContent-Type: application/http\r\nContent-ID: <response-" + part.id + ">\r\n\r\nHTTP/1.1 " +
         std::to_string(reply.status) + (reply.status < 300 ? " OK" : " Error") + "\r\nContent-Type: " + reply.type +
         "\r\nContent-Length: " + std::to_string(reply.body.size()) + "\r\n\r\n" + reply.body + "\r\n";
}

Reply serve(const Engine& engine, const Call& call) {
  std::string boundary = boundary_of(call.header("content-type")), body;
  if (boundary.empty()) return error(400, "badRequest", "Failed to parse batch request: no boundary.");
  for (auto& part : parts_of(call, boundary)) body += part_text(part, engine.world.server->answer(part.call));
  return {200, body + "--" + kBoundary + "--\r\n", std::string("multipart/mixed; boundary=") + kBoundary, {}};
}

}  // namespace

void add_batch(const std::shared_ptr<Engine>& engine) {
  engine->world.server->route("POST", "/batch/compute/v1", Api::gcp, CallKind::none,
                              [engine](const Call& call) { return serve(*engine, call); });
}

}  // namespace vt::emulator::gcp
