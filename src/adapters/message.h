#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "adapters/headless_spec.h"

// How an agent reads the text of a message, on a screen and without one.
namespace orch::adapters {

// Whether the agent would mistake the message for a command because its first character is one of
// `command_start`. White space before that character does not help: most agents trim it off
// (measured).
bool begins_command(std::string_view text, std::string_view command_start);

// Whether the agent would mistake the message for a command because all of it is one of these
// words.
bool is_command_word(std::string_view text, const std::vector<std::string>& words);

// The bytes on standard input that give a message to a headless agent: a line of JSON if the agent
// takes several messages, otherwise the plain text. Standard input must be closed after plain text.
std::string message_input(const HeadlessSpec& spec, const std::string& text);

}  // namespace orch::adapters
