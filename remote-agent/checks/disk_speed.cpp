#include <algorithm>
#include <string>
#include <utility>

#include "remote-agent/checks/disk_fio.hpp"

namespace vt::checks {

namespace {

constexpr std::uint64_t kVerifiedMib = 64;
constexpr double kGiga = 1e9;
constexpr std::int64_t kFioStarts = 10'000;  // ms beyond its own time, for what it does before and after

/// The file, laid out, and the time that its phases have.
struct Bench {
  Scratch file;
  std::uint64_t mib;
  std::int64_t phase_ms, end;
  bool fio;
  std::string why_not_fio{};

  [[nodiscard]] std::int64_t stop_at() const { return agent::boot_ms() + phase_ms; }
  [[nodiscard]] std::string engine() const { return fio ? "fio" : why_not_fio.empty() ? "own" : "own (" + why_not_fio + ")"; }
};

/// A file of args.mib MiB, or as much as a quarter of the time allows; three more quarters are left for what comes.
Result<Bench> lay_out(const Task& task, double usual_mib) {
  auto end = agent::boot_ms() + task.deadline_ms * 9 / 10;
  VT_TRY(auto file, Scratch::make(task));
  VT_TRY(auto mib, file.fitting_mib(task.number("mib", usual_mib)));
  auto phase_ms = std::max<std::int64_t>(task.deadline_ms / 5, 10);
  if (auto seconds = task.number("seconds", 0); seconds > 0) phase_ms = std::min(phase_ms, static_cast<std::int64_t>(seconds * 1000));
  VT_TRY(auto laid, sequential(file, {Access::write, mib, 4, agent::boot_ms() + std::max<std::int64_t>(task.deadline_ms / 5, 10)}));
  mib = laid.bytes / kDiskBlock;
  if (mib == 0) return fail(Errc::timeout, "not one MiB was written in time");
  return Bench{std::move(file), mib, phase_ms, end, has_fio() && !task.flag("own")};
}

std::vector<std::string> fio_words(const Bench& bench, const char* block, int depth, bool whole_time) {
  auto seconds = std::max<std::int64_t>(1, bench.phase_ms / 1000);
  std::vector<std::string> out = {"--bs=" + std::string(block), "--iodepth=" + std::to_string(depth), "--ioengine=libaio",
                                  "--size=" + std::to_string(bench.mib) + "M", "--runtime=" + std::to_string(seconds)};
  if (whole_time) out.emplace_back("--time_based");
  return out;
}

/// Through fio; if that says no, as it does where a container forbids its engine, then with ours, and that is told.
template <class Own>
Result<IoFigures> measure(Bench& bench, const FioJob& job, Own own) {
  if (bench.fio) {
    auto figures = run_fio(bench.file, job, std::min(bench.end, bench.stop_at() + kFioStarts));
    if (figures) return figures;
    bench.fio = false, bench.why_not_fio = figures.error().what;
  }
  return own();
}

struct Both {
  IoFigures write, read;
  std::uint64_t wrong = 0;
};

Result<Both> measure_both(Bench& bench, const Task& task, Reporter& report, bool random) {
  auto depth = std::clamp(static_cast<int>(task.number("depth", random ? 32 : 16)), 1, 256);
  auto words = fio_words(bench, random ? "4k" : "1M", depth, random);
  auto own = [&](Access access) {
    IoPlan plan{access, bench.mib, depth, bench.stop_at()};
    return random ? random_pages(bench.file, plan) : sequential(bench.file, plan);
  };
  Both out;
  report.progress("reading", 0.25);
  VT_TRY(out.read, measure(bench, {random ? "randread" : "read", words}, [&] { return own(Access::read); }));
  report.progress("writing", 0.5);
  VT_TRY(out.write, measure(bench, {random ? "randwrite" : "write", words}, [&] { return own(Access::write); }));
  report.progress("verifying", 0.75);
  VT_TRY(auto verified, written_and_read(bench.file, std::min(bench.mib, kVerifiedMib), task.flag("fault"), bench.end));
  out.wrong = out.read.wrong + verified.read.wrong;
  return out;
}

Outcome outcome(const Bench& bench, nlohmann::json values) {
  values["engine"] = bench.engine(), values["direct"] = bench.file.direct();
  values["file_system"] = bench.file.file_system(), values["mib"] = bench.mib;
  return {std::move(values), bench.file.folder(), ""};
}

Outcome failed(const Task& task, const Error& error) { return {{}, task.text("dir"), error.what}; }

}  // namespace

/// Whole-file reads and writes in blocks of 1 MiB, args.depth at once, past the page cache where the file system allows it.
Outcome disk_sequential(const Task& task, Reporter& report) {
  auto bench = lay_out(task, 1024);
  if (!bench) return failed(task, bench.error());
  auto both = measure_both(*bench, task, report, false);
  if (!both) return failed(task, both.error());
  auto read = both->read.bytes_per_second / kGiga, write = both->write.bytes_per_second / kGiga;
  report.metric("read", read, "GB/s", bench->file.folder()), report.metric("write", write, "GB/s", bench->file.folder());
  return outcome(*bench, {{"read_gb_s", read}, {"write_gb_s", write}, {"wrong", both->wrong}});
}

/// Reads and writes of 4 KiB at random places, args.depth at once, for args.seconds each.
Outcome disk_random(const Task& task, Reporter& report) {
  auto bench = lay_out(task, 1024);
  if (!bench) return failed(task, bench.error());
  auto both = measure_both(*bench, task, report, true);
  if (!both) return failed(task, both.error());
  report.metric("read", both->read.per_second, "1/s", bench->file.folder());
  report.metric("write", both->write.per_second, "1/s", bench->file.folder());
  return outcome(*bench, {{"read_iops", both->read.per_second},
                          {"write_iops", both->write.per_second},
                          {"read_p99_us", both->read.p99_us},
                          {"write_p99_us", both->write.p99_us},
                          {"wrong", both->wrong}});
}

/// args.count times 4 KiB, each followed by fsync: what a database or a checkpoint waits for.
Outcome disk_fsync(const Task& task, Reporter&) {
  auto count = std::clamp(static_cast<int>(task.number("count", 1000)), 1, 100'000);
  auto bench = lay_out(task, std::max(8.0, count * 4.0 / 1024 + 1));
  if (!bench) return failed(task, bench.error());
  auto seconds = std::max<std::int64_t>(1, bench->phase_ms / 1000);
  FioJob job{
      "write",
      {"--bs=4k", "--fsync=1", "--ioengine=psync", "--size=" + std::to_string(count * 4) + "k", "--runtime=" + std::to_string(seconds)},
      true};
  auto figures = measure(*bench, job, [&] { return synced_pages(bench->file, count, bench->stop_at()); });
  if (!figures) return failed(task, figures.error());
  return outcome(*bench, {{"p50_ms", figures->p50_us / 1000}, {"p99_ms", figures->p99_us / 1000}, {"count", figures->bytes / kDiskPage}});
}

}  // namespace vt::checks
