#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace orch::words {

// Splits a text into words. Separators are white space and the signs with which markdown and the
// agents set off text (emphasis, bullets, bars, dashes).
std::vector<std::string> words_of(std::string_view text);

// The same words, joined by single spaces.
std::string plain(std::string_view text);

// The text without white space, Unicode's included, at both ends.
std::string_view trimmed(std::string_view text);

size_t characters(std::string_view text);  // code points

// The text cut to at most this many characters; if it is cut, the last one is "…".
std::string shortened(std::string_view text, size_t most);

}  // namespace orch::words
