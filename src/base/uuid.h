#pragma once

#include <string>
#include <string_view>

namespace orch::base {

// Whether this is a UUID in its usual form: 8-4-4-4-12 hexadecimal digits.
bool is_uuid(std::string_view text);

// A UUID of version 4 (RFC 9562, 5.4): random.
std::string random_uuid();

}  // namespace orch::base
