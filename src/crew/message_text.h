#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.h"

// The texts that go between the agents of a crew. Models write them, so they are data: what could
// move a cursor, hide, or look like the end of something never gets through.
namespace orch::crew {

inline constexpr size_t kMaxNudgeBytes = size_t{64} << 10;  // longer ones belong in a file
inline constexpr size_t kMaxMailBytes = size_t{256} << 10;  // of one message in an inbox
inline constexpr size_t kMaxInboxBytes = size_t{8} << 20;   // of all of them

// The text without control characters but line feeds and tabs, and without what cannot be seen or
// turns the order of other characters around. A usage error: it is longer than `most` bytes, not
// UTF-8, or nothing of it is left.
base::Result<std::string> plain_text(std::string_view text, size_t most);

// What is typed for a nudge of an agent: it says whose it is, so it can be no command of the CLI.
// Further lines that say so, too, stand behind "> ". Both are plain.
std::string nudge_from(std::string_view sender, std::string_view text);

// What tells an agent that there is mail. `inbox` is a path.
std::string mail_notice(std::string_view sender, std::string_view inbox, std::string_view text);

// What tells it that there is mail from before it began. It names nobody: many may have written.
std::string mail_waits(std::string_view inbox);

// One message as it stands in an inbox: a heading of time and sender, and the text behind "> ", so
// that no line of it can be taken for a heading. Ends with a blank line.
std::string inbox_entry(std::string_view time, std::string_view sender, std::string_view text);

}  // namespace orch::crew
