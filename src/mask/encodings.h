#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace orch::mask {

// What of the Base64 of any text that holds `value` is the same wherever in it `value` stands: one
// for each of the three places that its first byte may have in a group, in both alphabets of
// RFC 4648. Without the characters to which its neighbours contribute.
std::vector<std::string> base64_forms(std::string_view value);

// With the characters escaped that a URL cannot hold, as encodeURIComponent does, its digits in
// upper and in lower case; empty where nothing is to be escaped.
std::vector<std::string> url_forms(std::string_view value);

}  // namespace orch::mask
