// What every byte from a host goes through: lines out of a stream, frames out of lines.
#include <benchmark/benchmark.h>

#include <nlohmann/json.hpp>
#include <string>

#include "remote-agent/protocol/frames.hpp"

namespace vt::protocol {
namespace {

/// The result of a command that wrote `bytes` of text.
std::string result_line(std::size_t bytes) {
  JobResult result;
  result.id = "20261120-103000-k3x9/cube/os.kernel#1";
  result.pid = 4711, result.started_ms = 1'700'000'000'000, result.took_ms = 12, result.exit_code = 0;
  while (result.out.head.size() < bytes) result.out.head += "MemTotal:       65804344 kB\n";
  result.out.bytes = result.out.head.size(), result.out.lines = bytes / 28;
  return encode(result).dump() + "\n";
}

/// As it arrives: 16 KiB at a time, whatever the lines are.
void lines(benchmark::State& state) {
  auto line = result_line(static_cast<std::size_t>(state.range(0)));
  std::string stream;
  while (stream.size() < 4 * kMaxFrame) stream += line;
  for (auto _ : state) {
    LineReader reader;
    std::size_t taken = 0;
    for (std::size_t at = 0; at < stream.size(); at += 16 * 1024) {
      if (!reader.feed(std::string_view(stream).substr(at, 16 * 1024))) return state.SkipWithError("line over the limit");
      while (auto next = reader.next()) taken += next->size() + 1;
    }
    if (taken != stream.size()) return state.SkipWithError("bytes were lost");
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(stream.size()));
}
BENCHMARK(lines)->Name("wire/lines")->Arg(100)->Arg(64 * 1024);

void decode(benchmark::State& state) {
  auto line = result_line(static_cast<std::size_t>(state.range(0)));
  for (auto _ : state) {
    auto result = decode_result(nlohmann::json::parse(line, nullptr, false));
    if (!result) return state.SkipWithError("not a result");
    benchmark::DoNotOptimize(result);
  }
  state.SetItemsProcessed(state.iterations());
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(line.size()));
}
BENCHMARK(decode)->Name("wire/decode_result")->Arg(100)->Arg(64 * 1024);

}  // namespace
}  // namespace vt::protocol
