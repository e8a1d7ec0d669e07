#include "tests/doubles/cuda/copy.hpp"

#include <cstring>

#include "tests/doubles/cuda/runtime.hpp"

namespace vt::doubles {

namespace {

std::string_view direction(int from, int to) {
  if (from < 0) return to < 0 ? "h2h" : "h2d";
  if (to < 0) return "d2h";
  return from == to ? "d2d" : "p2p";
}

bool concerns(const Fault& fault, int from, int to) {
  if (fault.kind == "corrupt-p2p") return from >= 0 && to >= 0 && fault.gpu == from && fault.to == to;
  if (fault.gpu >= 0 && fault.gpu != from && fault.gpu != to) return false;
  return fault.where.empty() || fault.where == direction(from, to);
}

double modelled(int from, int to, std::size_t bytes) {
  if (from < 0 && to < 0) return -1;
  auto& gpu = host().gpus[static_cast<std::size_t>(from >= 0 ? from : to)];
  auto rate = from == to ? gpu.copy_gbs : gpu.link_gbs;
  return rate > 0 ? static_cast<double>(bytes) / rate / 1e9 : -1;
}

void apply_flaws(int device) {
  if (device >= 0) primary(device)->memory.apply_flaws();
}

/// Memory of a device must be allocated memory.
bool allocated(const void* at, std::size_t bytes) {
  auto device = device_of(at);
  return device < 0 || primary(device)->memory.holds(at, bytes);
}

Done copy_now(void* to, const void* from, std::size_t bytes) {
  auto source = device_of(from), target = device_of(to);
  auto here = [&](const Fault& fault) { return concerns(fault, source, target); };
  if (strikes("hang", [&](const Fault& f) { return f.where == "copy" && (f.gpu < 0 || f.gpu == source || f.gpu == target); })) hang();
  std::memmove(to, from, bytes);
  bool corrupt = strikes("corrupt-p2p", here) != nullptr;
  corrupt = strikes("corrupt-copy", here) || corrupt;
  if (corrupt && bytes != 0) static_cast<unsigned char*>(to)[bytes / 2] ^= 0x10;
  apply_flaws(target);
  return {CUDA_SUCCESS, modelled(source, target, bytes)};
}

Done set_now(void* at, const void* pattern, std::size_t size, std::size_t times) {
  auto device = device_of(at);
  auto* to = static_cast<unsigned char*>(at);
  if (size == 1) std::memset(to, *static_cast<const unsigned char*>(pattern), times);
  else
    for (std::size_t i = 0; i < times; ++i) std::memcpy(to + i * size, pattern, size);
  apply_flaws(device);
  return {CUDA_SUCCESS, modelled(device, device, size * times)};
}

}  // namespace

CUresult copy(void* to, const void* from, std::size_t bytes, CUstream stream, bool wait) {
  if (auto code = need_context()) return code;
  if (!allocated(to, bytes) || !allocated(from, bytes)) return CUDA_ERROR_INVALID_VALUE;
  auto pageable = [](const void* at) { return device_of(at) < 0 && !is_pinned(at); };
  auto ticket = submit(stream, [=] { return copy_now(to, from, bytes); });
  return wait || pageable(to) || pageable(from) ? finish(ticket) : CUDA_SUCCESS;
}

CUresult set(void* at, std::uint64_t pattern, std::size_t size, std::size_t times, CUstream stream, bool wait) {
  if (auto code = need_context()) return code;
  if (!allocated(at, size * times)) return CUDA_ERROR_INVALID_VALUE;
  auto ticket = submit(stream, [=] { return set_now(at, &pattern, size, times); });
  return wait ? finish(ticket) : CUDA_SUCCESS;
}

}  // namespace vt::doubles
