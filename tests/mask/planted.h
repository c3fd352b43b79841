#pragma once

#include <string>

namespace orch::mask {

inline const std::string kPlanted = "pl4nted-s3cret-0123456789";

}  // namespace orch::mask
