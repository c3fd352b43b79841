// Judges programs that run other commands: functions, wrappers, shells.

#include <algorithm>
#include <utility>

#include "base/replace.h"
#include "base/text.h"
#include "policy/command_judge.h"
#include "policy/environment.h"
#include "policy/interpreters.h"
#include "policy/path_arguments.h"
#include "policy/program_options.h"
#include "policy/program_rules.h"
#include "policy/protected_path.h"
#include "policy/reaching_out.h"

namespace orch::policy {
namespace {

using Words = std::vector<ShellWord>;

// Whether the program is a shell whose grammar ShellReader reads.
bool is_known_shell(std::string_view program) {
  return is_one_of(program, {"sh", "bash", "dash", "ash", "rbash"});
}
bool is_shell(std::string_view program) {
  return is_known_shell(program) ||
         is_one_of(program, {"zsh", "ksh", "mksh", "ksh93", "fish", "csh", "tcsh", "yash", "posh",
                             "su", "elvish", "xonsh", "nu", "osh", "ysh", "murex", "oil"});
}

// The name without the "g" that GNU's programs have on other systems: "gfind".
std::string without_g(const std::string& name) {
  const std::string_view rest = std::string_view(name).substr(name.starts_with('g') ? 1 : 0);
  const bool of_gnu = is_one_of(rest, {"find", "xargs", "rm", "mv", "cp", "ln", "tee", "chmod",
                                       "chown", "truncate", "unlink", "dd", "shred", "install"});
  return of_gnu ? std::string(rest) : name == "bfs" ? "find" : name;
}

// Adds `found`, a part of the input of xargs, to its command: in place of each place holder, or at
// the end. xargs uses the last option that names a place holder; here all of them count.
void append_found(const ProgramOptions& options, const std::string& found, Words& command) {
  const std::string in_word = found == std::string{kAnyWords} ? std::string{kAnyText} : found;
  bool in_place = false;
  for (const std::string_view name : {"-I", "-i", "--replace"}) {
    for (const ShellWord& value : options.values(name)) {
      const std::string place_holder = value.text.empty() ? "{}" : value.text;
      for (ShellWord& word : command) base::replace_all(word.text, place_holder, in_word);
      in_place = true;
    }
  }
  const bool counts = options.has("-n") || options.has("-L") || options.has("-l") ||
                      options.has("--max-args") || options.has("--max-lines");
  if (!in_place || counts) command.push_back({found});
}

// The origin of the programs that this one runs.
ProgramCall::Origin origin_by(std::string_view runner) {
  if (is_one_of(runner, {"npx", "bunx", "pnpx", "npm", "pnpm", "yarn", "uvx", "pipx"}))
    return ProgramCall::Origin::kPackage;
  const bool of_project = is_one_of(
      runner, {"bundle", "poetry", "pipenv", "uv", "pdm", "hatch", "rye", "conda", "coverage",
               "mamba", "micromamba", "stack", "cabal", "dune", "opam", "git"});
  return of_project ? ProgramCall::Origin::kProject : ProgramCall::Origin::kSystem;
}

// Whether the builtin changes the shell that runs it. A program of that name does not, and most
// systems have none.
bool changes_shell(std::string_view program) {
  return is_one_of(
      program, {"exit",  "logout",  "return", "eval",   "source",    ".",       "trap",  "cd",
                "pushd", "popd",    "chdir",  "export", "declare",   "typeset", "local", "readonly",
                "read",  "mapfile", "set",    "shopt",  "readarray", "getopts", "unset", "let"});
}

// Whether the program makes files whose names stand in its arguments without an ending, or in a
// patch.
bool makes_named_files(std::string_view program) {
  return is_one_of(program,
                   {"tar", "bsdtar", "unzip", "7z", "cpio", "gunzip", "gzip", "xz", "unxz", "zstd",
                    "unzstd", "bunzip2", "bzip2", "uncompress", "patch", "split", "csplit", "git"});
}

void judge_made_names(const ProgramCall& call) {
  const auto suspects = [&call](std::string_view path) {
    if (protection_of(path) == Protection::kProtected)
      call.verdict().suspect(DenyEntry::kProtectedWrite, false);
  };
  const bool patches = call.program == "patch" || (call.program == "git" && !call.words.empty() &&
                                                   is_one_of(call.words[0].text, {"apply", "am"}));
  if (patches && call.input != nullptr && call.input->kind == Flow::Kind::kText) {
    for (const std::string_view line : base::split_lines(call.input->text)) {
      for (const std::string_view begin : {"+++ ", "--- ", "rename to ", "copy to "}) {
        if (!line.starts_with(begin)) continue;
        const std::string_view path = line.substr(begin.size());
        suspects(path.substr(0, path.find('\t')));
      }
    }
  }
  if (call.program == "git") return;
  for (const ShellWord& word : call.words) {
    const std::string_view text = word.text;
    suspects(text);
    for (const std::string_view ending : {".gz", ".bz2", ".xz", ".zst", ".Z"}) {
      if (text.ends_with(ending)) suspects(text.substr(0, text.size() - ending.size()));
    }
  }
}

// Whether the program, although it is known, may run a command in its arguments.
bool may_run_commands(std::string_view program) {
  using Kind = ProgramRule::Kind;
  const ProgramRule* rule = rule_of(program);
  if (rule != nullptr) return rule->kind == Kind::kBuilds || rule->kind == Kind::kTakesGoals;
  return is_one_of(program, {"npm", "pnpm", "yarn", "yarnpkg", "uv", "poetry", "hatch", "pdm",
                             "rye", "pipenv", "conda", "mamba", "micromamba"});
}

// Whether the next word is a command for some programs.
bool precedes_command(std::string_view word) {
  return is_one_of(
      word, {"--", "exec", "run", "-x", "-c", "-e", "--exec", "--command", "--cmd", "--run"});
}

// Whether the word names a program whose commands may reach out.
bool names_publisher(std::string_view word) {
  return is_one_of(
      base_name(word),
      {"git",      "npm",        "pnpm",     "yarn",   "cargo", "twine",       "gem",
       "gh",       "docker",     "podman",   "poetry", "uv",    "sh",          "bash",
       "npx",      "bunx",       "pnpx",     "uvx",    "pipx",  "vercel",      "surge",
       "gh-pages", "ghp-import", "fastlane", "eas",    "hexo",  "localtunnel", "semantic-release",
       "changeset"});
}

// The module that python runs by -m, and its arguments.
Words module_of(std::string_view program, const Words& words) {
  if (!program.starts_with("python") && !program.starts_with("pypy")) return {};
  for (size_t i = 0; i < words.size() && words[i].text.starts_with('-'); ++i) {
    const auto rest = words.begin() + static_cast<long>(i) + 1;
    if (words[i].text == "-m") return {rest, words.end()};
    if (words[i].text.starts_with("-m")) {
      Words module{exact_word(std::string_view(words[i].text).substr(2))};
      module.insert(module.end(), rest, words.end());
      return module;
    }
    if (is_one_of(words[i].text, {"-W", "-X"})) ++i;
  }
  return {};
}

// Whether the program fetches packages to run them. They may be repositories: "npx a/b".
bool fetches_packages(std::string_view program) {
  return is_one_of(program, {"npx", "bunx", "pnpx", "npm", "pnpm", "yarn"});
}

}  // namespace

Flow CommandJudge::judge_words(const Words& words, const Flow& input) {
  if (!take_step() || ++depth_ > 18) {
    cannot_read();
    --depth_;
    return Flow::unknown();
  }
  Flow output = judge_argv(words, input);
  --depth_;
  return output;
}

// The name of the program that the word names; "" if it is unknown.
std::string CommandJudge::program_of(const ShellWord& word) {
  std::string text = word.text;
  const size_t maybe = text.find(kMaybeEnd);
  if (text[0] == kMaybeBegin && maybe != std::string::npos) {  // without it "/name" would be left
    const std::string rest = text.substr(maybe + 1);
    if (rest.rfind('/') == 0 || (rest.starts_with("/bin/") && rest.rfind('/') == 4))
      text = text.substr(1, maybe - 1) + rest;
  }
  const bool plain = std::all_of(text.begin(), text.end(), [](char c) {
    return static_cast<unsigned char>(c) < 0x80 && !is_mark(c) && c != ' ' && c != '\t' &&
           c != '\n';
  });
  if (!plain || text.empty() || text[0] == '=') return "";
  if (downloads_.hold(text)) suspect(DenyEntry::kPipeToShell, true);
  if (names_remote_code(text) || text.starts_with("npm:") || text.starts_with("jsr:")) {
    suspect(DenyEntry::kPipeToShell, true);
    return "";
  }
  if (text == "-" || text.starts_with("file:")) return "";
  if (text.find('/') == std::string::npos) {
    if (searches_elsewhere_ && effects_.count() > 0) cannot_read();
    return without_g(text);
  }
  const std::string_view folder = std::string_view(text).substr(0, text.rfind('/'));
  const bool standard =
      is_one_of(folder, {"/bin", "/usr/bin", "/usr/local/bin", "/sbin", "/usr/sbin",
                         "/usr/local/sbin", "/opt/homebrew/bin", "/snap/bin"});
  if (!standard) {
    const Whereabouts place = where();
    const Words none;
    const ShellWord file = exact_word(text);
    const std::string home = home_of(work_dir_);
    const bool of_tools = std::string_view(text).starts_with(home + "/.") &&
                          text.find("/bin/") != std::string::npos &&
                          text.find("..") == std::string::npos;
    const Place at = place_of(file, place);
    if (!of_tools && at != Place::kAllowed && at != Place::kMaybeProtected) cannot_read();
    judge_run_file(file, call("", none, place));
  }
  return without_g(std::string(base_name(text)));
}

// A function's arguments may hold the content of a file from outside, and none of its commands may
// send that. This holds from now on, because nobody knows when the function ends.
void CommandJudge::assign_private_arguments() {
  for (const char* name : {"1", "2", "3", "4", "5", "6", "7", "8", "9", "@", "*"}) {
    state_.assign(name, {kAnyText, kFromOutside});
  }
}

Flow CommandJudge::judge_argv(const Words& words, const Flow& input) {
  const ShellWord& first = words.front();
  const Words rest(words.begin() + 1, words.end());
  const bool apart = std::exchange(apart_, false) || first.text.find('/') != std::string::npos;
  if (first.downloaded) {
    suspect(DenyEntry::kPipeToShell, true);
    return Flow::unknown();
  }
  if (functions_.contains(first.text)) {
    if (prints_private("", rest, where())) assign_private_arguments();
    Flow output = judge_function(first.text, input);
    if (active_.empty() || active_.back() != first.text) {
      // Where the function is not defined, the words are a program's.
      const auto functions = std::exchange(functions_, {});
      const std::vector<Suspicion> found = harm_of(words);
      functions_ = functions;
      for (const Suspicion& harm : found) suspect(harm.entry, false);
      return output;
    }
  }
  const std::string program = program_of(first);
  if (program.empty() || (apart && changes_shell(program))) {
    cannot_read();
    return Flow::unknown();
  }
  if (const Wrapped wrapped = unwrap(program, rest); wrapped.kind != Wrapped::Kind::kNoWrapper) {
    return judge_wrapped(program, wrapped, rest, input);
  }
  if (is_shell(program)) return judge_shell(program, rest, input);
  if (std::optional<Flow> output = judge_builtin(program, rest, input)) return std::move(*output);
  const Whereabouts place = where();
  ProgramCall called = call(program, rest, place);
  const auto origin = std::exchange(origin_, ProgramCall::Origin::kSystem);
  const bool by_path = first.text.find('/') != std::string::npos;
  called.origin = by_path ? ProgramCall::Origin::kProject : origin;
  called.input = &input;
  judge_sent(called);
  const auto printed = [&] {
    Flow output = Flow::unknown().with_private_of(input);
    output.outside = output.outside || prints_private(program, rest, place);
    return output;
  };
  if (is_interpreter(program)) {
    if (std::any_of(rest.begin(), rest.end(),
                    [](const ShellWord& word) { return word.downloaded; }) ||
        downloads_.hold_any(rest)) {
      suspect(DenyEntry::kPipeToShell, true);
    }
    judge_interpreter(called, input);
    const Words module = module_of(program, rest);
    if (module.size() > 1 && module[0].text != "coverage" &&
        unwrap(module[0].text, {module.begin() + 1, module.end()}).kind !=
            Wrapped::Kind::kNoWrapper) {
      judge_words(module, input);
    }
    return printed();
  }
  if (program == "ssh") {
    judge_remote(rest, input);
    return printed();
  }
  if (makes_named_files(program)) judge_made_names(called);
  if (program == "find") judge_find_commands(rest);
  if (is_one_of(program, {"fd", "fdfind"})) judge_fd_command(rest);
  const bool known = judge_program(called);
  const bool may_run = !program.starts_with('-') && (!known || may_run_commands(program));
  if (may_run) judge_possible_commands(rest, known);
  if (is_one_of(program, {"tee", "cat"})) {
    for (const ShellWord& word : rest) {
      const std::optional<NamedPath> path = path_of(word, place);
      const std::string name = path && !path->unknown ? path->path : "";
      const bool known = input.kind == Flow::Kind::kText && exact_word(input.text).exact();
      if (program == "tee" && !word.text.starts_with("-") && !word.text.starts_with("/dev/")) {
        if (input.kind == Flow::Kind::kDownload) {
          downloads_.add(word.text);
          note_fetched(word, called);
        }
        effects_.written.add(name, input.text, known);
      } else if (!effects_.written.empty() && !downloads_.hold(word.text)) {
        const WrittenFiles::File* file = effects_.written.find(name);
        if (file != nullptr)
          return file->known && rest.size() == 1 ? Flow::of(file->text) : Flow::unknown();
      }
    }
  }
  Flow output = output_of(program, rest, input, place, downloads_);
  output.outside = output.outside || names_taken(rest, called);
  return output;
}

Flow CommandJudge::judge_function(const std::string& name, const Flow& input) {
  if (std::find(active_.begin(), active_.end(), name) != active_.end() || active_.size() > 10) {
    if (active_.size() > 10 || active_.back() != name) cannot_read();
    state_.dir.reset();
    state_.forget_variables();
    return Flow::unknown();
  }
  const std::shared_ptr<const ShellList> body = functions_[name];
  std::vector<ShellState> returns;
  auto* outer = std::exchange(returns_, &returns);
  std::vector<std::pair<std::string, std::string>> locals;
  auto* outer_locals = std::exchange(locals_, &locals);
  active_.push_back(name);
  const Flow printed = judge_list(*body, input);
  active_.pop_back();
  locals_ = outer_locals;
  returns_ = outer;
  for (const ShellState& at_return : returns) {
    state_ = ended_ ? at_return : ShellState::joined(state_, at_return);
    ended_ = false;
  }
  // Whether `local` was reached, and what was assigned before it, is not certain.
  for (const auto& [local, outside] : locals) {
    if (state_.value_of(local) != outside) state_.assign(local, {kAnyText});
  }
  failure_.reset();
  return Flow::unknown().with_private_of(printed);
}

Flow CommandJudge::judge_wrapped(std::string_view program, const Wrapped& wrapped,
                                 const Words& arguments, const Flow& input) {
  if (!wrapped.understood) cannot_read();
  const Whereabouts place = where();
  judge_targets(wrapped.targets, call(program, arguments, place));
  if (wrapped.kind == Wrapped::Kind::kCommand && arguments.size() >= wrapped.words.size()) {
    const Words own(arguments.begin(), arguments.end() - std::ssize(wrapped.words));
    judge_path_arguments(call(program, own, place),
                         "-a= --arg-file= -E= -e= -n=", PathScope::kOptions);
    for (const ShellWord& word : own) {
      const bool set = !word.text.starts_with('-') && word.text.find('=') != std::string::npos;
      if (!set && names_remote_code(word.text)) suspect(DenyEntry::kPipeToShell, true);
    }
    if (fetches_packages(program) && is_repository_name(wrapped.words[0].text))
      suspect(DenyEntry::kPipeToShell, false);
  }
  const ShellState start = state_;
  for (const ShellWord& folder : wrapped.folders) {
    const std::optional<NamedPath> named = path_of(folder, where());
    state_.dir = named && !named->unknown ? std::optional(named->path) : std::nullopt;
  }
  if (wrapped.clears) state_.forget_variables();
  for (const ShellWord& assignment : wrapped.assignments) {
    const size_t equals = assignment.text.find('=');
    const std::string_view name = std::string_view(assignment.text).substr(0, equals);
    const std::string_view value = std::string_view(assignment.text).substr(equals + 1);
    if (!is_name(name) || !is_harmless_export(name, value, where())) cannot_read();
    if (name == "PATH") searches_elsewhere_ = true;
    if (name == "HOME") moved_home_ = true;
  }
  if (wrapped.may_begin_later && wrapped.words.size() > 1) {
    judge_later_command({wrapped.words.begin() + 1, wrapped.words.end()});
  }
  apart_ = wrapped.kind == Wrapped::Kind::kCommand &&
           !is_one_of(program, {"command", "builtin", "time"});
  Flow output;
  switch (wrapped.kind) {
    case Wrapped::Kind::kScript:
      for (const ShellWord& script : wrapped.words) output = judge_code(script, input, true);
      break;
    case Wrapped::Kind::kCommand: {
      Words command = wrapped.words;
      if (wrapped.appends) {
        const std::string found = input.is_paths()         ? input.path()
                                  : input.is_process_ids() ? std::string{kSomeName}
                                                           : std::string{kAnyWords};
        const ProgramOptions options(arguments, kXargsOptions, true);
        const bool from_file = options.has("-a") || options.has("--arg-file");
        append_found(options, from_file ? std::string{kAnyWords} : found, command);
        const std::string_view name = base_name(command.front().text);
        if (input.kind == Flow::Kind::kDownload && is_shell(name)) {
          suspect(DenyEntry::kPipeToShell, true);
        }
        output = Flow::unknown().with_private_of(judge_words(command, {}));
        break;
      }
      const bool in_this_shell = is_one_of(program, {"command", "builtin", "time"});
      const auto functions = functions_;
      functions_.clear();  // a wrapper runs programs, not functions
      origin_ = origin_by(program);
      output = judge_words(command, input);
      functions_ = functions;
      if (in_this_shell) return output;
      break;
    }
    case Wrapped::Kind::kNothing:  // "sudo -s" reads commands
      if (program == "exec" && input.kind != Flow::Kind::kNone)
        cannot_read();  // the input changes for all commands that follow
      if (is_one_of(program,
                    {"sudo", "doas", "chroot", "unshare", "nsenter", "su", "runuser", "script"})) {
        output = judge_input(input);
      } else if (program == "xargs" || program == "env") {
        output = Flow::unknown().with_private_of(input);
        output.outside = output.outside || program == "env";  // it prints the environment
      }
      break;
    case Wrapped::Kind::kNoWrapper:
      break;
  }
  state_ = start;
  failure_.reset();
  return output;
}

// What the command would be suspected of if it ran. It leaves no trace, and parts of it that cannot
// be read do not count.
std::vector<Suspicion> CommandJudge::harm_of(const Words& command) {
  Effects before = effects_;
  const ShellState start = state_;
  const auto failure = failure_;
  const auto functions = functions_;
  const Downloads downloads = downloads_;
  const auto traps = traps_;
  const bool elsewhere = searches_elsewhere_;
  const bool moved = moved_home_;
  functions_.clear();
  effects_.verdict.found.clear();
  judge_words(command, Flow::unknown());
  std::vector<Suspicion> found = std::move(effects_.verdict.found);
  moved_home_ = moved;
  searches_elsewhere_ = elsewhere;
  traps_ = traps;
  downloads_ = downloads;
  functions_ = functions;
  failure_ = failure;
  state_ = start;
  ended_ = false;
  effects_ = std::move(before);
  return found;
}

// "strace -P ls rm -rf x": if an option may take the next word as its value, the command may begin
// one word later. Whether it does is unknown.
void CommandJudge::judge_later_command(const Words& words) {
  for (const Suspicion& harm : harm_of(words)) {
    cannot_read();
    suspect(harm.entry, false);
  }
}

// Judges the arguments of a program that may run commands, as if they were commands: texts with
// blanks, and the words behind "--", "exec" and the like, or from the name of a program on. Whether
// they are is unknown, so the user is asked if they would do harm. `known`: the program is a build
// program or the like, most of whose texts are names of tests and settings.
void CommandJudge::judge_possible_commands(const Words& words, bool known) {
  constexpr size_t kMost = 32;
  size_t guesses = 0;
  const auto guess = [&](const Words& command, bool only_certain) {
    if (++guesses > kMost) return;
    const bool guessed = std::exchange(guessed_, true);
    const std::vector<Suspicion> found = harm_of(command);
    guessed_ = guessed;
    for (const Suspicion& harm : found) {
      if (only_certain && !harm.certain) continue;
      cannot_read();
      suspect(harm.entry, guessed && harm.certain);  // a guess in a guess keeps its certainty
    }
  };
  const bool in_text = guessed_;
  for (size_t i = 0; i < words.size() && guesses <= kMost && steps_ <= kMaxSteps; ++i) {
    ShellWord text{words[i].text};
    const size_t equals = text.text.find_first_of("= \t\n");
    if (equals != std::string::npos && text.text[equals] == '=') text.text.erase(0, equals + 1);
    if (text.text.find_first_of(" \t\n") != std::string::npos)
      guess({exact_word("eval"), text}, known || in_text);
    const bool precedes = precedes_command(words[i].text) && i + 1 < words.size();
    const long begin = static_cast<long>(i) + (precedes ? 1 : 0);
    if (precedes || names_publisher(words[i].text))
      guess({words.begin() + begin, words.end()}, in_text);
  }
  if (steps_ > kMaxSteps || guesses > kMost) cannot_read();
}

// Judges fd PATTERN -x COMMAND. The found files of a command that changes them may be protected.
void CommandJudge::judge_fd_command(const Words& words) {
  for (size_t i = 0; i < words.size(); ++i) {
    const std::string& text = words[i].text;
    const size_t equals = text.find('=');
    if (!is_one_of(text.substr(0, equals), {"-x", "-X", "--exec", "--exec-batch"})) continue;
    Words command;
    if (equals != std::string::npos) command.push_back(exact_word(text.substr(equals + 1)));
    for (++i; i < words.size() && words[i].text != ";"; ++i) command.push_back(words[i]);
    if (command.empty()) return cannot_read();
    const bool changes = is_one_of(
        base_name(command[0].text),
        {"sed", "cp", "mv", "ln", "install", "tee", "dd", "perl", "truncate", "rm", "chmod"});
    const std::string found{changes ? kAnyText : kPathBelow};
    bool placed = false;
    for (ShellWord& word : command) {
      for (const std::string_view place : {"{}", "{.}", "{/}", "{//}", "{/.}"}) {
        placed = placed || word.text.find(place) != std::string::npos;
        base::replace_all(word.text, place, found);
      }
    }
    if (!placed) command.push_back({found});
    judge_words(command, {});
  }
}

// Judges sh -c TEXT, sh FILE and sh < INPUT.
Flow CommandJudge::judge_shell(std::string_view program, const Words& words, const Flow& input) {
  if (!is_known_shell(program)) cannot_read();
  bool reads_input = false;
  for (size_t i = 0; i < words.size(); ++i) {
    const std::string& text = words[i].text;
    if (words[i].unknown()) {
      cannot_read();
      return Flow::unknown();
    }
    if (text.starts_with("--") && text.size() > 2) {
      if (!is_one_of(text, {"--login", "--norc", "--noprofile", "--posix", "--verbose", "--version",
                            "--help"})) {
        cannot_read();
      }
      if (is_one_of(text, {"--version", "--help"})) return {};
      continue;
    }
    const bool option = text.size() > 1 && (text[0] == '-' || text[0] == '+') && text != "--";
    if (option) {
      const std::string_view letters = std::string_view(text).substr(1);
      if (letters.find_first_of("iOkB") != std::string_view::npos) cannot_read();
      if (letters.find('s') != std::string_view::npos) reads_input = true;
      if (letters.find('o') != std::string_view::npos) ++i;
      if (letters.find('c') == std::string_view::npos || text[0] == '+') continue;
      size_t code = i + 1;
      while (code < words.size() && words[code].text.size() > 1 &&
             (words[code].text[0] == '-' || words[code].text[0] == '+')) {
        if (words[code].text.find_first_of("iOkBo") != std::string::npos) cannot_read();
        ++code;
      }
      if (code >= words.size()) break;
      return judge_code(words[code], input, true);
    }
    if (text == "--") continue;
    if (text == "-" || text == "/dev/stdin" || text == "/proc/self/fd/0" || text == "/dev/fd/0" ||
        reads_input) {
      break;
    }
    if (program == "su") continue;
    if (downloads_.hold(text) || words[i].downloaded) {
      suspect(DenyEntry::kPipeToShell, true);
      return Flow::unknown();
    }
    const std::optional<NamedPath> path = path_of(words[i], where());
    const WrittenFiles::File* file =
        path && !effects_.written.empty() ? effects_.written.find(path->path) : nullptr;
    if (file != nullptr && file->known && !words[i].process) {
      const std::string code = file->text;
      return judge_code(exact_word(code), input, true);
    }
    const Whereabouts place = where();
    const ProgramCall called = call(program, words, place);
    judge_folder(exact_word("."), called);
    if (place_of(words[i], place) == Place::kOutside && !words[i].process) cannot_read();
    judge_run_file(words[i], called);
    const Words rest(words.begin() + static_cast<long>(i) + 1, words.end());
    judge_path_arguments(call(program, rest, place), "", PathScope::kStrange);
    return Flow::unknown();
  }
  return judge_input(input);
}

// Judges the text of a script. `apart`: another shell runs it, which knows only exported variables.
Flow CommandJudge::judge_code(const ShellWord& code, const Flow& input, bool apart) {
  if (code.downloaded) suspect(DenyEntry::kPipeToShell, true);
  if (!code.exact()) {
    cannot_read();
    if (!apart) {
      state_.dir.reset();
      state_.forget_variables();
    }
    // The known parts of the text may still be denied.
    std::string text = code.text;
    std::replace_if(text.begin(), text.end(), is_mark, '_');
    if (depth_ < 8) {
      const ShellState start = state_;
      judge_text(text, input);
      state_ = start;
      ended_ = false;
    }
    return Flow::unknown();
  }
  if (!apart) return judge_text(code.text, input);
  const ShellState start = state_;
  state_.forget_variables();
  state_.assign("HOME", home_of(work_dir_));
  if (state_.dir) state_.assign("PWD", *state_.dir);
  if (start.value_of("HOME") || moved_home_) state_.forget_variables();
  state_.stops_at_errors = false;
  Flow output = judge_text(code.text, input);
  state_ = start;
  ended_ = false;
  failure_.reset();
  return output;
}

// Judges a shell that reads its commands from its input.
Flow CommandJudge::judge_input(const Flow& input) {
  switch (input.kind) {
    case Flow::Kind::kText:
      return judge_code(exact_word(input.text), Flow::unknown(), true);
    case Flow::Kind::kDownload:
      suspect(DenyEntry::kPipeToShell, true);
      break;
    case Flow::Kind::kUnknown:
      suspect(DenyEntry::kPipeToShell, false);
      break;
    case Flow::Kind::kFile: {
      const Words none;
      const Whereabouts place = where();
      if (!input.text.empty()) judge_run_file({input.text}, call("", none, place));
      break;
    }
    case Flow::Kind::kNone:
      break;
  }
  return Flow::unknown();
}

// Judges ssh HOST COMMAND. Paths in the command belong to another machine.
void CommandJudge::judge_remote(const Words& words, const Flow& input) {
  const ProgramOptions options(
      words,
      "-b= -c= -D= -e= -i= -I= -J= -l= -L= -m= -p= -Q= -R! -w! -W= -o= -F! "
      "-E> -S! -O!",
      /*stops=*/true);
  if (!options.understood() || options.may_be_any()) cannot_read();
  const Whereabouts place = where();
  judge_targets(options.values_of_kind('>'), call("ssh", words, place));
  for (const ShellWord& option : options.values("-o")) {
    const bool plain = option.exact() && (option.text.starts_with("StrictHostKeyChecking") ||
                                          option.text.starts_with("ConnectTimeout") ||
                                          option.text.starts_with("BatchMode") ||
                                          option.text.starts_with("LogLevel"));
    if (!plain) cannot_read();
  }
  Words command = options.operands();
  if (!command.empty()) command.erase(command.begin());  // the host
  if (!command.empty() && command[0].text == "--") command.erase(command.begin());
  if (command.empty()) {
    if (input.kind == Flow::Kind::kFile) cannot_read();  // another machine runs the script
    if (input.kind != Flow::Kind::kNone) judge_input(input);
    return;
  }
  const std::string text = text_of(command);
  if (std::any_of(text.begin(), text.end(), is_mark)) cannot_read();
  if (depth_ > 4) return cannot_read();
  CommandJudge remote("/nowhere/remote");
  remote.state_.dir.reset();
  remote.depth_ = depth_ + 1;
  remote.judge_text(exact_word(text).exact() ? text : "?", input);
  if (!remote.verdict().readable) cannot_read();
  for (const Suspicion& suspicion : remote.verdict().found) {
    const bool certain = suspicion.certain && suspicion.entry != DenyEntry::kOutsideWrite;
    suspect(suspicion.entry, certain);
  }
}

}  // namespace orch::policy
