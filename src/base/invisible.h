#pragma once

#include <string>
#include <string_view>

// Characters that draw nothing, or turn the order of others around: what a person reads with them
// is not what is there.
namespace orch::base {

// Format characters (Unicode 15, general category Cf) and others that show nothing by default
// (Default_Ignorable_Code_Point): bidirectional marks and overrides, zero widths, fillers, line and
// paragraph separators, tags, variation selectors.
bool is_invisible(char32_t code_point);

// Whether one that is_invisible() does its honest work between these two (0: none): a joiner inside
// an emoji or a word of a script that needs it, a selector of the look of what stands before it.
bool shapes_its_neighbours(char32_t before, char32_t invisible, char32_t after);

// "\u{202e}"
void append_escape(std::string& out, char32_t code_point);

// A JSON text in which all that is invisible, with the controls from U+007F to U+009F, is an escape
// inside of its strings; so is the second # of "##[", which a CI system may take for a command.
std::string with_visible_json(std::string json);

}  // namespace orch::base
