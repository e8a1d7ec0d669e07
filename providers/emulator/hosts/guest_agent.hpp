#pragma once
#include <string>

namespace vt::emulator {

/// A bash script that stands in for Google's guest agent on an emulated instance. Its arguments: "keys" makes the host keys of a new
/// instance; "serve" publishes the host key as guest attribute, runs the start-up script and keeps the users of the attribute
/// ssh-keys; "alone" does both and runs the SSH server, where no systemd does. Its environment:
///   EMULATED_INSTANCE   the instance's id; the metadata server tells by it who asks
///   GCE_METADATA_HOST   host:port of the metadata server
///   GUEST_FOLDER        for the host keys
///   GUEST_SETTINGS      the SSH server's settings, VT_SSH_PORT its port, 22 if unset (alone)
///   GUEST_USERS         "no": makes no users; keys go into GUEST_FOLDER/authorized_keys for whoever is there
const std::string& guest_agent();

}  // namespace vt::emulator
