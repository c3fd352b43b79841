#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "options/run_request.h"

// The words that people write behind `orch run` before they know its form. Pure.
namespace orch::options {

// A name made of the first words of a prompt: "fix-the-bug"; "prompt" if none of them can be part
// of a name.
std::string name_of_words(std::string_view prompt);

// The words of lists with commas between them: "claude,codex" is two.
std::vector<std::string> split_list(const std::vector<std::string>& lists);

// Brings the words behind `orch run` into their form: "#42" becomes 42, and a single word with
// blanks, or one behind an issue, is the prompt. Fails if the words can only be a mistake.
// `after_prompt` are the arguments directly behind the value of -p.
base::Status settle_words(const std::vector<std::string>& after_prompt, RunRequest& request);

// The name for a run that was given a prompt or a program, but no issue; nullopt if it has neither.
// `prompt` is the prompt's text.
std::optional<std::string> name_for(const RunRequest& request, std::string_view prompt);

// For a run without a prompt: "; quote what the agent is to do: orch run \"fix the bug\"" if the
// names of its issues look like words of a sentence, otherwise "".
std::string quote_hint(const std::vector<std::string>& issues);

// The options among those `given` ("--jobs") that change nothing in this request, each with the
// reason: "--jobs: there is one issue".
std::vector<std::string> without_effect(const std::set<std::string>& given,
                                        const RunRequest& request);

}  // namespace orch::options
