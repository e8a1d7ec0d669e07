#include "orchestrator/host/transport.hpp"

namespace vt {

namespace {

constexpr std::size_t kMostOutput = 1024 * 1024;
constexpr std::size_t kPiece = 64 * 1024;

void keep(ExecResult& result, const Stream::Chunk& chunk) {
  auto& text = chunk.from == Stream::From::out ? result.out : result.err;
  text.append(chunk.bytes, 0, kMostOutput - std::min(text.size(), kMostOutput));
}

/// Reads until the end, or only what is there already.
Result<bool> collect(Stream& stream, ExecResult& result, bool to_the_end, Deadline deadline) {
  while (true) {
    VT_TRY(auto chunk, stream.read(to_the_end ? deadline : Deadline::after(Duration{0})));
    keep(result, chunk);
    if (chunk.end) return true;
    if (chunk.bytes.empty() && !to_the_end) return false;
    if (chunk.bytes.empty()) return fail(Errc::timeout, "exec: no end of the command in time; the host is frozen, or the command hangs");
  }
}

Status feed(Stream& stream, std::string_view input, ExecResult& result, Deadline deadline) {
  while (!input.empty()) {
    auto piece = input.substr(0, kPiece);
    auto written = stream.write(piece, deadline);
    if (!written && written.error().code == Errc::transport) return {};  // the command took no more, or reading tells what was lost
    VT_CHECK(written);
    input.remove_prefix(piece.size());
    VT_TRY(bool ended, collect(stream, result, false, deadline));
    if (ended) return {};
  }
  return {};
}

}  // namespace

Result<ExecResult> exec(Transport& transport, std::string_view command, std::string_view input, Deadline deadline) {
  VT_TRY(auto stream, transport.open(command, deadline));
  ExecResult result;
  VT_CHECK(feed(*stream, input, result, deadline));
  VT_CHECK(stream->close_input());
  VT_CHECK(collect(*stream, result, true, deadline));
  VT_TRY(result.exit_code, stream->exit_status(deadline));
  return result;
}

}  // namespace vt
