#pragma once

#include <cstdint>
#include <string_view>

#include "policy/program_judge.h"

namespace orch::policy {

// Programs have more options that write files than any table can hold. So if a program does more
// than read, every part of an argument that may be a path counts, wherever it stands: after = , :
// or a blank, or directly after the letters of an option.
enum class PathScope : uint8_t {
  kOptions,  // options, and the words after long options; operands are judged elsewhere
  kAll,      // all arguments
  kStrange,  // all arguments, including paths of the system
};

// Adds the suspicion that the program may write outside, if an argument names a path outside. Paths
// of the system do not count, because only root can write there. `known` are options in the form of
// ProgramOptions; their values are judged elsewhere or are only read.
void judge_path_arguments(const ProgramCall& call, std::string_view known, PathScope scope);

// Whether a part of the text names a path outside.
bool may_lead_out(std::string_view text, const Whereabouts& where, PathScope scope);

// Whether the word names an input, as /dev/stdin or <(...) do. The code that a program reads there
// is not known to be harmless.
// Whether a part of the text is the path of a protected file.
bool names_protected(std::string_view text);

bool names_input(const ShellWord& word);

}  // namespace orch::policy
