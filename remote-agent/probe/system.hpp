#pragma once
#include <chrono>
#include <functional>
#include <optional>
#include <string>

namespace vt::probe {

struct Http {
  int error = 0;  ///< errno of connecting or talking; ETIMEDOUT = no answer in time
  int status = 0;
  std::string body;
};
struct Kvm {
  int error = 0;  ///< errno of opening it
  int api = 0;
};
struct Nvml {
  enum class State { missing, broken, loaded } state = State::missing;
  std::string trouble;         ///< broken: what the loader said, or that nothing was said in time
  std::string version;         ///< as the library tells it: "13.580.95.05", the CUDA generation first
  std::optional<int> init{};   ///< what nvmlInit returned; nullopt = not asked, or no answer
  std::string capability{};    ///< lowest compute capability of its GPUs, "12.0"; empty as above, or no GPU
  std::optional<int> peers{};  ///< ordered pairs of GPUs of which one may read the other's memory; nullopt as above
};

/// Everything the probes ask of the kernel other than by reading files, so that tests can give any answer.
/// All of it leaves the host as it was. An int is an errno, 0 = done. A limit of zero or less means: no time, no answer.
struct System {
  using Limit = std::chrono::milliseconds;
  std::function<unsigned()> uid;                               ///< the effective one
  std::function<std::string()> release;                        ///< uname -r
  std::function<std::string()> hypervisor;                     ///< CPUID signature, "" = none or not x86
  std::function<std::string(const std::string&)> environment;  ///< a variable of the agent, "" = unset
  std::function<int(const std::string&)> writable;             ///< may a file be written (not: write it)
  std::function<int(const std::string&)> kernel_record;  ///< one record of /dev/kmsg; EAGAIN = it is empty; ENODEV = that is no kernel log
  std::function<int()> kernel_log;                       ///< syslog(2), reading
  std::function<std::optional<int>(Limit)> sudo;         ///< exit status of `sudo -n true`; nullopt = no answer
  std::function<int(Limit)> namespaces;                  ///< make a user and a mount namespace, as a child that ends at once
  std::function<Http(const std::string&, const std::string&, Limit)> http;  ///< GET target over the Unix socket
  std::function<Kvm(const std::string&)> kvm;
  std::function<Nvml(bool, Limit)> nvml;  ///< true: also initialise it, without attaching to a GPU
  std::function<std::string(const std::string&, const std::string&, Limit)> connect;  ///< TCP to host, port; "" = it answered, else why not
  std::function<std::string(const std::string&, Limit)>
      library_version;  ///< as the library at that path says; "" = it does not, or no answer
};

System real_system();

}  // namespace vt::probe
