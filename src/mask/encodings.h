#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace orch::mask {

// What of the Base64 of any text that holds `value` is the same wherever in it `value` stands: one
// for each of the three places that its first byte may have in a group, in both alphabets of
// RFC 4648. Without the characters to which its neighbours contribute.
std::vector<std::string> base64_forms(std::string_view value);

// With the characters escaped that a URL cannot hold, its digits in upper and in lower case;
// without the value itself. As encodeURIComponent does; and as other programs do, which keep fewer
// characters (RFC 3986), or a path's "/", or write "+" for a blank.
std::vector<std::string> url_forms(std::string_view value);
std::vector<std::string> other_url_forms(std::string_view value);

// What stands between the quotes of a string of JSON (RFC 8259). As most programs write it; and as
// those do that escape "/", what HTML could take for its own, or all that is not ASCII.
std::string json_form(std::string_view value);
std::vector<std::string> other_json_forms(std::string_view value);

}  // namespace orch::mask
