#include "remote-agent/checks/soak_load.hpp"

#include "remote-agent/base/os.hpp"

namespace vt::checks {

using kernels::Format;
using kernels::Miscompares;

namespace {
constexpr int kCopies = 2;  // beside each product: memory works too, without slowing the product much

Format busiest(const gpu::Device& device, bool library) {
  if (!library || !has(device.info(), Format::fp16)) return Format::fp32;
  return has(device.info(), Format::bf16) ? Format::bf16 : Format::fp16;
}
}  // namespace

Result<SoakLoad> SoakLoad::make(gpu::Device& device, gpu::CublasLt* library, GemmProblem::Size size) {
  VT_TRY(auto problem, GemmProblem::make(device, busiest(device, library != nullptr), size, library));
  SoakLoad out(std::move(problem));
  VT_CHECK(out.prepare(static_cast<std::uint64_t>(agent::wall_ms())));
  return out;
}

Status SoakLoad::prepare(std::uint64_t seed) {
  auto& device = problem_.device();
  VT_TRY(reference_, device.allocate(problem_.c().bytes()));
  VT_TRY(copy_, device.allocate(problem_.c().bytes()));
  VT_TRY(wrong_, device.allocate(2 * sizeof(Miscompares)));
  VT_TRY(aside_, device.new_stream());
  VT_TRY(from_, device.new_mark());
  VT_TRY(to_, device.new_mark());
  VT_TRY(copied_, device.new_mark());
  VT_CHECK(problem_.draw(kernels::Draw::normal, seed));
  VT_CHECK(problem_.tune(1));
  VT_CHECK(problem_.run());
  VT_TRY(proof_, verify(problem_, seed));
  VT_CHECK(device.copy(reference_.as<void>(), problem_.c().as<void>(), problem_.c().bytes()));
  VT_CHECK(device.set(wrong_.as<void>(), 0, wrong_.bytes()));
  return device.finish();
}

Status SoakLoad::compare(const gpu::Buffer& result, Miscompares* wrong, gpu::Stream stream) {
  return problem_.device().launch(VT_NAMED(vt_compare_results), {problem_.c_words()}, stream, reference_.as<kernels::u64>(),
                                  result.as<kernels::u64>(), problem_.c_words(), wrong);
}

Status SoakLoad::start(std::uint64_t times) {
  auto& device = problem_.device();
  auto& c = problem_.c();
  VT_CHECK(device.mark(from_));
  VT_CHECK(device.after(aside_, from_));
  for (std::uint64_t i = 0; i < times; ++i) {
    VT_CHECK(device.set(c.as<void>(), 0xFF, c.bytes()));
    VT_CHECK(problem_.run());
    VT_CHECK(compare(c, wrong_.as<Miscompares>(), {}));
    for (int copy = 0; copy < kCopies; ++copy) VT_CHECK(device.copy(copy_.as<void>(), reference_.as<void>(), c.bytes(), aside_));
  }
  VT_CHECK(compare(copy_, wrong_.as<Miscompares>() + 1, aside_));
  VT_CHECK(device.mark(copied_, aside_));
  VT_CHECK(device.after({}, copied_));
  return device.mark(to_);
}

Result<SoakLoad::Round> SoakLoad::finish() {
  auto& device = problem_.device();
  VT_CHECK(device.wait(to_));
  Round out;
  VT_TRY(out.seconds, device.seconds(from_, to_));
  Miscompares seen[2] = {};
  VT_CHECK(device.copy(seen, wrong_.as<void>(), sizeof seen));
  VT_CHECK(device.finish());
  for (auto& part : seen) {
    out.wrong += part.count;
    if (part.count == 0 || !out.first.empty()) continue;
    out.first = (&part == seen ? "product, word " : "copy, word ") + std::to_string(part.first[0].index) + ": bits " +
                std::to_string(part.first[0].expected ^ part.first[0].found) + " differ";
  }
  if (out.wrong) VT_CHECK(device.set(wrong_.as<void>(), 0, wrong_.bytes()));
  return out;
}

}  // namespace vt::checks
