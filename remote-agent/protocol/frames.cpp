#include "remote-agent/protocol/frames.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

namespace vt::protocol {

namespace {

using nlohmann::json;

constexpr std::int64_t kLongestMs = 1000LL * 24 * 3600 * 1000;  ///< a deadline that can be added to a clock

/// Reads typed fields of an object without exceptions. A missing field keeps its default, a field of the wrong type
/// makes the whole frame unreadable.
class Fields {
 public:
  explicit Fields(const json& object) : object_(object), ok_(object.is_object()) {}
  [[nodiscard]] bool ok() const { return ok_; }

  void text(const char* key, std::string& to) { read(key, to, &json::is_string); }
  void flag(const char* key, bool& to) { read(key, to, &json::is_boolean); }
  template <class Integer>
  void integer(const char* key, Integer& to) {
    auto* field = find(key);
    if (!field) return;
    if (!field->is_number_integer()) return fail();
    auto wide = field->is_number_unsigned() && field->get<std::uint64_t>() > INT64_MAX ? INT64_MAX : field->get<std::int64_t>();
    if (!std::in_range<Integer>(wide)) return fail();
    to = static_cast<Integer>(wide);
  }
  void texts(const char* key, std::vector<std::string>& to) {
    auto* field = find(key);
    if (!field) return;
    if (!field->is_array()) return fail();
    for (auto& item : *field) {
      if (!item.is_string()) return fail();
      to.push_back(item.get<std::string>());
    }
  }
  void text_map(const char* key, std::map<std::string, std::string>& to) {
    auto* field = find(key);
    if (!field) return;
    if (!field->is_object()) return fail();
    for (auto& [name, value] : field->items()) {
      if (!value.is_string()) return fail();
      to[name] = value.get<std::string>();
    }
  }
  /// An object, kept as text.
  void object(const char* key, std::string& to) {
    auto* field = find(key);
    if (!field) return;
    if (!field->is_object()) return fail();
    to = field->dump(-1, ' ', false, json::error_handler_t::replace);
  }
  const json* find(const char* key) {
    if (!ok_) return nullptr;
    auto at = object_.find(key);
    return at == object_.end() || at->is_null() ? nullptr : &*at;
  }
  void fail() { ok_ = false; }

