#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.h"

// The texts that go between the agents of a crew. Models write them, so they are treated as data:
// nothing gets through that could move a cursor, hide, or look like the end of something.
namespace orch::crew {

inline constexpr size_t kMaxNudgeBytes = size_t{64} << 10;  // a longer text belongs in a file
inline constexpr size_t kMaxMailBytes = size_t{256} << 10;  // one message in an inbox
inline constexpr size_t kMaxInboxBytes = size_t{8} << 20;   // all messages of an inbox together

// The text without control characters except line feeds and tabs, and without characters that are
// invisible or change the order of others. It is a usage error if the text is longer than `most`
// bytes, is not UTF-8, or becomes empty.
base::Result<std::string> plain_text(std::string_view text, size_t most);

// The text that is typed into an agent for a nudge. It begins with the sender, so it cannot be a
// command of the CLI; further lines that look like a beginning are put behind "> ". Both arguments
// must be plain.
std::string nudge_from(std::string_view sender, std::string_view text);

// The notice to an agent that there is mail. `inbox` is a path.
std::string mail_notice(std::string_view sender, std::string_view inbox, std::string_view text);

// The notice to an agent that there is mail from before it was started. It names no sender, since
// several may have written.
std::string mail_waits(std::string_view inbox);

// One message as it stands in an inbox: a heading with time and sender, and the text behind "> ",
// so that no line of it can be taken for a heading. Ends with a blank line.
std::string inbox_entry(std::string_view time, std::string_view sender, std::string_view text);

}  // namespace orch::crew
