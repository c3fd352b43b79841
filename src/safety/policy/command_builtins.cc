// Judges the builtins of bash, which change the state of the shell.

#include <algorithm>
#include <utility>

#include "policy/command_judge.h"
#include "policy/environment.h"
#include "policy/interpreters.h"
#include "policy/program_options.h"

namespace orch::policy {
namespace {

using Words = std::vector<ShellWord>;

// Whether the text may run a command if it is evaluated as a subscript.
bool is_evaluated(std::string_view text) {
  return text.find('[') != std::string_view::npos || text.find('`') != std::string_view::npos ||
         text.find("$(") != std::string_view::npos ||
         std::any_of(text.begin(), text.end(), is_mark);
}

// Whether "set" or "export -p" prints all variables, among them keys.
bool lists_variables(const Words& words) { return words.empty() || words[0].text == "-p"; }
Flow of_environment() {
  Flow variables = Flow::unknown();
  variables.outside = true;
  return variables;
}

}  // namespace

// Judges source FILE. A file of the project may be run, but afterwards the shell's variables are
// unknown; the directory is taken to stay the same.
Flow CommandJudge::judge_source(const Words& words, const Flow& input) {
  if (words.empty()) return {};
  const ShellWord& file = words[0];
  if (downloads_.hold(file.text)) suspect(DenyEntry::kPipeToShell, true);
  if (is_one_of(file.text, {"/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"})) {
    Flow output = judge_input(input);
    forget_state();
    return output;
  }
  const Whereabouts place = where();
  const ProgramCall called = call("source", words, place);
  judge_run_file(file, called);
  const Place at = place_of(file, place);
  const std::string home = home_of(work_dir_);
  const bool of_tools = file.exact() && std::string_view(file.text).starts_with(home + "/.") &&
                        file.text.find("..") == std::string::npos;
  if (at != Place::kAllowed && at != Place::kProtected && !of_tools) cannot_read();
  state_.forget_variables();
  return Flow::unknown();
}

void CommandJudge::judge_trap(const Words& words) {
  if (words.empty() || is_one_of(words[0].text, {"-", "-p", "-l", ""}) || is_number(words[0].text))
    return;
  const ShellWord& code = words[0].text == "--" && words.size() > 1 ? words[1] : words[0];
  if (!code.exact()) return cannot_read();
  traps_.push_back(code.text);
  if (traps_.size() > 8) cannot_read();
  judge_traps();
}

// From now on nothing is known of the shell.
void CommandJudge::forget_state() {
  state_.dir.reset();
  state_.forget_variables();
  state_.stops_at_errors = false;
}

// Judges the commands of all traps, which may run at any time from now on.
void CommandJudge::judge_traps() {
  std::vector<std::string> traps;
  traps.swap(traps_);
  const ShellState start = state_;
  const auto failure = failure_;
  const bool ended = ended_;
  bool changes = false;
  for (const std::string& trap : traps) {
    judge_text(trap, {});
    changes = changes || !(state_ == start);
    state_ = start;
  }
  if (changes) forget_state();
  ended_ = ended;
  failure_ = failure;
  traps_ = std::move(traps);
}

std::optional<Flow> CommandJudge::judge_builtin(std::string_view program, const Words& words,
                                                const Flow& input) {
  if (is_one_of(program, {"exit", "logout"})) {
    ended_ = true;
  } else if (program == "return") {
    if (returns_ != nullptr) {
      returns_->push_back(state_);
      ended_ = true;
    }
  } else if (program == "eval") {
    ShellWord code;
    code.text = text_of(words);
    for (const ShellWord& word : words) code.downloaded |= word.downloaded;
    if (words.size() == 1 && words[0].trusted_code) return Flow{};
    return judge_code(code, input, /*apart=*/false);
  } else if (program == "source" || program == ".") {
    return judge_source(words, input);
  } else if (program == "trap") {
    judge_trap(words);
  } else if (is_one_of(program, {"cd", "pushd", "popd", "chdir"})) {
    const bool stays = std::any_of(words.begin(), words.end(),
                                   [](const ShellWord& word) { return word.text == "-n"; });
    program == "popd" || stays ? state_.dir.reset() : change_folder(words);
    if (!traps_.empty()) judge_traps();
  } else if (is_one_of(program, {"export", "declare", "typeset", "local", "readonly"})) {
    // Outside of a function, local fails and assigns nothing.
    if (program == "local" && active_.empty()) cannot_read();
    // Later values have no effect.
    if (program == "readonly" && !words.empty() && words[0].text != "-p") cannot_read();
    declare(program, words);
    if (lists_variables(words)) return of_environment();
  } else if (is_one_of(program, {"read", "mapfile", "readarray", "getopts"})) {
    read_variables(program, words, input);
  } else if (is_one_of(program, {"set", "shopt"})) {
    set_options(program, words);
    if (lists_variables(words)) return of_environment();
  } else if (program == "unset") {
    const bool of_functions = std::any_of(words.begin(), words.end(), [](const ShellWord& word) {
      return word.text.starts_with('-') && word.text.find('f') != std::string::npos;
    });
    for (const ShellWord& word : words) {
      if (is_evaluated(word.text)) cannot_read();
      if (is_name(word.text) && !of_functions) set_variable(word.text, "");
    }
  } else if (program == "let") {
    for (const ShellWord& word : words) {
      const bool plain = word.exact() && word.text.find_first_not_of(
                                             "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                             "0123456789_+-*/%=<>()") == std::string::npos;
      if (!plain || !names_no_code(word.text)) cannot_read();
      const std::string name = word.text.substr(0, word.text.find_first_of("+-*/%=<>()"));
      if (is_name(name)) set_variable(name, {kDigits});
    }
  } else if (is_one_of(program, {"test", "["})) {
    const bool looks_up = std::any_of(words.begin(), words.end(),
                                      [](const ShellWord& word) { return word.text == "-v"; });
    for (const ShellWord& word : words) {
      if (looks_up && word.text != "]" && word.text != "[" && is_evaluated(word.text))
        cannot_read();
    }
  } else if (program == "wait") {  // -p NAME[...]
    if (std::any_of(words.begin(), words.end(), [](const ShellWord& word) {
          return word.text.find_first_of("[`$") != std::string::npos;
        })) {
      cannot_read();
    }
  } else if (is_one_of(program, {"fg", "bg", "suspend"})) {
    return Flow{};
  } else {
    return std::nullopt;
  }
  return Flow{};
}

void CommandJudge::change_folder(const Words& words) {
  Words operands;
  for (const ShellWord& word : words) {
    if (!is_one_of(word.text, {"-P", "-L", "-e", "--", "-n"})) operands.push_back(word);
  }
  failure_ = state_;
  if (operands.empty()) operands.push_back(exact_word(expansion_.value_of("HOME")));
  const ShellWord& to = operands.front();
  const bool odd = operands.size() > 1 || to.text == "-" || to.text.starts_with('+') ||
                   to.text.find(kAnyWords) != std::string::npos;
  const std::optional<NamedPath> named = path_of(to, where());
  if (odd || !named || named->unknown || named->contents) {
    state_.dir = std::nullopt;
    if (named && named->contents && named->exact) state_.dir = named->path + "/" + kSomeName;
    return;
  }
  const bool maybe_stays = to.text.find(kMaybeBegin) != std::string::npos;
  if (maybe_stays && state_.dir != named->path) {
    state_.dir = std::nullopt;
  } else {
    state_.dir = named->path;
  }
}

// Judges export NAME=VALUE and the like.
void CommandJudge::declare(std::string_view program, const Words& words) {
  const bool exports =
      program == "export" || std::any_of(words.begin(), words.end(), [](const ShellWord& word) {
        return word.text.starts_with('-') && word.text.find('x') != std::string::npos;
      });
  for (const ShellWord& word : words) {
    if (word.text.size() > 1 && (word.text[0] == '-' || word.text[0] == '+')) {
      if (word.text.find_first_of("niIr") != std::string::npos && program != "export")
        cannot_read();
      continue;
    }
    const size_t equals = word.text.find('=');
    const std::string name = word.text.substr(0, equals);
    const bool given = equals != std::string::npos;
    const std::string value = given ? word.text.substr(equals + 1) : expansion_.value_of(name);
    const bool harmless = !exports || is_harmless_export(name, value, where());
    if (!is_name(name) || !harmless) cannot_read();
    if (!is_name(name)) continue;
    const bool own = program == "local" || program == "declare" || program == "typeset";
    if (own && locals_ != nullptr) {
      locals_->emplace_back(name, state_.value_of(name).value_or(std::string{kAnyText}));
    }
    if (given) {
      set_variable(name, name.ends_with('+') ? std::string{kAnyText} : value);
    } else if (harmless && program != "export" && program != "readonly") {
      set_variable(name, {kAnyText});
    }
  }
}

void CommandJudge::read_variables(std::string_view program, const Words& words, const Flow& input) {
  const ProgramOptions options(words, program == "read"
                                          ? "-a= -d= -i= -n= -N= -p= -t= -u= -r -s -e!"
                                          : "-d= -n= -O= -s= -t -u= -C! -c=");
  if (!options.understood() || options.may_be_any()) cannot_read();
  std::string value = input.is_paths() ? input.path() : std::string{kAnyText};
  if (input.holds_private()) value += kFromOutside;
  Words names = options.operands();
  for (const ShellWord& name : options.values("-a")) names.push_back(name);
  if (program == "getopts" && !names.empty()) names.erase(names.begin());
  for (const ShellWord& name : names) {
    if (!is_name(name.text)) {
      if (program != "getopts") cannot_read();
      continue;
    }
    const bool one = names.size() == 1 && program == "read";
    std::string any{kAnyText};
    if (input.holds_private()) any += kFromOutside;
    set_variable(name.text, one ? value : any);
  }
  set_variable("REPLY", value);
}

void CommandJudge::set_options(std::string_view program, const Words& words) {
  if (program == "shopt") {
    for (const ShellWord& word : words) {
      const bool known =
          word.text.starts_with('-') ||
          is_one_of(word.text, {"nullglob", "globstar", "failglob", "dotglob", "nocaseglob",
                                "nocasematch", "inherit_errexit", "checkwinsize", "pipefail"});
      if (!known || word.text.find('o') == 1) cannot_read();
    }
    return;
  }
  for (size_t i = 0; i < words.size(); ++i) {
    const std::string& text = words[i].text;
    if (text == "--" || text == "-") return;
    if (words[i].unknown()) return cannot_read();
    if (text[0] != '-' && text[0] != '+') return;
    std::string letters = text.substr(1);
    if (letters.ends_with('o')) {
      letters.pop_back();
      const std::string option = i + 1 < words.size() ? words[++i].text : "";
      if (option == "errexit") letters += 'e';
      if (option == "allexport") letters += 'a';
      if (!is_one_of(option, {"errexit", "allexport", "nounset", "xtrace", "pipefail", "noglob",
                              "verbose", ""})) {
        cannot_read();
      }
    }
    if (letters.find_first_not_of("aeuxvfETCbm") != std::string::npos) cannot_read();
    if (letters.find('e') != std::string::npos) state_.stops_at_errors = text[0] == '-';
    if (letters.find('a') != std::string::npos) state_.exports_all = text[0] == '-';
  }
}

}  // namespace orch::policy
