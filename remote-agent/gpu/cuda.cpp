#include "remote-agent/gpu/cuda.hpp"

namespace vt::gpu::cuda {

namespace {

Result<Driver> load() {
  auto library = open_library({"libcuda.so.1"});
  if (!library && library.error().code == Errc::not_found)
    return fail(Errc::not_found, "no libcuda.so.1: the NVIDIA driver is not installed, or the container was started without it");
  if (!library) return fail(library.error());
  Driver out;
  out.path = library->path();
  auto take = [&](auto& member, const char* name) {
    member = library->function<std::remove_reference_t<decltype(member)>>(name);
    return member != nullptr;
  };
#define VT_TAKE(name, ...) \
  if (!take(out.name, #name)) return fail(Errc::refused, out.path + " has no " #name ": the driver is too old, install a newer one");
  VT_CUDA_FUNCTIONS(VT_TAKE)
#undef VT_TAKE
#define VT_TAKE(name, ...) take(out.name, #name);
  VT_CUDA_OPTIONAL(VT_TAKE)
#undef VT_TAKE
  VT_CUDA(out, cuDriverGetVersion, &out.version);  // needs no cuInit
  return out;
}

}  // namespace

Result<const Driver*> load_driver() {
  static const Result<Driver> loaded = load();
  if (!loaded) return fail(loaded.error());
  return &loaded.value();
}

Status initialise(const Driver& driver) {
  auto code = driver.cuInit(0);
  if (code == 0) return {};
  auto error = explain(code, "cuInit");
  if (error.code == Errc::lost) error.code = Errc::refused;  // nothing was there to be lost
  return fail(error);
}

Result<const Driver*> driver() {
  VT_TRY(auto* loaded, load_driver());
  static const Status ready = initialise(*loaded);
  if (!ready) return fail(ready.error());
  return loaded;
}

}  // namespace vt::gpu::cuda
