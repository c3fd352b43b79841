#include "cli/completion_command.h"

#include <cstdio>

#include "base/text.h"
#include "cli/completion.h"
#include "cli/crew_place.h"
#include "cli/new_command.h"
#include "client/answers.h"
#include "client/runs.h"
#include "engine/submission.h"
#include "options/run_option.h"
#include "setup/agents.h"
#include "setup/config.h"
#include "setup/paths.h"
#include "store/session_file.h"
#include "store/state_file.h"

namespace orch::cli {
namespace {

using Words = std::vector<std::string>;

constexpr size_t kMostRuns = 50;  // the newest ones; more would be too many to choose from

constexpr const char* kBash = R"(# bash completion of orch
_orch() {
  local line
  COMPREPLY=()
  while IFS= read -r line; do
    case $line in
      :files) compopt -o default ;;
      *) COMPREPLY+=("${line%%$'\t'*}") ;;
    esac
  done < <(command orch internal complete "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -F _orch orch
)";

constexpr const char* kZsh = R"(#compdef orch
# zsh completion of orch
_orch() {
  local line files=
  local -a found
  for line in "${(@f)$(command orch internal complete "${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
    if [[ $line == :files ]]; then
      files=1
    elif [[ -n $line ]]; then
      local word=${line%%$'\t'*}
      found+=("${word//:/\\:}${${line#$word}/$'\t'/:}")
    fi
  done
  (( $#found )) && _describe -V orch found
  [[ -n $files ]] && { compset -P '--*='; _files }
  return 0
}
if [[ $funcstack[1] == _orch ]]; then _orch "$@"; else compdef _orch orch; fi
)";

constexpr const char* kFish = R"(# fish completion of orch
function __orch_complete
    set -l words (commandline -opc) (commandline -ct)
    for line in (command orch internal complete $words[2..-1] 2>/dev/null)
        if test "$line" = ":files"
            __fish_complete_path (commandline -ct)
        else
            echo $line
        end
    end
end
complete -c orch -f -a '(__orch_complete)'
)";

int print_script(const std::string& shell) {
  const char* script = shell == "bash"   ? kBash
                       : shell == "zsh"  ? kZsh
                       : shell == "fish" ? kFish
                                         : nullptr;
  if (script == nullptr) return report(base::usage_error("the shell must be bash, zsh or fish"));
  std::fputs(script, stdout);
  return 0;
}

Words names_of_sessions() {
  const base::Result<client::Place> place = setup::place_of(std::nullopt);
  Words names;
  if (!place) return names;
  const base::Result<std::vector<store::SessionRecord>> sessions =
      store::list_sessions(place->state_dir);
  if (!sessions) return names;
  for (const store::SessionRecord& session : *sessions) {
    names.push_back(client::word_for(session, *place));
  }
  return names;
}

Words names_of_runs() {
  const base::Result<client::Place> place = setup::place_of(std::nullopt);
  Words names;
  if (!place) return names;
  client::RunFilter filter;
  filter.most = kMostRuns;
  (void)client::each_run(*place, filter, [&names](const client::RunView& run) {
    names.push_back(run.record.id);
    names.push_back(run.record.issue);
  });
  return names;
}

Words names_of_agents() {
  const base::Result<adapters::Registry> agents = setup::load_agents(setup::repository_of("."));
  Words names;
  if (!agents) return names;
  for (const adapters::Manifest& agent : agents->all()) names.push_back(agent.name);
  return names;
}

Words names_of_crew() {
  const base::Result<FoundCrew> crew = find_crew(std::nullopt);
  Words names;
  if (!crew) return names;
  for (const crew::Member& member : crew->state.members) names.push_back(member.spec.name);
  return names;
}

Words names_of_keys() {
  Words names;
  for (const options::RunOption* key : setup::config_keys()) {
    names.emplace_back(options::config_name(*key));
  }
  return names;
}

Words names_of_tasks() {
  const base::Result<std::string> state_dir = setup::state_dir_of(std::nullopt);
  if (!state_dir) return {};
  base::Result<Words> names = store::names_in_folder(*state_dir + "/tasks");
  return names ? std::move(names).value() : Words();
}

Words names_of_submissions() {
  const base::Result<std::string> state_dir = setup::state_dir_of(std::nullopt);
  Words names{"last"}, unreadable;
  if (!state_dir) return names;
  for (const engine::FoundSubmission& found : engine::list_submissions(*state_dir, unreadable)) {
    names.push_back(found.submission.id);
  }
  return names;
}

}  // namespace

void print_completion(const CLI::App& app, Words words) {
  // Bash makes = and : words of their own, as in --agent=claude.
  for (auto word = words.begin(); word != words.end();) {
    word = *word == "=" && word + 1 != words.end() ? words.erase(word) : word + 1;
  }
  if (!words.empty() && words.back() == "=") words.back().clear();
  // Other shells do not, and replace the word with its option.
  std::string option;
  const size_t sign = words.empty() ? std::string::npos : words.back().find('=');
  if (sign != std::string::npos && words.back().starts_with("--")) {
    option = words.back().substr(0, sign + 1);
    const std::string value = words.back().substr(sign + 1);
    words.back().resize(sign);
    words.push_back(value);
  }
  const Completion completion =
      complete(app, words,
               {names_of_sessions, names_of_runs, names_of_agents, names_of_crew, names_of_keys,
                names_of_tasks, names_of_submissions});
  for (const Candidate& one : completion.candidates) {
    // It has invisible characters: nobody could type it.
    if (one.word != base::printable(one.word)) continue;
    std::printf("%s%s%s%s\n", option.c_str(), one.word.c_str(), one.about.empty() ? "" : "\t",
                base::printable(one.about).c_str());
  }
  if (completion.files) std::puts(":files");
}

void add_completion_command(CLI::App& app, Chosen& chosen) {
  CommandWith<std::string> command(app, chosen, "completion", "a completion script for your shell",
                                   print_script);
  command.option("shell", command.options(), "bash, zsh or fish").required();
  command.footer(
      "It completes commands, options and their values, sessions, runs and agents.\n\n"
      "Examples:\n"
      "  orch completion bash >> ~/.bashrc\n"
      "  orch completion zsh > ~/.zsh/completions/_orch    # a folder of $fpath\n"
      "  orch completion fish > ~/.config/fish/completions/orch.fish");
}

}  // namespace orch::cli
