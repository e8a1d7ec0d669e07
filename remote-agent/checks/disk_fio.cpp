#include "remote-agent/checks/disk_fio.hpp"

#include <nlohmann/json.hpp>

#include "remote-agent/checks/program.hpp"

namespace vt::checks {

namespace {

using nlohmann::json;

Result<std::string> output_of(const std::vector<std::string>& words, std::int64_t stop_at) {
  VT_TRY(auto ended, run_program(words, stop_at));
  if (ended.status == 0) return ended.text;
  return fail(Errc::refused, "fio: " + first_line(ended.text));
}

}  // namespace

bool has_fio() { return has_program("fio"); }

Result<IoFigures> read_fio(const std::string& text, const FioJob& job) try {
  auto start = text.find('{');  // warnings come first
  auto document = json::parse(start == std::string::npos ? "" : text.substr(start));
  auto& done = document.at("jobs").at(0);
  if (auto error = done.at("error").get<int>(); error != 0) return fail(Errc::refused, "fio: error " + std::to_string(error));
  auto& side = done.at(job.access.ends_with("read") ? "read" : "write");
  auto& latency = job.fsync ? done.at("sync").at("lat_ns") : side.at("clat_ns");
  IoFigures out;
  out.bytes = side.at("io_bytes").get<std::uint64_t>();
  out.bytes_per_second = side.at("bw_bytes").get<double>();
  out.per_second = side.at("iops").get<double>();
  out.p50_us = latency.at("percentile").at("50.000000").get<double>() / 1000;
  out.p99_us = latency.at("percentile").at("99.000000").get<double>() / 1000;
  if (out.bytes == 0) return fail(Errc::refused, "fio moved nothing");
  return out;
} catch (const json::exception&) { return fail(Errc::refused, "fio does not say what it measured: " + first_line(text)); }

Result<IoFigures> run_fio(const Scratch& file, const FioJob& job, std::int64_t stop_at) {
  // The data is new for every block: a drive that compresses has nothing to gain.
  std::vector<std::string> words = {"fio",
                                    "--name=vault-test",
                                    "--output-format=json",
                                    "--filename=" + file.path(),
                                    "--rw=" + job.access,
                                    "--direct=" + std::string(file.direct() ? "1" : "0"),
                                    "--refill_buffers",
                                    "--randrepeat=0",
                                    "--overwrite=1"};
  words.insert(words.end(), job.words.begin(), job.words.end());
  VT_TRY(auto text, output_of(words, stop_at));
  return read_fio(text, job);
}

}  // namespace vt::checks