 private:
  template <class T>
  void read(const char* key, T& to, bool (json::*is)() const noexcept) {
    auto* field = find(key);
    if (!field) return;
    if (!(field->*is)()) return fail();
    to = field->get<T>();
  }
  const json& object_;
  bool ok_;
};

/// Text of ours that holds a JSON object; anything else counts as none.
json object_from(const std::string& text) {
  auto parsed = json::parse(text, nullptr, false);
  return parsed.is_object() ? parsed : json::object();
}

json encode(const Stream& s) {
  return {{"head", valid_utf8(s.head)}, {"tail", valid_utf8(s.tail)}, {"bytes", s.bytes}, {"lines", s.lines}};
}

bool decode_stream(Fields& frame, const char* key, Stream& to) {
  auto* field = frame.find(key);
  if (!field) return true;
  Fields in(*field);
  in.text("head", to.head), in.text("tail", to.tail), in.integer("bytes", to.bytes), in.integer("lines", to.lines);
  return in.ok();
}

/// Length of the well-formed UTF-8 sequence at the start of `s` (RFC 3629, section 4), or 0.
std::size_t sequence_length(std::string_view s) {
  auto byte = [&](std::size_t i) { return i < s.size() ? static_cast<unsigned char>(s[i]) : 0U; };
  auto within = [&](std::size_t i, unsigned low, unsigned high) { return byte(i) >= low && byte(i) <= high; };
  auto lead = byte(0);
  if (lead < 0x80) return s.empty() ? 0 : 1;
  if (lead >= 0xC2 && lead <= 0xDF) return within(1, 0x80, 0xBF) ? 2 : 0;
  if (lead >= 0xE0 && lead <= 0xEF) {
    bool second = within(1, lead == 0xE0 ? 0xA0 : 0x80, lead == 0xED ? 0x9F : 0xBF);  // neither overlong nor a surrogate
    return second && within(2, 0x80, 0xBF) ? 3 : 0;
  }
  if (lead >= 0xF0 && lead <= 0xF4) {
    bool second = within(1, lead == 0xF0 ? 0x90 : 0x80, lead == 0xF4 ? 0x8F : 0xBF);
    return second && within(2, 0x80, 0xBF) && within(3, 0x80, 0xBF) ? 4 : 0;
  }
  return 0;
}

bool valid_kind(const Job& job) {
  if (job.kind == "agent") return !job.name.empty();
  if (job.kind == "command") return !job.argv.empty();
  return job.kind == "script";
}

}  // namespace

json encode(const Job& job) {
  return {{"job", job.id},
          {"kind", job.kind},
          {"name", job.name},
          {"args", object_from(job.args)},
          {"argv", job.argv},
          {"script", job.script},
          {"interpreter", job.interpreter},
          {"environment", job.environment},
          {"deadline_ms", job.deadline_ms},
          {"detach", job.detach},
          {"root", job.root},
          {"group", job.group},
          {"rank", job.rank},
          {"world", job.world},
          {"t", "run"}};
}

json encode(const JobResult& result) {
  return {{"t", "result"},
          {"job", result.id},
          {"pid", result.pid},
          {"started_ms", result.started_ms},
          {"took_ms", result.took_ms},
          {"exit", result.exit_code ? json(*result.exit_code) : json()},
          {"signal", result.signal},
          {"timed_out", result.timed_out},
          {"lost", result.lost},
          {"out", encode(result.out)},
          {"err", encode(result.err)},
          {"values", object_from(result.values)},
          {"device", valid_utf8(result.device)},
          {"error", valid_utf8(result.error)}};
}

std::optional<Job> decode_job(const json& frame) {
  Job job;
  job.args = "{}", job.interpreter = "/bin/sh";
  Fields in(frame);
  in.text("job", job.id), in.text("kind", job.kind), in.text("name", job.name), in.object("args", job.args);
  in.texts("argv", job.argv), in.text("script", job.script), in.text("interpreter", job.interpreter);
  in.text_map("environment", job.environment), in.integer("deadline_ms", job.deadline_ms);
  in.flag("detach", job.detach), in.flag("root", job.root);
  in.text("group", job.group), in.integer("rank", job.rank), in.integer("world", job.world);
  if (!in.ok() || job.id.empty() || job.deadline_ms <= 0 || !valid_kind(job)) return std::nullopt;
  job.deadline_ms = std::min(job.deadline_ms, kLongestMs);
  return job;
}

std::optional<JobResult> decode_result(const json& frame) {
  JobResult result;
  result.values = "{}";
  Fields in(frame);
  in.text("job", result.id), in.integer("pid", result.pid);
  in.integer("started_ms", result.started_ms), in.integer("took_ms", result.took_ms);
  if (in.find("exit")) in.integer("exit", result.exit_code.emplace());
  in.integer("signal", result.signal), in.flag("timed_out", result.timed_out), in.flag("lost", result.lost);
  in.object("values", result.values), in.text("device", result.device), in.text("error", result.error);
  bool streams = decode_stream(in, "out", result.out) && decode_stream(in, "err", result.err);
  if (!in.ok() || !streams || result.id.empty()) return std::nullopt;
  return result;
}

namespace {

constexpr int kDeepest = 64;

bool too_deep(std::string_view text) {
  int depth = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (quoted && c == '\\') ++i;
    else if (c == '"') quoted = !quoted;
    else if (!quoted && (c == '[' || c == '{') && ++depth > kDeepest) return true;
    else if (!quoted && (c == ']' || c == '}')) --depth;
  }
  return false;
}

}  // namespace

json parse_untrusted(std::string_view text) {
  if (too_deep(text)) return json(json::value_t::discarded);
  return json::parse(text, nullptr, false);
}

std::string valid_utf8(std::string_view bytes) {
  std::string out;
  out.reserve(bytes.size());
  while (!bytes.empty()) {
    auto length = sequence_length(bytes);
    if (length) out += bytes.substr(0, length);
    else out += "\xEF\xBF\xBD";
    bytes.remove_prefix(length ? length : 1);
  }
  return out;
}

bool LineReader::feed(std::string_view bytes) {
  if (ready_ == 0 && at_ > 0) buffer_.erase(0, at_), at_ = 0;
  buffer_ += bytes;
  while (true) {
    auto end = bytes.find('\n');
    open_ += std::min(end, bytes.size());
    if (open_ > kMaxFrame) return false;
    if (end == std::string_view::npos) return true;
    ready_++, open_ = 0;
    bytes.remove_prefix(end + 1);
  }
}

std::optional<std::string> LineReader::next() {
  if (ready_ == 0) return std::nullopt;
  auto end = buffer_.find('\n', at_);
  auto line = buffer_.substr(at_, end - at_);
  at_ = end + 1, ready_--;
  return line;
}

}  // namespace vt::protocol
