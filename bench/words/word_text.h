#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace orch::words {

// The words of a text: what is left between white space once the signs by which markdown and the
// agents set text off (emphasis, bullets, bars, dashes) are taken for white space too.
std::vector<std::string> words_of(std::string_view text);

// Those words with one space between them.
std::string plain(std::string_view text);

// Without the white space at both ends, that of Unicode too.
std::string_view trimmed(std::string_view text);

size_t characters(std::string_view text);  // code points

// At most so many characters, with "…" as the last one where some are left out.
std::string shortened(std::string_view text, size_t most);

}  // namespace orch::words
