#include "orchestrator/report/formats.hpp"

#include "orchestrator/model/text.hpp"
#include "orchestrator/report/json.hpp"
#include "orchestrator/report/junit.hpp"
#include "orchestrator/report/markdown.hpp"
#include "orchestrator/report/ocp.hpp"
#include "orchestrator/report/text.hpp"

namespace vt {

namespace {

struct Format {
  const char* name;
  std::string (*render)(const RunView&, const Catalogue&);
};

std::string plain_text(const RunView& view, const Catalogue& catalogue) { return text_report(view, catalogue, {}); }

/// One row per format: a new one is one file and one line here.
constexpr Format kFormats[] = {
    {"text", plain_text}, {"json", json_report}, {"junit", junit_report}, {"markdown", markdown_report}, {"ocp", ocp_report}};

}  // namespace

const std::vector<std::string>& report_formats() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> out;
    for (auto& format : kFormats) out.emplace_back(format.name);
    return out;
  }();
  return names;
}

Result<std::string> render(const std::string& format, const RunView& view, const Catalogue& catalogue) {
  for (auto& known : kFormats)
    if (format == known.name) return known.render(view, catalogue);
  return fail(Errc::usage, "no report format '" + format + "'; expected one of " + join(report_formats(), ", "));
}

}  // namespace vt
