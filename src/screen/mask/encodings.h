#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace orch::mask {

// The parts of a text's Base64 that are the same wherever `value` stands in the text: one for each
// of the three positions that its first byte may have in a group of three, in both alphabets of RFC
// 4648. Characters that also depend on the neighbours of `value` are left out.
std::vector<std::string> base64_forms(std::string_view value);

// `value` as parts of a URL, with the characters escaped that a URL cannot hold, with upper-case
// and with lower-case hexadecimal digits; without `value` itself. url_forms() escapes like
// encodeURIComponent. other_url_forms() escapes like other programs, which keep fewer characters
// (RFC 3986), keep a path's "/", or write "+" for a blank.
std::vector<std::string> url_forms(std::string_view value);
std::vector<std::string> other_url_forms(std::string_view value);

// `value` as it stands between the quotes of a JSON string (RFC 8259): json_form() as most programs
// write it, other_json_forms() as written by programs that also escape "/", characters with a
// meaning in HTML, or all non-ASCII characters.
std::string json_form(std::string_view value);
std::vector<std::string> other_json_forms(std::string_view value);

}  // namespace orch::mask
