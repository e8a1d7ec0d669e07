#include "orchestrator/plan/yaml_reader.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/node/node.h>  // clang-tidy takes the forward declaration in parser.h for our Node otherwise
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <sstream>

#include "orchestrator/plan/problems.hpp"
#include "orchestrator/plan/tree_builder.hpp"
#include "orchestrator/plan/utf8.hpp"

namespace vt::yaml {

namespace {

/// Size and encoding, before a parser sees the text.
bool check_bytes(std::string_view text, const std::string& file, Problems& problems) {
  if (text.size() > kLargestFile) {
    complain(problems, {file, 0, 0}, "larger than 256 KiB; expected a smaller file");
    return false;
  }
  auto bad = bad_byte(text);
  if (!bad) return true;
  auto before = text.substr(0, *bad);
  auto line_start = before.rfind('\n') + 1;  // npos + 1 is 0: the first line
  int line = static_cast<int>(std::count(before.begin(), before.end(), '\n')) + 1;
  complain(problems, {file, line, length_in_characters(before.substr(line_start)) + 1},
           "a byte that is not UTF-8 text; expected UTF-8 without control characters");
  return false;
}

/// The one place where yaml-cpp parses, and where its exceptions end.
bool parse(std::string_view text, const std::string& file, TreeBuilder& builder, Problems& problems) try {
  std::istringstream stream{std::string(text)};
  YAML::Parser parser(stream);
  while (builder.documents() < 2 && parser.HandleNextDocument(builder)) {}
  if (builder.documents() == 0) complain(problems, {file, 1, 1}, "the file is empty; expected a map of keys");
  return builder.documents() == 1 && !builder.stopped();
} catch (const YAML::Exception& e) {
  if (!builder.stopped()) complain(problems, builder.where(e.mark), "not valid YAML: " + e.msg + "; expected YAML 1.2");
  return false;
}

struct File {
  int descriptor;
  ~File() {
    if (descriptor >= 0) ::close(descriptor);
  }
};

std::optional<std::string> unreadable(const std::string& path, const std::string& why, Problems& problems) {
  complain(problems, {path, 0, 0}, "cannot be read: " + why + "; expected a readable file");
  return std::nullopt;
}

}  // namespace

std::optional<Node> read_text(std::string_view text, const std::string& file, Problems& problems) {
  if (text.substr(0, 3) == "\xEF\xBB\xBF") text.remove_prefix(3);
  if (!check_bytes(text, file, problems)) return std::nullopt;
  TreeBuilder builder(text, file, problems);
  if (!parse(text, file, builder, problems)) return std::nullopt;
  return builder.take();
}

std::optional<Node> read_file(const std::string& path, Problems& problems) {
  auto bytes = read_bytes(path, problems);
  if (!bytes) return std::nullopt;
  return read_text(*bytes, path, problems);
}

std::optional<std::string> read_bytes(const std::string& path, Problems& problems) {
  File file{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};  // a FIFO must not block before it is refused
  struct stat info {};
  if (file.descriptor < 0 || ::fstat(file.descriptor, &info) != 0) return unreadable(path, std::strerror(errno), problems);
  if (!S_ISREG(info.st_mode)) return unreadable(path, "not a regular file", problems);
  std::string bytes(kLargestFile + 1, '\0');
  std::size_t size = 0;
  while (size < bytes.size()) {
    auto got = ::read(file.descriptor, bytes.data() + size, bytes.size() - size);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return unreadable(path, std::strerror(errno), problems);
    if (got == 0) break;
    size += static_cast<std::size_t>(got);
  }
  bytes.resize(size);
  return bytes;
}

}  // namespace vt::yaml
