#include "remote-agent/probe/probes.hpp"

namespace vt::probe {

Answer init_pid1(const Host& host) {
  auto comm = host.files.read("/proc/1/comm");
  if (comm.error) return unreadable("/proc/1/comm", comm.error);  // also under hidepid
  return text(comm.text, "pid 1 is " + comm.text);
}

Answer init_systemd(const Host& host) {
  const std::string booted = "/run/systemd/system";
  auto comm = host.files.read("/proc/1/comm");
  auto error = host.files.look(booted);
  if (comm.error) return unreadable("/proc/1/comm", comm.error);
  if (comm.text != "systemd") return no("pid 1 is " + comm.text);
  if (absent(error)) return no("pid 1 is named systemd, but there is no " + booted);
  if (error) return unreadable(booted, error);
  return yes("pid 1 is systemd");
}

Answer initial_pid_namespace(const Host& host) {
  const std::string path = "/proc/self/ns/pid";
  auto ns = host.files.link(path);
  if (absent(ns.error) && host.files.exists("/proc/self/status") && !host.files.exists("/proc/self/ns"))
    return yes("the kernel has no namespaces");
  if (ns.error) return unreadable(path, ns.error);
  if (ns.text == "pid:[4026531836]") return yes("initial pid namespace");  // its inode is fixed in the kernel
  return no("not the initial pid namespace (" + ns.text + ")");
}

}  // namespace vt::probe
