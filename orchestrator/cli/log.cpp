#include "orchestrator/cli/log.hpp"

#include <spdlog/sinks/rotating_file_sink.h>
#include <spdlog/spdlog.h>
#include <sys/stat.h>

#include <nlohmann/json.hpp>

#include "orchestrator/store/codec.hpp"

namespace vt {

struct RunLog::Impl {
  std::shared_ptr<spdlog::logger> logger;
};

namespace {

constexpr std::size_t kLargest = 4UL * 1024 * 1024;

std::shared_ptr<spdlog::logger> open_log(const std::string& path) try {
  spdlog::file_event_handlers handlers;
  handlers.after_open = [](const spdlog::filename_t&, std::FILE* file) { fchmod(fileno(file), 0600); };
  auto sink = std::make_shared<spdlog::sinks::rotating_file_sink_mt>(path, kLargest, 3, false, handlers);
  auto logger = std::make_shared<spdlog::logger>("run", sink);
  logger->set_pattern("%Y-%m-%dT%H:%M:%S.%e %P %v");
  logger->flush_on(spdlog::level::info);
  return logger;
} catch (const spdlog::spdlog_ex&) { return nullptr; }

}  // namespace

RunLog::RunLog(const std::string& state_dir) : impl_(std::make_unique<Impl>(Impl{open_log(state_dir + "/vault-test.log")})) {}
RunLog::~RunLog() = default;

void RunLog::see(const Event& e) {
  bool frequent = std::holds_alternative<event::CheckProgress>(e.body);
  if (impl_->logger && !frequent) impl_->logger->info(to_json(e).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

}  // namespace vt
