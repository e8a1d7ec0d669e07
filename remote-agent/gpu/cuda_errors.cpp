#include <algorithm>
#include <iterator>

#include "remote-agent/gpu/cuda.hpp"

namespace vt::gpu::cuda {

namespace {

struct Meaning {
  Code code;
  Errc kind;
  const char* name;
  const char* text;  ///< what it means; what to do
};

/// What people meet, in the order of the numbers (CUDA driver API, CUresult). `lost`: the driver documents that the process must end,
/// or that the device is gone.
constexpr Meaning kMeanings[] = {
    {1, Errc::refused, "CUDA_ERROR_INVALID_VALUE", "an argument the driver does not take"},
    {2, Errc::capacity, "CUDA_ERROR_OUT_OF_MEMORY", "memory is short; end other programs on this GPU"},
    {3, Errc::refused, "CUDA_ERROR_NOT_INITIALIZED", "the driver is not initialised in this process"},
    {4, Errc::lost, "CUDA_ERROR_DEINITIALIZED", "the driver is shutting down in this process"},
    {34, Errc::refused, "CUDA_ERROR_STUB_LIBRARY",
     "the toolkit's stub was loaded for libcuda.so.1; take the stubs folder out of LD_LIBRARY_PATH"},
    {36, Errc::refused, "CUDA_ERROR_CALL_REQUIRES_NEWER_DRIVER",
     "the kernel module is older than libcuda; install a newer driver, restart"},
    {46, Errc::lost, "CUDA_ERROR_DEVICE_UNAVAILABLE",
     "the GPU is busy in exclusive mode, prohibited, or stuck; read nvidia-smi -q and the kernel log"},
    {100, Errc::not_found, "CUDA_ERROR_NO_DEVICE",
     "the driver shows no GPU to this process; check nvidia-smi, CUDA_VISIBLE_DEVICES, and that the container was started with GPUs"},
    {101, Errc::not_found, "CUDA_ERROR_INVALID_DEVICE", "there is no GPU of that number, or it has gone; check nvidia-smi"},
    {200, Errc::refused, "CUDA_ERROR_INVALID_IMAGE",
     "the driver cannot read the compiled kernels; it is older than they are: install a newer driver"},
    {201, Errc::lost, "CUDA_ERROR_INVALID_CONTEXT", "the context is gone; an earlier error ended it"},
    {209, Errc::refused, "CUDA_ERROR_NO_BINARY_FOR_GPU",
     "the program holds no machine code for this GPU; build it for its compute capability"},
    {214, Errc::lost, "CUDA_ERROR_ECC_UNCORRECTABLE",
     "memory of the GPU held a wrong word that ECC could not correct; reset it and run memory tests"},
    {217, Errc::refused, "CUDA_ERROR_PEER_ACCESS_UNSUPPORTED", "these two GPUs cannot reach each other's memory"},
    {218, Errc::refused, "CUDA_ERROR_INVALID_PTX", "the PTX could not be compiled for this GPU"},
    {220, Errc::lost, "CUDA_ERROR_NVLINK_UNCORRECTABLE", "an uncorrectable NVLink error; read nvidia-smi nvlink -e and the kernel log"},
    {221, Errc::refused, "CUDA_ERROR_JIT_COMPILER_NOT_FOUND",
     "libnvidia-ptxjitcompiler is missing; install all of the driver, or start the container with the capability compute"},
    {222, Errc::refused, "CUDA_ERROR_UNSUPPORTED_PTX_VERSION",
     "the PTX is newer than the driver; install a newer driver, or build with an older toolkit"},
    {223, Errc::refused, "CUDA_ERROR_JIT_COMPILATION_DISABLED", "compiling PTX is switched off (CUDA_DISABLE_PTX_JIT)"},
    {226, Errc::lost, "CUDA_ERROR_CONTAINED", "a memory error was contained to this process; read the kernel log for Xid 94"},
    {301, Errc::refused, "CUDA_ERROR_FILE_NOT_FOUND", "a file of the driver is missing; install it again"},
    {304, Errc::refused, "CUDA_ERROR_OPERATING_SYSTEM",
     "the system refused a call of the driver; check the device nodes, cgroup and ulimit -l"},
    {500, Errc::refused, "CUDA_ERROR_NOT_FOUND", "no kernel of that name in the image"},
    {600, Errc::refused, "CUDA_ERROR_NOT_READY", "the work is not done yet"},
    {700, Errc::lost, "CUDA_ERROR_ILLEGAL_ADDRESS",
     "a kernel touched memory it may not; with kernels known to be good: the GPU or its driver"},
    {701, Errc::refused, "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES", "the kernel wants more registers or shared memory than the GPU has"},
    {702, Errc::lost, "CUDA_ERROR_LAUNCH_TIMEOUT", "the kernel ran into the display watchdog; run on a GPU without a display"},
    {704, Errc::refused, "CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED", "peer access was on already"},
    {709, Errc::lost, "CUDA_ERROR_CONTEXT_IS_DESTROYED", "the context is gone; an earlier error ended it"},
    {710, Errc::lost, "CUDA_ERROR_ASSERT", "an assertion in a kernel failed"},
    {714, Errc::lost, "CUDA_ERROR_HARDWARE_STACK_ERROR", "the GPU found its call stack corrupted; suspect the GPU"},
    {715, Errc::lost, "CUDA_ERROR_ILLEGAL_INSTRUCTION", "the GPU met an instruction it does not know; suspect its memory"},
    {716, Errc::lost, "CUDA_ERROR_MISALIGNED_ADDRESS", "a kernel used an address that is not aligned; suspect the GPU's memory"},
    {717, Errc::lost, "CUDA_ERROR_INVALID_ADDRESS_SPACE", "a kernel used an address of the wrong kind; suspect the GPU's memory"},
    {718, Errc::lost, "CUDA_ERROR_INVALID_PC", "the GPU's program counter left the program; suspect the GPU"},
    {719, Errc::lost, "CUDA_ERROR_LAUNCH_FAILED", "a kernel ended abnormally or the GPU was lost; read the kernel log for Xid messages"},
    {800, Errc::refused, "CUDA_ERROR_NOT_PERMITTED", "not permitted"},
    {801, Errc::refused, "CUDA_ERROR_NOT_SUPPORTED", "this GPU or driver does not support it"},
    {802, Errc::refused, "CUDA_ERROR_SYSTEM_NOT_READY",
     "GPUs on an NVSwitch wait for it: start nvidia-fabricmanager of exactly the driver's version"},
    {803, Errc::refused, "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH",
     "libcuda and the kernel module are of two versions; restart after the update, or use the host's libcuda in the container"},
    {804, Errc::refused, "CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE",
     "the cuda-compat libcuda does not work on this GPU (data-center GPUs only); take it out of the library path, or install a newer "
     "driver"},
    {805, Errc::refused, "CUDA_ERROR_MPS_CONNECTION_FAILED", "no connection to the MPS daemon; end it with its clients and start it again"},
    {807, Errc::refused, "CUDA_ERROR_MPS_SERVER_NOT_READY", "the MPS server is not ready; try again or start it again"},
    {810, Errc::lost, "CUDA_ERROR_MPS_CLIENT_TERMINATED", "another client of the MPS server failed and ended this one"},
    {999, Errc::lost, "CUDA_ERROR_UNKNOWN",
     "the driver does not know either: a lost GPU, a missing nvidia-uvm module, or a driver that was replaced while it ran; read the "
     "kernel log"},
};

}  // namespace

Error explain(Code code, const std::string& call, const char* name) {
  const auto* known = std::find_if(std::begin(kMeanings), std::end(kMeanings), [&](auto& m) { return m.code == code; });
  auto number = " (" + std::to_string(code) + ")";
  if (known != std::end(kMeanings)) return {known->kind, call + ": " + known->name + number + ": " + known->text};
  return {Errc::refused, call + ": " + (name ? name : "CUDA error") + number};
}

}  // namespace vt::gpu::cuda
