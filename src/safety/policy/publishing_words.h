#pragma once

#include <string_view>

#include "policy/program_judge.h"

namespace orch::policy {

// Judges a program by the words of its command alone, from a table: words that make it publish, put
// the machine on the network, or start an agent that asks for nothing. Other judges may find more.
void judge_words_of_publishers(const ProgramCall& call);

// Judges the address of a request that sends something to another machine, as "curl -X PUT" does.
// It certainly publishes if the address is a forge's or a registry's.
void judge_changing_request(const ShellWord& address, const ProgramCall& call);

// Whether the verb of a program, or a goal, is known well enough: a part that only the shell knows
// may make any verb of it. Digits, a path and the ending of a file's name do not.
bool is_known_verb(const ShellWord& word);

// Whether an option makes an agent ask for nothing any more, whatever the agent is called.
bool frees_agent(std::string_view option);

}  // namespace orch::policy
