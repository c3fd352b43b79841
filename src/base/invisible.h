#pragma once

#include <string>
#include <string_view>

// Characters that draw nothing, or change the order of others, so that a reader sees another text
// than the real one.
namespace orch::base {

// Whether it is a format character (Unicode 15, general category Cf) or another one that shows
// nothing by default (Default_Ignorable_Code_Point): bidirectional marks and overrides, zero-width
// characters, fillers, line and paragraph separators, tags, variation selectors.
bool is_invisible(char32_t code_point);

// Whether an invisible character has a proper use between these two characters (0: none): a joiner
// in an emoji or in a word of a script that needs it, or a selector for the look of the character
// before it.
bool shapes_its_neighbours(char32_t before, char32_t invisible, char32_t after);

// The text without its invisible characters, except for those that shape their neighbours.
std::string without_invisible(std::string_view text);

// Appends the code point as "\u{202e}".
void append_escape(std::string& out, char32_t code_point);

// Escapes invisible characters, and the controls from U+007F to U+009F, in the strings of a JSON
// text; also the second # of "##[", which a CI system may mistake for a command.
std::string with_visible_json(std::string json);

}  // namespace orch::base
