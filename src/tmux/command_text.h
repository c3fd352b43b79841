#pragma once

#include <string>
#include <string_view>
#include <vector>

// Commands as a control client writes them: lines, which tmux parses as a configuration file. Pure.
namespace orch::tmux {

// A word that means itself and nothing else, whatever it is made of (but NUL, which no word can
// hold).
std::string quoted(std::string_view word);

// "set-option -p ..." of words.
std::string command_line(const std::vector<std::string>& words);

// The commands, each a line, that give a pane these bytes as if they had been typed: exact, in any
// mode of the pane, and without a shell. From tmux 3.7 on a paste is cleaned of control characters
// unless it is `raw_paste` that is asked for by a flag.
enum class RawPaste { kAsItIs, kByFlag };
std::vector<std::string> typing_commands(std::string_view pane, std::string_view bytes,
                                         RawPaste raw_paste);
RawPaste raw_paste_of(std::string_view version);  // "3.3a", "next-3.7"

}  // namespace orch::tmux
