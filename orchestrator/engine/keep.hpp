#pragma once

namespace vt {

/// When created hosts are left to the user instead of being given back.
enum class Keep { never, on_failure, always };

}  // namespace vt
