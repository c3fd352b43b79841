#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace orch::store {

// Appends bytes as the inside of a JSON string: quotes, backslashes and controls escaped, other
// text as it is, each malformed UTF-8 sequence as U+FFFD. Returns how many bytes were malformed.
size_t append_json_text(std::string& out, std::string_view bytes);

}  // namespace orch::store
