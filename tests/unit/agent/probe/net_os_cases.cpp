#include "tests/unit/agent/probe/scene.hpp"

namespace vt::probe {
namespace {

const std::string kHead = "Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT\n";
const std::string kZero(32, '0');

void default_route(Scene& s) { s.file("/proc/net/route", kHead + "eth0\t00000000\t0100000A\t0003\t0\t0\t0\t00000000\t0\t0\t0\n"); }
void local_route(Scene& s) { s.file("/proc/net/route", kHead + "eth0\t0000000A\t00000000\t0001\t0\t0\t0\t00FFFFFF\t0\t0\t0\n"); }
std::function<void(Scene&)> v6(const std::string& flags, const std::string& device) {
  return [=](Scene& s) {
    local_route(s);
    s.file("/proc/net/ipv6_route",
           kZero + " 00 " + kZero + " 00 fe800000000000000000000000000001 00000400 00000001 00000000 " + flags + "     " + device + "\n");
  };
}
std::function<void(Scene&)> target(const std::string& where, const std::string& trouble, std::function<void(Scene&)> route) {
  return [=](Scene& s) {
    route(s);
    s.options.internet = where;
    s.system.connect = [=](const std::string& name, const std::string& port, System::Limit) {
      return name == "fd00::1" || port == "443" ? trouble : "asked for " + name + " " + port;
    };
  };
}
void debian(Scene& s) { s.file("/etc/os-release", "PRETTY_NAME=\"Debian GNU/Linux 12\"\nID=debian\n"); }

}  // namespace

std::vector<Case> net_os_cases() {
  return {
      {"RouteYes", net_route, default_route, "true", "default route through eth0"},
      {"RouteNo", net_route, local_route, "false", "no default route in /proc/net/route; no IPv6"},
      {"RouteRejected", net_route,
       [](Scene& s) { s.file("/proc/net/route", kHead + "*\t00000000\t00000000\t0201\t0\t0\t0\t00000000\t0\t0\t0\n"); }, "false",
       "no default"},
      {"RouteV6", net_route, v6("00450003", "eth0"), "true", "IPv6 default route through eth0"},
      {"RouteV6Unreachable", net_route, v6("00200200", "lo"), "false", "none in /proc/net/ipv6_route"},
      {"RouteUnreadable", net_route, [](Scene&) {}, "", "/proc/net/route: "},
      {"RouteV6Unreadable", net_route,
       [](Scene& s) {
         local_route(s);
         s.deny("/proc/net/ipv6_route");
       },
       "", "/proc/net/ipv6_route: "},

      {"InternetNotTried", net_internet, default_route, "", "no address to try was given"},
      {"InternetYes", net_internet, target("example.org:443", "", default_route), "true", "example.org:443 answered"},
      {"InternetV6Target", net_internet, target("[fd00::1]:443", "", default_route), "true", "answered"},
      {"InternetNoAnswer", net_internet, target("example.org:443", "no answer within 400 ms", default_route), "",
       "example.org:443: no answer"},
      {"InternetNoRoute", net_internet, local_route, "false", "no default route"},
      {"InternetAnswersThoughNoRoute", net_internet, target("127.0.0.1:443", "", local_route), "true", "answered"},
      {"InternetOddTarget", net_internet, target("example.org", "", default_route), "", "is not host:port"},

      {"OsDebian", os_id, debian, "\"debian\"", "/etc/os-release says debian"},
      {"OsQuoted", os_id, [](Scene& s) { s.file("/usr/lib/os-release", "ID=\"rocky\"\n"); }, "\"rocky\"", "/usr/lib/os-release"},
      {"OsWithoutId", os_id, [](Scene& s) { s.file("/etc/os-release", "NAME=x\n"); }, "\"linux\"", "says linux"},
      {"OsUnreadable", os_id, [](Scene& s) { s.deny("/etc/os-release"); }, "", "/etc/os-release: "},
      {"OsMissing", os_id, [](Scene&) {}, "", "/usr/lib/os-release: "},

      {"PackagesApt", pkg_manager,
       [](Scene& s) {
         debian(s);
         s.program("/usr/bin/apt-get");
       },
       "\"apt\"", "/usr/bin/apt-get on debian"},
      {"PackagesOwnBeforeForeign", pkg_manager,
       [](Scene& s) {
         s.file("/etc/os-release", "ID=rocky\nID_LIKE=\"rhel centos fedora\"\n").program("/usr/bin/apt-get").program("/usr/bin/dnf");
       },
       "\"dnf\"", "/usr/bin/dnf on rocky"},
      {"PackagesUnknownSystem", pkg_manager, [](Scene& s) { s.program("/usr/sbin/apk"); }, "\"apk\"", "/usr/sbin/apk"},
      {"PackagesNone", pkg_manager, debian, "\"\"", "none of apt-get"},
      {"PackagesHidden", pkg_manager,
       [](Scene& s) {
         debian(s);
         s.deny("/usr/bin/apt-get");
       },
       "", "/usr/bin/apt-get: "},

      {"SelinuxEnforcing", lsm_selinux, [](Scene& s) { s.file("/sys/fs/selinux/enforce", "1"); }, "\"enforcing\"", "is 1"},
      {"SelinuxPermissive", lsm_selinux, [](Scene& s) { s.file("/sys/fs/selinux/enforce", "0"); }, "\"permissive\"", "is 0"},
      {"SelinuxDisabled", lsm_selinux, [](Scene& s) { s.file("/proc/filesystems", "nodev\tproc\n"); }, "\"disabled\"", "no selinuxfs"},
      {"SelinuxHiddenInAContainer", lsm_selinux, [](Scene& s) { s.file("/proc/filesystems", "nodev\tselinuxfs\n"); }, "",
       "not mounted here"},
      {"SelinuxUnreadable", lsm_selinux, [](Scene& s) { s.deny("/sys/fs/selinux/enforce"); }, "", "/sys/fs/selinux/enforce: "},

      {"AppArmorYes", lsm_apparmor, [](Scene& s) { s.file("/sys/module/apparmor/parameters/enabled", "Y\n"); }, "true", "is Y"},
      {"AppArmorOff", lsm_apparmor, [](Scene& s) { s.file("/sys/module/apparmor/parameters/enabled", "N\n"); }, "false", "is N"},
      {"AppArmorNotInKernel", lsm_apparmor, [](Scene&) {}, "false", "the kernel has no AppArmor"},
      {"AppArmorUnreadable", lsm_apparmor, [](Scene& s) { s.deny("/sys/module/apparmor/parameters/enabled"); }, "", "enabled: "},
  };
}

}  // namespace vt::probe
