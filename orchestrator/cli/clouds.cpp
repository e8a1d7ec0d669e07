#include "orchestrator/cli/clouds.hpp"

#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "orchestrator/plan/load.hpp"
#include "providers/emulator/hosts/host.hpp"
#include "providers/emulator/hosts/vm_image.hpp"
#include "providers/emulator/rack.hpp"
#include "providers/registry.hpp"

namespace vt {

namespace {

/// Emulated clouds need not be as slow as real ones; the meter runs as much faster.
constexpr double kRehearsalPace = 0.05;

Result<emulator::HostKind> host_kind(const std::string& word) {
  if (word.empty() || word == "auto") return emulator::HostKind::automatic;
  if (word == "vm") return emulator::HostKind::vm;
  if (word == "process") return emulator::HostKind::process;
  return fail(Errc::usage, "--rehearse=" + word + ": expected auto, process or vm");
}

/// "http://127.x.y.z:PORT": anything else might be somebody else's machine.
bool is_loopback(const std::string& address) {
  constexpr std::string_view kLead = "http://127.";
  return address.starts_with(kLead) && address.find_first_not_of("0123456789.:", kLead.size()) == std::string::npos;
}

Result<Clouds> rehearsed(const CommandLine& line, const Clock& clock) {
  Clouds out;
  auto folder = ledger_folder(line);
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  std::filesystem::permissions(folder, std::filesystem::perms::owner_all, failed);
  double pace = line.pace > 0 ? line.pace : kRehearsalPace;
  std::string address = line.emulator;
  if (!address.empty() && !is_loopback(address))
    return fail(Errc::usage, "--emulator " + address + ": a rehearsal talks to loopback addresses only; expected http://127.0.0.1:PORT");
  if (address.empty()) {
    VT_TRY(auto kind, host_kind(line.rehearse));
    emulator::Options options;
    options.folder = folder + "/emulator", options.pace = pace, options.hosts = kind, options.any_token = false;
    if (kind == emulator::HostKind::vm && emulator::why_no_vms().empty() && !emulator::has_vm_image(options.folder))
      std::fputs("building the image of the machines, once: about a minute, from the Debian archive\n", stderr);
    VT_TRY(out.emulator, emulator::Emulator::start(options));
    address = out.emulator->address();
    out.says = out.emulator->hosts_text();
  } else {
    out.says = "emulator at " + address;
  }
  VT_TRY(CloudAccess access, emulator::rehearsal_access(address, folder, pace));
  out.context = {folder, &clock, std::move(access), price_folder(line), {}};
  return out;
}

}  // namespace

std::string ledger_folder(const CommandLine& line) { return line.rehearse.empty() ? line.state_dir : line.state_dir + "/rehearsal"; }

std::string price_folder(const CommandLine& line) {
  std::string beside = line.catalogue + "/prices";
  std::error_code ignored;
  if (!line.catalogue.empty() && std::filesystem::is_directory(beside, ignored)) return beside;
  return default_catalogue_folder() + "/prices";
}

Result<Clouds> predicting_clouds(const CommandLine& line, const Clock& clock) {
  Clouds out;
  out.context = {ledger_folder(line), &clock, {}, price_folder(line), {}};
  out.context.cloud.rehearsal = !line.rehearse.empty();
  out.context.cloud.environment = [rehearsal = out.rehearsal()](const std::string& name) {
    auto value = rehearsal ? "rehearsal" : std::getenv(name.c_str());
    return std::string(value ? value : "");
  };
  return out;
}

Result<Clouds> open_clouds(const CommandLine& line, const Clock& clock) {
  return line.rehearse.empty() ? predicting_clouds(line, clock) : rehearsed(line, clock);
}

std::unique_ptr<Provider> Clouds::provider(const std::string& name) const {
  auto entry = find_provider(name);
  if (!entry || !entry->can_run) return nullptr;
  return rehearsal() && name == "bare-metal" ? emulator::make_rack(context) : entry->make(context);
}

}  // namespace vt
