#pragma once

#include <string>
#include <string_view>

namespace orch::cli {

// `text`, one line of UTF-8, as roff(7) prints it unchanged wherever it stands but at the beginning
// of a line: backslashes, quotes and accents are escaped, a hyphen is the minus sign that can be
// copied into a command line, and what is not ASCII is named by its code point, so that the page
// needs no encoding. Control characters become U+FFFD.
std::string roff_word(std::string_view text);

// The same for a whole line of input: a dot or an apostrophe at its beginning is no request.
std::string roff_line(std::string_view text);

// The argument of a macro, in quotes: "two words" stays one argument.
std::string roff_argument(std::string_view text);

}  // namespace orch::cli
