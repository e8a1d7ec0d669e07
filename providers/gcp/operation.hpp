#pragma once
#include "orchestrator/model/clock.hpp"
#include "providers/gcp/api.hpp"
#include "providers/gcp/errors.hpp"

namespace vt::gcp {

/// Polls an operation of a zone (zone empty: a global one) until it is DONE and returns it, whether it succeeded or not: see
/// succeeded(). Asks again and again with GET, so that an interrupt never waits for the two minutes that `wait` may hold the
/// connection. A lost reply is asked for again. Errc::timeout at the deadline or when the user does not wait any more, Errc::not_found
/// if there is no such operation.
Result<nlohmann::json> finish(Api&, const std::string& project, const std::string& zone, const nlohmann::json& operation, Deadline);

/// Whether a DONE operation did what it should.
[[nodiscard]] bool succeeded(const nlohmann::json& operation);

/// The operation that a create of ours started, by the request's UUID; null if there is none.
Result<nlohmann::json> find_insert(Api&, const std::string& project, const std::string& zone, const std::string& request_id);

/// One DELETE, then its operation to the end. Not there is fine.
Status remove(Api&, const std::string& project, const std::string& zone, const std::string& path, Deadline);

}  // namespace vt::gcp
