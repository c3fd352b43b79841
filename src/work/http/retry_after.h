#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace orch::http {

// The wait that the value of a Retry-After header (RFC 9110, 10.2.3) asks for, in milliseconds. The
// value is a number of seconds, or a date in the usual form ("Sun, 06 Nov 1994 08:49:37 GMT"),
// counted from `now_s` (seconds since 1970). Never less than 0; nullopt for any other value.
std::optional<int64_t> retry_after_ms(std::string_view value, int64_t now_s);

}  // namespace orch::http
