#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>

// Puts foreign text into a page, and puts the page together.
namespace orch::report {

// The text as the contents of an element or of an attribute in quotes. It stays text whatever it
// holds: markup is escaped, controls and malformed UTF-8 become U+FFFD, and characters that are
// invisible or change the direction of text are written out ("\u{202e}"). Line feeds and tabs stay.
// If the text is longer than `max_bytes`, the rest is left out and replaced by "…".
std::string escaped(std::string_view text, size_t max_bytes = 16 << 10);

// A time as "0:03", "12:45" or "1:02:03"; seconds are rounded down.
std::string clock_text(int64_t ms);
// A time as "3.684", the end of a link to a moment of the page ("#t=3.684").
std::string seconds_text(int64_t ms);
// A number as "1,234,567".
std::string grouped(uint64_t number);

// A text as a JSON string that is safe inside of <script>.
std::string script_string(std::string_view text);

// The hash of a script's or style's source in the form of a content security policy: 'sha256-...'.
std::string policy_hash(std::string_view source);

// The template with every {{name}} replaced by the slot of that name. The inserted text is not
// searched for names. Every name in the template must have a slot.
using Slot = std::pair<std::string_view, std::string_view>;
std::string fill(std::string_view page_template, std::span<const Slot> slots);

}  // namespace orch::report
