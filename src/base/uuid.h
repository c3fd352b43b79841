#pragma once

#include <string>
#include <string_view>

namespace orch::base {

// Whether it is a UUID in the usual form: 8-4-4-4-12 hexadecimal digits.
bool is_uuid(std::string_view text);

// A random UUID: version 4 (RFC 9562, 5.4).
std::string random_uuid();

}  // namespace orch::base
