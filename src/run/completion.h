#pragma once

#include <string>
#include <string_view>

#include "agent/line.h"

namespace orch::run {

// Has the agent said that all is done? True for a line of its own words that is the keyword and
// nothing else. The echo of our prompt, a quotation inside a sentence, a tool's output and a quoted
// or listed line (its own marker stands before the keyword) are not.
bool says_complete(const agent::Line& line, std::string_view keyword);

// The instruction that goes with a prompt so that the agent knows the keyword. It never holds the
// keyword on a line of its own.
std::string completion_instruction(std::string_view keyword);

// What an agent is told that stopped without saying the keyword.
std::string continue_message(std::string_view keyword);

}  // namespace orch::run
