#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace orch::base {

// The bytes of a text in base64 (RFC 4648, the standard alphabet, with its padding); nullopt for
// any other text.
std::optional<std::string> base64_decoded(std::string_view text);

}  // namespace orch::base
