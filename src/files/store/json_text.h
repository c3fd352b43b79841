#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace orch::store {

// Appends `bytes` as the content of a JSON string: quotes, backslashes and control characters are
// escaped, each malformed UTF-8 sequence becomes U+FFFD, and other text is copied. Returns how many
// bytes were malformed.
size_t append_json_text(std::string& out, std::string_view bytes);

}  // namespace orch::store
