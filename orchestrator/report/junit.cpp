#include "orchestrator/report/junit.hpp"

#include <cstdio>

#include "orchestrator/model/text.hpp"
#include "orchestrator/report/surprises.hpp"

namespace vt {

namespace {

/// Length of the UTF-8 sequence at `at` and its code point; {0, 0} if it is malformed, overlong or a surrogate.
struct Decoded {
  std::size_t length = 0;
  char32_t code = 0;
};
Decoded decode(std::string_view s, std::size_t at) {
  auto byte = [&](std::size_t i) { return static_cast<unsigned char>(s[i]); };
  unsigned char first = byte(at);
  if (first < 0x80) return {1, first};
  std::size_t length = first >= 0xF0 && first < 0xF5 ? 4 : first >= 0xE0 && first < 0xF0 ? 3 : first >= 0xC2 && first < 0xE0 ? 2 : 0;
  if (length == 0 || at + length > s.size()) return {};
  char32_t code = first & (0xFFU >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(at + i) & 0xC0) != 0x80) return {};
    code = (code << 6) | (byte(at + i) & 0x3FU);
  }
  constexpr char32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  bool wrong = code < kLeast[length] || code > 0x10FFFF || (code >= 0xD800 && code < 0xE000);
  return wrong ? Decoded{} : Decoded{length, code};
}

bool allowed(char32_t c) { return c == '\t' || c == '\n' || (c >= 0x20 && !(c >= 0x7F && c < 0xA0) && c != 0xFFFE && c != 0xFFFF); }

std::string attribute(const std::string& key, std::string_view value) {
  auto text = xml_text(value);
  for (std::size_t at = 0; (at = text.find('\n', at)) != std::string::npos;) text.replace(at, 1, "&#10;");
  return " " + key + "=\"" + text + "\"";
}

std::string element(const std::string& tag, const std::string& message, const std::string& type, const std::string& body) {
  auto open = "      <" + tag + attribute("message", message) + (type.empty() ? "" : attribute("type", type));
  return body.empty() ? open + "/>\n" : open + ">" + xml_text(body) + "</" + tag + ">\n";
}

std::string property(const std::string& key, const std::string& value) {
  return value.empty() ? "" : "      <property" + attribute("name", key) + attribute("value", value) + "/>\n";
}

struct Tally {
  int tests = 0, failures = 0, errors = 0, skipped = 0;
};

class Junit {
 public:
  Junit(const RunView& view, const Catalogue& catalogue) : view_(view), catalogue_(catalogue) {}

  std::string all() {
    std::string suites;
    for (std::size_t i = 0; i < view_.layers.size(); ++i) suites += suite(i);
    return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites" + attribute("name", title()) + numbers(total_) + ">\n" + suites +
           "</testsuites>\n";
  }

 private:
  [[nodiscard]] std::string title() const { return (view_.rehearsal() ? "REHEARSAL " : "") + view_.run.plan; }

  static std::string numbers(const Tally& t) {
    return attribute("tests", std::to_string(t.tests)) + attribute("failures", std::to_string(t.failures)) +
           attribute("errors", std::to_string(t.errors)) + attribute("skipped", std::to_string(t.skipped));
  }

  std::string suite(std::size_t index) {
    auto& layer = view_.layers[index];
    Tally tally;
    std::string cases = layer_case(layer, tally);
    for (auto& row : view_.rows)
      for (std::size_t i = 0; i < row.cells.size(); ++i)
        if (view_.columns[i].layer == index && row.cells[i].planned) cases += test_case(row, view_.columns[i], row.cells[i], tally);
    total_ = {total_.tests + tally.tests, total_.failures + tally.failures, total_.errors + tally.errors, total_.skipped + tally.skipped};
    char seconds[32];
    std::snprintf(seconds, sizeof seconds, "%.3f", static_cast<double>(layer.took.count()) / 1000);
    auto started = layer.row.started ? utc_text(layer.row.started).substr(0, 19) : "";
    return "  <testsuite" + attribute("name", layer.row.name) + numbers(tally) + attribute("time", seconds) +
           (started.empty() ? "" : attribute("timestamp", started)) + ">\n    <properties>\n" + properties(layer) + "    </properties>\n" +
           cases + "  </testsuite>\n";
  }

