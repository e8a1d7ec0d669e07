#pragma once
#include <optional>
#include <string_view>

#include "orchestrator/model/clock.hpp"

namespace vt {

/// "7d", "12h", "90m", "30s", "200ms"; nullopt on anything else and on more than ten years.
std::optional<Duration> parse_duration(std::string_view);
/// A whole number from 0 to `most`, digits only.
std::optional<long> parse_count(std::string_view, long most);
/// "50 GB", "64 MiB": a number and a unit.
bool is_size(std::string_view);
/// [a-z0-9][a-z0-9._-]{0,62}: a plan, layer or suite.
bool is_plain_name(std::string_view);
/// [a-z0-9_]+(\.[a-z0-9_]+)+
bool is_check_id(std::string_view);
/// A check id, and after '@' a size in whole MiB: "nccl.all_reduce@512MiB"
bool is_baseline_key(std::string_view);
/// "2026-11-20": four, two and two digits
bool is_date(std::string_view);
/// [A-Z][A-Z0-9_]*
bool is_secret_name(std::string_view);
/// [A-Za-z_][A-Za-z0-9_]*
bool is_variable_name(std::string_view);
/// [a-z_][a-z0-9_-]{0,31}
bool is_user_name(std::string_view);
/// A DNS name or IP address: nothing a shell, an option parser or a URL could read otherwise.
bool is_address(std::string_view);
/// "SHA256:" and 43 base64 characters.
bool is_fingerprint(std::string_view);
/// "user@host" or "user@host:port"
bool is_jump(std::string_view);

}  // namespace vt
