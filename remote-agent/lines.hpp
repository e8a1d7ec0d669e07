#pragma once
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "remote-agent/protocol/frames.hpp"

namespace vt::agent {

/// A frame as one line; bytes that are not UTF-8 are replaced.
std::string line_of(const nlohmann::json& frame);
/// The object a line holds, or nullopt.
std::optional<nlohmann::json> frame_of(const std::string& line);
/// A text field; empty if it is missing or no text.
std::string text_in(const nlohmann::json& frame, const char* field);
/// A whole number; `missing` if it is not there or no whole number.
std::int64_t number_in(const nlohmann::json& frame, const char* field, std::int64_t missing);
/// The "result" frame with its number, shortened where it would not fit in kMaxFrame.
std::string result_line(protocol::JobResult, std::int64_t seq);
/// The result of a job that could not be run or was lost.
protocol::JobResult no_result(const std::string& job, const std::string& error);

}  // namespace vt::agent
