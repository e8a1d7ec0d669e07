#include "orchestrator/cli/progress_printer.hpp"

#include <unistd.h>

#include <cstdio>

#include "orchestrator/cli/log.hpp"
#include "orchestrator/cli/workplace.hpp"

namespace vt {

namespace {

ProgressMode mode_for(const CommandLine& line) {
  if (line.json) return ProgressMode::json;
  return isatty(STDERR_FILENO) != 0 ? ProgressMode::live : ProgressMode::plain;
}

}  // namespace

ProgressPrinter::ProgressPrinter(const CommandLine& line, Store& store, bool rehearsal) : store_(store) {
  auto log = std::make_shared<RunLog>(line.state_dir);
  store_.listen([log](const Event& e) { log->see(e); });
  if (line.quiet) return;
  TextStyle style{terminal_width(STDERR_FILENO), use_colour(line, STDERR_FILENO)};
  FILE* out = line.json ? stdout : stderr;
  progress_ = std::make_unique<Progress>(make_progress(mode_for(line), style, rehearsal), [out](std::string_view bytes) {
    std::fwrite(bytes.data(), 1, bytes.size(), out);
    std::fflush(out);
  });
  store_.listen([this, log](const Event& e) { log->see(e), progress_->see(e); });
}

void ProgressPrinter::finish() {
  if (!progress_) return;
  progress_->close();
  std::fprintf(stderr, "\n");
}

ProgressPrinter::~ProgressPrinter() { store_.listen({}); }

}  // namespace vt
