#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "adapters/headless_spec.h"

// How a message is given to an agent, beyond what screens have to do with it.
namespace orch::adapters {

// Whether the agent would take a message for a command: its first character is one of
// `command_start`. White space before it does not help: most agents trim it off (measured).
bool begins_command(std::string_view text, std::string_view command_start);

// Whether the agent would take it for a command without a sign: all of it is one of these words.
bool is_command_word(std::string_view text, const std::vector<std::string>& words);

// What brings a message to an agent that runs without a terminal: a line of JSON for one that takes
// several, else the text as it is, behind which its input ends.
std::string message_input(const HeadlessSpec& spec, const std::string& text);

}  // namespace orch::adapters
