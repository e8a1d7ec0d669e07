#pragma once
#include <memory>

#include "providers/gcp/credentials.hpp"
#include "providers/provider.hpp"

namespace vt {

std::unique_ptr<Provider> make_gcp(const ProviderContext&);
/// The same with another way out: tests script the replies.
std::unique_ptr<Provider> make_gcp(const ProviderContext&, std::unique_ptr<Http>, std::unique_ptr<GcpCredentials>);

}  // namespace vt
