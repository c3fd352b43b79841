#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "policy/denylist.h"
#include "policy/shell_words.h"
#include "policy/write_target.h"

namespace orch::policy {

// Adds to `found` what the program does with its arguments that is on the denylist. Programs that
// run other programs are not looked into.
void judge_program(std::string_view program, std::span<const ShellWord> arguments,
                   const Whereabouts& where, std::vector<Suspicion>& found);

// Adds what writing to the file that `target` names would be.
void judge_target(const ShellWord& target, const Whereabouts& where, std::vector<Suspicion>& found);

// The files that curl or wget save what they load to; empty when it goes to standard output.
std::vector<ShellWord> download_targets(std::string_view program,
                                        std::span<const ShellWord> arguments);

}  // namespace orch::policy
