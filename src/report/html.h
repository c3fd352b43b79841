#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>

// How text that others wrote comes into a page, and how the page is put together.
namespace orch::report {

// The text as the content of an element or of an attribute in quotes. It stays text whatever it
// holds: markup is escaped, controls and malformed UTF-8 are U+FFFD, what is invisible or turns
// text around is written out ("\u{202e}"). Line feeds and tabs stay. Of more than `max_bytes` the
// rest is left out, which "…" says.
std::string escaped(std::string_view text, size_t max_bytes = 16 << 10);

// "0:03", "12:45", "1:02:03": seconds are rounded down.
std::string clock_text(int64_t ms);
// "3.684": what a link to a moment of the page ends in ("#t=3.684").
std::string seconds_text(int64_t ms);
// "1,234,567"
std::string grouped(uint64_t number);

// A text as a JSON string that may stand inside of <script>.
std::string script_string(std::string_view text);

// The source of a script or a style, as a content security policy names it: 'sha256-...'.
std::string policy_hash(std::string_view source);

// The template with every {{name}} replaced. What is filled in is not looked at again. Every slot
// of the template must be given.
using Slot = std::pair<std::string_view, std::string_view>;
std::string fill(std::string_view page_template, std::span<const Slot> slots);

}  // namespace orch::report
