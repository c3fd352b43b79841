#pragma once

#include <string>
#include <string_view>
#include <vector>

// Commands as a control client writes them: lines, which tmux parses like a configuration file.
// Pure.
namespace orch::mux::tmux {

// A word quoted so that tmux takes every byte of it literally. It must not contain NUL, because no
// word can hold that.
std::string quoted_word(std::string_view word);

// Quotes the words, such as "set-option -p ...", and joins them to a line.
std::string command_line(const std::vector<std::string>& words);

// The commands, each a line, that put these bytes into a pane as if they had been typed: unchanged,
// in any mode of the pane, and without a shell. tmux 3.7 and later remove control characters from a
// paste unless a flag asks for a raw one (RawPaste::kByFlag).
enum class RawPaste { kAsItIs, kByFlag };
std::vector<std::string> typing_commands(std::string_view pane, std::string_view bytes,
                                         RawPaste raw_paste);
RawPaste raw_paste_of(std::string_view version);  // from a version such as "3.3a" or "next-3.7"

}  // namespace orch::mux::tmux
