#pragma once
#include <nlohmann/json.hpp>
#include <string_view>

namespace vt::checks {

/// What NCCL says it uses, from its log of NCCL_DEBUG=INFO; lines as NCCL 2.14 to 2.28 write them (src/transport/*.cc, src/init.cc).
///   transport  the ways between ranks, sorted, each once: "P2P/CUMEM", "P2P/IPC", "SHM/direct/direct", "NET/Socket/0", …, joined by ", "
///   network    what NCCL takes between hosts: "Socket", "IB", …
///   channels   collective channels; 0 if it does not say
///   nvls       NVLink SHARP is in use
nlohmann::json nccl_transport(std::string_view log);

}  // namespace vt::checks
