#include "remote-agent/gpu/nvml.hpp"

namespace vt::gpu::nvml {

namespace {

struct Meaning {
  Code code;
  const char* text;
};
constexpr Meaning kMeanings[] = {
    {1, "the library is not initialised"},
    {2, "an argument it does not take"},
    {kNotSupported, "not supported by this GPU"},
    {4, "no permission: run as root, or give this container or user the GPU's device nodes"},
    {6, "not found"},
    {8, "the GPU's auxiliary power is not connected: check its power cables"},
    {9, "the NVIDIA kernel module is not loaded or is not for this GPU: modprobe nvidia, or install the driver"},
    {kTimeout, "no answer in time"},
    {11, "the kernel reports an interrupt problem with the GPU: look into the kernel log"},
    {12, "a part of the driver's libraries is missing: reinstall the driver"},
    {kNoFunction, "this driver does not have it"},
    {14, "the InfoROM is corrupted: have the board serviced"},
    {kLost, "the GPU is lost (it fell off the bus or does not answer): power the machine off and on, then reseat or service the card"},
    {kResetRequired, "the GPU must be reset before it can be used again: nvidia-smi --gpu-reset, or restart"},
    {17, "the system or a cgroup does not let this process use the GPU"},
    {kMismatch,
     "kernel module and library are of different versions (an upgrade without a restart): restart, or unload and reload the nvidia "
     "modules"},
    {19, "the GPU is in use"},
    {20, "out of memory"},
};

Result<std::string> read_text(Code code, const char* buffer) {
  if (code) return Nvml::failed(code);
  return std::string(buffer);
}

}  // namespace

std::string meaning(Code code) {
  for (auto& known : kMeanings)
    if (known.code == code) return "NVML error " + std::to_string(code) + ": " + known.text;
  return "NVML error " + std::to_string(code);
}

tl::unexpected<Error> Nvml::failed(Code code) {
  bool none = code == kNotSupported || code == kNoFunction, gone = code == kLost || code == kResetRequired;
  return fail(none ? Errc::not_found : gone ? Errc::lost : Errc::refused, meaning(code));
}

Result<Nvml> Nvml::open() {
  VT_TRY(auto library, open_library({"libnvidia-ml.so.1"}));
  Nvml out;
  auto find = [&](const char* name, const char* old, auto& to) {
    using Function = std::remove_reference_t<decltype(to)>;
    to = library.template function<Function>(name);
    if (!to && *old) to = library.template function<Function>(old);
  };
#define VT_NVML_FIND(name, old, ...) find(#name, #old, out.functions_.name);
  VT_NVML_FUNCTIONS(VT_NVML_FIND)
#undef VT_NVML_FIND
  if (auto code = out.call(&Functions::nvmlInit_v2)) return fail(Errc::refused, meaning(code));
  return out;
}

Result<std::string> Nvml::text(Code (*Functions::*function)(Handle, char*, unsigned), Handle gpu) const {
  std::array<char, 128> buffer{};
  return read_text(call(function, gpu, buffer.data(), static_cast<unsigned>(buffer.size())), buffer.data());
}

Result<std::string> Nvml::text(Code (*Functions::*function)(char*, unsigned)) const {
  std::array<char, 128> buffer{};
  return read_text(call(function, buffer.data(), static_cast<unsigned>(buffer.size())), buffer.data());
}

Result<std::uint64_t> Nvml::field(FieldId id, Handle gpu, unsigned scope) const {
  Field asked{};
  asked.id = id, asked.scope = scope;
  auto code = call(&Functions::nvmlDeviceGetFieldValues, gpu, 1, &asked);
  if (code || asked.code) return failed(code ? code : asked.code);
  enum Type { real = 0, word = 1 };  // nvmlValueType_t; the others are 64 bits wide
  if (asked.type == real) return static_cast<std::uint64_t>(asked.value.real);
  return asked.type == word ? asked.value.word : asked.value.wide;
}

Result<std::vector<Result<Handle>>> Nvml::gpus() const {
  VT_TRY(auto count, get<unsigned>(&Functions::nvmlDeviceGetCount_v2));
  std::vector<Result<Handle>> out;
  for (unsigned i = 0; i < count; ++i) out.push_back(get<Handle>(&Functions::nvmlDeviceGetHandleByIndex_v2, i));
  return out;
}

}  // namespace vt::gpu::nvml
