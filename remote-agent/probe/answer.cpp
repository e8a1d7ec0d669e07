#include "remote-agent/probe/answer.hpp"

#include <nlohmann/json.hpp>
#include <system_error>

namespace vt::probe {
namespace {

std::string json_text(const nlohmann::json& value) {
  return value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);  // a host may hold any bytes
}

}  // namespace

Answer yes(std::string evidence) { return {"true", std::move(evidence)}; }
Answer no(std::string evidence) { return {"false", std::move(evidence)}; }
Answer unknown(std::string evidence) { return {"", std::move(evidence)}; }
Answer number(std::int64_t n, std::string evidence) { return {std::to_string(n), std::move(evidence)}; }
Answer number(double n, std::string evidence) { return {json_text(n), std::move(evidence)}; }
Answer text(const std::string& value, std::string evidence) { return {json_text(value), std::move(evidence)}; }
Answer list(const std::vector<std::string>& values, std::string evidence) { return {json_text(values), std::move(evidence)}; }

Answer unreadable(const std::string& path, int error) { return unknown(path + ": " + why(error)); }
std::string why(int error) { return std::generic_category().message(error); }

}  // namespace vt::probe
