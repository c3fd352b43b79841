#pragma once

#include <string>
#include <string_view>

namespace orch::cli {

// `text`, one line of UTF-8, escaped so that roff(7) prints it unchanged anywhere but at the
// beginning of a line: backslashes, quotes and accents are escaped, a hyphen is the minus sign that
// can be copied into a command line, and other non-ASCII characters are named by their code points,
// so that the page needs no encoding. Control characters become U+FFFD.
std::string roff_word(std::string_view text);

// The same for a whole line of input: a dot or an apostrophe at its beginning does not start a
// request.
std::string roff_line(std::string_view text);

// The argument of a macro, in quotes: "two words" stays one argument.
std::string roff_argument(std::string_view text);

}  // namespace orch::cli
