#include "tests/unit/agent/probe/scene.hpp"

namespace vt::probe {
namespace {

const std::string kRoot = "21 1 0:5 / /proc rw - proc proc rw\n";

void four_cpus(Scene& s) {
  s.file("/sys/devices/system/cpu/online", "0-3\n").file("/proc/meminfo", "MemTotal:        8388608 kB\nMemFree: 1 kB\n");
}
void v2(Scene& s) {
  four_cpus(s);
  s.file("/proc/self/mountinfo", kRoot + "31 1 0:28 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n")
      .file("/proc/self/cgroup", "0::/a/b\n")
      .folder("/sys/fs/cgroup/a/b");
}
void v1(Scene& s) {
  four_cpus(s);
  s.file("/proc/self/mountinfo", kRoot +
                                     "32 1 0:29 /docker/x /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n"
                                     "33 1 0:30 /docker/x /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n");
  s.file("/proc/self/cgroup", "5:memory:/docker/x\n4:cpu,cpuacct:/docker/x\n1:name=systemd:/docker/x\n");
}
std::function<void(Scene&)> with(void (*base)(Scene&), const std::string& path, const std::string& text) {
  return [=](Scene& s) {
    base(s);
    s.file(path, text + "\n");
  };
}
std::function<void(Scene&)> without(void (*base)(Scene&), const std::string& path) {
  return [=](Scene& s) {
    base(s);
    s.deny(path);
  };
}

}  // namespace

std::vector<Case> limits_cases() {
  return {
      {"CgroupTwo", cgroup_version, v2, "2", "only the unified hierarchy"},
      {"CgroupOne", cgroup_version, v1, "1", "version 1"},
      {"CgroupHybrid", cgroup_version, with(v1, "/proc/self/cgroup", "4:cpu:/\n1:name=systemd:/\n0::/"), "1", "hybrid"},
      {"CgroupNotInKernel", cgroup_version, [](Scene&) {}, "0", "no cgroups"},
      {"CgroupUnreadable", cgroup_version, without(v2, "/proc/self/cgroup"), "", "/proc/self/cgroup: "},
      {"CgroupOdd", cgroup_version, with(v2, "/proc/self/cgroup", "1:name=systemd:/"), "", "names no hierarchy"},

      {"CpusAll", cgroup_cpus, v2, "4.0", "4 of 4 processors allowed"},
      {"CpusCpuset", cgroup_cpus,
       [](Scene& s) {
         v2(s);
         s.status("Cpus_allowed_list:\t1-2");
       },
       "2.0", "2 of 4 processors allowed"},
      {"CpusQuota", cgroup_cpus, with(v2, "/sys/fs/cgroup/a/b/cpu.max", "150000 100000"), "1.5", "a/b/cpu.max is 150000 100000"},
      {"CpusQuotaOfAParent", cgroup_cpus,
       [](Scene& s) {
         with(v2, "/sys/fs/cgroup/a/b/cpu.max", "max 100000")(s);
         s.file("/sys/fs/cgroup/a/cpu.max", "200000 100000\n");
       },
       "2.0", "cgroup/a/cpu.max is"},
      {"CpusQuotaAboveTheMachine", cgroup_cpus, with(v2, "/sys/fs/cgroup/a/b/cpu.max", "900000 100000"), "4.0", "no lower quota"},
      {"CpusQuotaVersionOne", cgroup_cpus,
       [](Scene& s) {
         v1(s);
         s.file("/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "50000\n").file("/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000\n");
       },
       "0.5", "cpu.cfs_quota_us is 50000"},
      {"CpusNoQuotaVersionOne", cgroup_cpus, with(v1, "/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "-1"), "4.0", "no lower quota"},
      {"CpusQuotaUnreadable", cgroup_cpus, without(v2, "/sys/fs/cgroup/a/cpu.max"), "", "/sys/fs/cgroup/a/cpu.max: "},
      {"CpusNotMounted", cgroup_cpus, with(v2, "/proc/self/mountinfo", "x"), "", "not mounted here"},
      {"CpusOnlineUnreadable", cgroup_cpus, without(v2, "/sys/devices/system/cpu/online"), "", "cpu/online: "},
      {"CpusAllowedUnreadable", cgroup_cpus, without(v2, "/proc/self/status"), "", "/proc/self/status: "},

      {"LimitNone", cgroup_memory, with(v2, "/sys/fs/cgroup/a/b/memory.max", "max"), "8192", "no limit below"},
      {"LimitOfAParent", cgroup_memory,
       [](Scene& s) {
         with(v2, "/sys/fs/cgroup/a/b/memory.max", "4294967296")(s);
         s.file("/sys/fs/cgroup/a/memory.max", "1073741824\n");
       },
       "1024", "cgroup/a/memory.max is 1073741824"},
      {"LimitVersionOne", cgroup_memory, with(v1, "/sys/fs/cgroup/memory/memory.limit_in_bytes", "2147483648"), "2048",
       "memory.limit_in_bytes"},
      {"LimitVersionOneNone", cgroup_memory, with(v1, "/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712"), "8192",
       "no limit below"},
      {"LimitUnreadable", cgroup_memory, without(v2, "/sys/fs/cgroup/a/b/memory.max"), "", "memory.max: "},
      {"LimitCgroupUnreadable", cgroup_memory, without(v2, "/proc/self/cgroup"), "", "/proc/self/cgroup: "},

      {"CpuCountFour", cpu_count, four_cpus, "4", "cpu/online"},
      {"CpuCountSparse", cpu_count, with(four_cpus, "/sys/devices/system/cpu/online", "0,2-3"), "3", "cpu/online"},
      {"CpuCountUnreadable", cpu_count, without(four_cpus, "/sys/devices/system/cpu/online"), "", "cpu/online: "},
      {"CpuCountOdd", cpu_count, with(four_cpus, "/sys/devices/system/cpu/online", "4-2"), "", "says '4-2'"},

      {"MemoryEight", memory, four_cpus, "8192", "MemTotal"},
      {"MemoryOther", memory, with(four_cpus, "/proc/meminfo", "MemTotal:  2048 kB"), "2", "MemTotal"},
      {"MemoryUnreadable", memory, without(four_cpus, "/proc/meminfo"), "", "/proc/meminfo: "},
      {"MemoryOdd", memory, with(four_cpus, "/proc/meminfo", "MemFree: 1 kB"), "", "no MemTotal"},
  };
}

}  // namespace vt::probe
