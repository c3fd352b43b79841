#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/ascii.h"

namespace orch::base {

// One decoded character: its code point and how many bytes it took. A malformed or incomplete
// sequence decodes to U+FFFD and takes the bytes that cannot begin a longer sequence (the maximal
// subpart of Unicode 15, ch. 3).
struct Decoded {
  char32_t code_point = 0;
  size_t length = 0;
};
Decoded decode_utf8(std::string_view bytes);  // bytes must not be empty

void append_utf8(std::string& out, char32_t code_point);

// The offset of the first byte that is not valid UTF-8; nullopt if all is valid.
std::optional<size_t> invalid_utf8_at(std::string_view text);

// How many bytes at the end of `bytes` begin a character whose rest may still come: 0 to 3.
size_t incomplete_utf8_tail(std::string_view bytes);

// The beginning of `text`, at most `most_bytes` long, that does not end inside of a character.
std::string_view beginning(std::string_view text, size_t most_bytes);

// `text` with every malformed sequence replaced by U+FFFD; *replaced is increased by their number,
// if given.
std::string to_valid_utf8(std::string_view text, size_t* replaced = nullptr);

// `text` for a terminal or a log line. C0 controls (except tab), DEL, C1 controls and malformed
// UTF-8 become U+FFFD, so that text from outside cannot move the cursor or forge a line. Characters
// that are invisible, or change the order of others, are written as "\u{202e}" (base/invisible.h).
std::string printable(std::string_view text);
std::string printable_lines(std::string_view text);  // for each line; line feeds are kept

// Returns the text before `separator`, and removes both from `rest`; all of it if there is none.
std::string_view take_until(std::string_view& rest, char separator);
// The texts between the separators; one at the end adds no empty text.
std::vector<std::string_view> split(std::string_view text, char separator);
std::vector<std::string_view> split_lines(std::string_view text);  // at LF
std::vector<std::string_view> split_at_blanks(std::string_view words);
std::string_view trim(std::string_view text);  // removes ASCII white space at both ends

// Appends text with the markup characters of XML and HTML written as entities. Characters that XML
// 1.0 does not allow (other controls, U+FFFE, U+FFFF, malformed UTF-8) become U+FFFD.
void append_entities(std::string& out, std::string_view text);

}  // namespace orch::base