  std::string properties(const LayerView& layer) const {
    auto& subject = layer.row.subject.path.empty() ? view_.run.subject : layer.row.subject;
    auto dirty = subject.path.empty() ? "" : subject.dirty ? "yes" : "no";
    return property("run", view_.run.id) + property("tool", view_.run.tool) + property("provider", layer.row.provider) +
           property("hosts", join(layer.hosts, ", ")) + property("subject", subject.path) + property("subject.commit", subject.commit) +
           property("subject.dirty", dirty) + property("evidence", std::string(name(view_.run.origin)));
  }

  /// A layer that ended badly shows even where it planned nothing.
  static std::string layer_case(const LayerView& layer, Tally& tally) {
    if (layer.row.state == LayerState::done) return "";
    ++tally.tests, ++tally.errors;
    auto state = std::string(name(layer.row.state));
    return "    <testcase" + attribute("classname", layer.row.name) + attribute("name", "(layer)") + ">\n" +
           element("error", state + (layer.row.detail.empty() ? "" : ": " + layer.row.detail), state, "") + "    </testcase>\n";
  }

  std::string test_case(const ViewRow& row, const ViewColumn& column, const ViewCell& cell, Tally& tally) {
    ++tally.tests;
    auto label = column.label;
    for (char& c : label)
      if (c == '/') c = '.';
    auto open = "    <testcase" + attribute("classname", label) + attribute("name", row.check);
    auto inside = outcome(row, cell, tally);
    return inside.empty() ? open + "/>\n" : open + ">\n" + inside + "    </testcase>\n";
  }

  std::string outcome(const ViewRow& row, const ViewCell& cell, Tally& tally) const {
    auto j = cell.deciding();
    if (!j) return ++tally.errors, element("error", "planned, but nothing was recorded", "no verdict", "");
    auto message = j->reason.empty() ? std::string(name(j->verdict)) : j->reason;
    auto type = std::string(name(j->verdict)) + "." + std::string(name(j->cause));
    if (j->verdict == Verdict::pass || j->verdict == Verdict::info)
      return j->origin == view_.run.origin ? "" : "      <system-out>no evidence: the processor stood in for the GPU</system-out>\n";
    if (j->verdict == Verdict::warn) return "      <system-out>" + xml_text("warning: " + body(row, *j)) + "</system-out>\n";
    if (j->verdict == Verdict::fail) return ++tally.failures, element("failure", message, type, body(row, *j));
    if (j->verdict != Verdict::skip) return ++tally.errors, element("error", message, type, body(row, *j));
    auto uncovered = row.severity == Severity::info ? "; not measured" : "; UNPROVEN";
    return ++tally.skipped,
           element("skipped", message + (cell.covered_by.empty() ? uncovered : "; covered by " + join(cell.covered_by, ", ")), "", "");
  }

  [[nodiscard]] std::string body(const ViewRow& row, const Judgement& j) const {
    auto lines = measured_lines(j, false);
    if (lines.empty()) lines.push_back(j.reason);
    if (auto check = catalogue_.check(row.check)) {
      if (!check->why.empty()) lines.push_back("why: " + check->why);
      if (!check->remedy.empty()) lines.push_back("do: " + check->remedy);
    }
    return join(lines, "\n");
  }

  const RunView& view_;
  const Catalogue& catalogue_;
  Tally total_;
};

}  // namespace

std::string xml_text(std::string_view s) {
  std::string out;
  for (std::size_t i = 0; i < s.size();) {
    auto [length, code] = decode(s, i);
    if (length == 0) out += "\xEF\xBF\xBD";  // U+FFFD for a byte that is no UTF-8
    else if (code == '<') out += "&lt;";
    else if (code == '>') out += "&gt;";
    else if (code == '&') out += "&amp;";
    else if (code == '"') out += "&quot;";
    else if (allowed(code)) out += s.substr(i, length);
    i += length ? length : 1;
  }
  return out;
}

std::string junit_report(const RunView& view, const Catalogue& catalogue) { return Junit(view, catalogue).all(); }

}  // namespace vt
