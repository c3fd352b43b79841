#pragma once

#include <cstdint>
#include <string_view>

#include "policy/program_judge.h"

namespace orch::policy {

// Programs have more options that write than any table holds. So of a program that does not only
// read, any part of an argument that may be a path counts, wherever in it that stands: behind
// = , : or a blank, or directly behind an option's letters.
enum class PathScope : uint8_t {
  kOptions,  // options, and what follows a long one: operands are judged elsewhere
  kAll,
  kStrange,  // all, and what is the system's is no exception
};

// Adds that it may write outside when an argument names a path there that is not one of the
// system's, which nobody but root writes. `known`: options, as ProgramOptions has them, whose
// values are judged elsewhere or are something read.
void judge_path_arguments(const ProgramCall& call, std::string_view known, PathScope scope);

// Does a part of the text name such a path?
bool may_lead_out(std::string_view text, const Whereabouts& where, PathScope scope);

// /dev/stdin and the like, <(...): what a program reads there is not known to be harmless code.
bool names_input(const ShellWord& word);

}  // namespace orch::policy
