#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "orchestrator/model/result.hpp"

/// Files only their owner can read, and how to write them so that a crash leaves the old one or the new one.
/// Internal to the store.
namespace vt {

/// Makes the folder (0700, whatever the umask) and what is missing above it, then checks it as below.
Status make_private_folder(const std::string& path);
/// It is a folder, ours, nobody else can write to it, and its file system locks files properly.
Status check_private_folder(const std::string& path);
/// Makes an empty file (0600, whatever the umask) unless there is one; a link or somebody else's file is refused.
Status make_private_file(const std::string& path);
/// Temporary file, fsync, rename, fsync of the folder.
Status replace_file(const std::string& path, std::string_view bytes);
/// Makes it (0600), or makes it longer, with every block really allocated.
Status make_preallocated_file(const std::string& path, std::int64_t bytes);
/// Symbolic links resolved, so that SQLite can be told to follow none.
Result<std::string> real_path(const std::string& path);
Status sync_file(const std::string& path);
/// Errc::not_found if there is none.
Result<std::string> read_file(const std::string& path);
/// The name of a network file system, where SQLite's locks cannot be trusted; by the f_type of statfs(2).
std::optional<std::string_view> network_file_system(long magic);
/// Errno as an Error: a full disk is Errc::disk_full, everything else Errc::storage.
Error file_error(const std::string& path, const std::string& doing, int number);
bool means_disk_full(int number);

}  // namespace vt
