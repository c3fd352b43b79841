#include "policy/program_judge.h"

#include <algorithm>
#include <optional>

#include "base/ascii.h"
#include "policy/command_flow.h"
#include "policy/environment.h"
#include "policy/path_arguments.h"
#include "policy/program_options.h"
#include "policy/program_rules.h"
#include "policy/publishing_words.h"
#include "policy/reaching_out.h"

namespace orch::policy {
namespace {

using Words = std::vector<ShellWord>;

constexpr size_t kMaxWritten = 64;

bool is_code(std::string_view path) {
  const std::string_view name = base_name(path);
  const size_t dot = name.rfind('.');
  const std::string_view ending = dot == std::string_view::npos ? name : name.substr(dot);
  return std::any_of(path.begin(), path.end(), is_mark) ||
         !is_one_of(ending, {"log",  "out",  "output", "result", "results", ".txt", ".log",
                             ".md",  ".out", ".csv",   ".html",  ".css",    ".png", ".svg",
                             ".xml", ".tmp", ".bak",   ".diff",  ".patch",  ".rst", ".lst",
                             ".err", ".dot", ".pid",   ".gz",    ".tgz",    ".zip"}) ||
         is_one_of(name, {"CMakeLists.txt", "requirements.txt", "pom.xml", "build.xml"});
}

bool only_asks(std::string_view program, const Words& words) {
  const bool makes_version = is_one_of(program, {"semantic-release", "lerna"});
  if (makes_version && words.size() == 1 && words[0].text == "version") return false;
  if (is_one_of(program, {"shutdown", "halt", "poweroff", "reboot", "init", "telinit",
                          "fullrelease", "release-it"})) {
    return words.size() == 1 && is_one_of(words[0].text, {"--version", "--help"});
  }
  return words.size() == 1 && is_one_of(words[0].text, {"--version", "--help", "-V", "-h", "-v",
                                                        "version", "help", "-version", "-help"});
}

// Whether a build program reads its instructions from its input or from a file of the same command:
// "make -f -".
bool is_told_by_input(const ProgramCall& call) {
  if (std::any_of(call.words.begin(), call.words.end(), names_input)) return true;
  const ProgramOptions options(call.words, "-f= --file= --makefile=");
  for (const std::string_view name : {"-f", "--file", "--makefile"}) {
    for (const ShellWord& file : options.values(name)) {
      const std::optional<NamedPath> named = path_of(file, call.where);
      const bool written = named && !call.effects.written.empty() &&
                           call.effects.written.find(named->path) != nullptr;
      if (file.text == "-" || place_of(file, call.where) != Place::kAllowed || written) return true;
    }
  }
  return false;
}

// Whether a setting like "CC=gcc" is harmless; its value becomes a part of command lines.
bool is_plain_setting(std::string_view text, const Whereabouts& where) {
  const size_t equals = text.find('=');
  if (equals == std::string_view::npos || text.starts_with('-')) return true;
  const std::string_view name = text.substr(0, text.find_first_of("!+:?="));
  const std::string_view value = text.substr(equals + 1);
  const bool plain = std::all_of(value.begin(), value.end(), [](char c) {
    return base::is_letter_or_digit(c) || c == kDigits || c == kSomeName ||
           std::string_view("_-+./,:=%@ ").find(c) != std::string_view::npos;
  });
  const bool runs = text[equals - (equals > 0 ? 1 : 0)] == '!' || name.starts_with('.') ||
                    is_one_of(name, {"MAKE", "MAKEFLAGS", "MAKEFILES", "RM", "INSTALL"});
  return plain && !runs && is_harmless_variable(name, value, where);
}

// Whether the word is, or begins with, the name of a program that can change any file.
bool is_dangerous_name(std::string_view word) {
  return is_one_of(
      base_name(word.substr(0, word.find_first_of(" \t"))),
      {"rm",   "sh",   "bash", "dash",     "zsh",    "ksh",  "dd",   "shred",  "chmod",   "chown",
       "mv",   "cp",   "tee",  "truncate", "unlink", "sudo", "perl", "python", "python3", "busybox",
       "eval", "exec", "mkfs", "rmdir",    "ln",     "env",  "find", "xargs"});
}

void judge_settings(const ProgramCall& call) {
  for (const ShellWord& word : call.words) {
    const size_t equals = word.text.find('=');
    const bool names_program = equals != std::string::npos && !word.text.starts_with('-') &&
                               is_dangerous_name(std::string_view(word.text).substr(equals + 1));
    const bool expands = word.text.find("${") != std::string::npos ||
                         word.text.find("$(") != std::string::npos ||
                         word.text.find('`') != std::string::npos;
    if (names_program || expands || !is_plain_setting(word.text, call.where))
      call.verdict().cannot_read();
  }
}

// Judges an unknown program, which may be the project's own. Its arguments must not look like a
// command or like a path that leads out.
void judge_stranger(const ProgramCall& call) {
  judge_build(call);
  const auto suspicious = [](const ShellWord& word) {
    const bool command = is_dangerous_name(word.text);
    const bool code = word.text.find_first_of(" \t\n") != std::string::npos &&
                      word.text.find_first_of(";|&`$()/") != std::string::npos;
    return command || code || word.text.find(kAnyWords) != std::string::npos;
  };
  const auto runs = [](const ShellWord& word) {
    const std::string_view name = std::string_view(word.text).substr(0, word.text.find('='));
    return is_one_of(name, {"--exec", "--execute", "--command", "--cmd", "--eval", "--shell",
                            "--run-command", "--pre", "--post", "--hook", "-exec", "--script"});
  };
  // "x pub${y}lish", but not "x $file"
  const bool verb = !call.words.empty() && base::is_small(call.words[0].text[0]);
  if (verb && !is_known_verb(call.words[0])) call.verdict().cannot_read();
  for (const ShellWord& word : call.words) {
    if (suspicious(word) || runs(word) || frees_agent(word.text)) call.verdict().cannot_read();
  }
  if (std::any_of(call.words.begin(), call.words.end(), names_input)) call.verdict().cannot_read();
  judge_settings(call);
  judge_path_arguments(call, "", PathScope::kStrange);
  if (call.origin != ProgramCall::Origin::kProject) judge_handing_over(call);
}

// Judges a compiler; the file of an argument "@file" holds more arguments.
void judge_compiler(const ProgramCall& call, const ProgramOptions& options) {
  for (const ShellWord& word : call.words) {
    const bool response = word.text.starts_with('@') && !call.effects.written.empty();
    const bool loads = word.text.find("plugin") != std::string::npos ||
                       word.text.find("wrapper") != std::string::npos ||
                       word.text.find("-specs") != std::string::npos;
    if (response || (loads && word.text.starts_with('-'))) call.verdict().cannot_read();
  }
  const auto reads_input = [](const ShellWord& word) {
    return word.text == "-" || names_input(word);
  };
  // If it compiles text from its input, the result is code that the command wrote.
  const bool none = options.operands().empty() && call.program == "as";
  if (none || std::any_of(options.operands().begin(), options.operands().end(), reads_input)) {
    call.effects.written.add("", "", false);
  }
}

// Notes named pipes: another command may write anything to them.
void note_pipes(const Words& pipes, const ProgramCall& call) {
  for (const ShellWord& pipe : pipes) {
    const std::optional<NamedPath> named = path_of(pipe, call.where);
    call.effects.written.add(named ? named->path : "", "", false);
  }
}

// Whether the word is a verb that makes a program take code from somewhere.
bool fetches(std::string_view verb) {
  return is_one_of(verb, {"add", "install", "create", "clone", "checkout", "init", "get", "new",
                          "require", "plugin", "try-repo", "create-project", "tool", "import",
                          "activate"}) ||
         verb.ends_with(".install");
}

// "go run host/module@version" fetches the module and runs it.
bool runs_module(const ProgramCall& call) {
  const Words& words = call.words;
  if (call.program != "go" || words.empty() || !is_one_of(words[0].text, {"run", "install"}))
    return false;
  return std::any_of(words.begin() + 1, words.end(), [](const ShellWord& word) {
    const size_t at = word.text.find('@');
    return at != std::string::npos && word.text.find('/') < at && !word.text.starts_with('-');
  });
}

// Whether the value of an option of this name says where code is: "--repository", "-Drepo.url".
bool asks_for_code(std::string_view option) {
  const std::string name = base::lower(option);
  for (const std::string_view part : {"repo", "registry", "index", "source", "mirror", "package",
                                      "plugin", "file", "script", "config", "module"}) {
    if (name.find(part) != std::string::npos) return true;
  }
  return false;
}

// A build program may test a server at an address. The address is only suspicious if it is one of
// code, or if a verb or an option makes the program take code from there.
void judge_code_from_elsewhere(const ProgramCall& call) {
  if (runs_module(call)) call.verdict().suspect(DenyEntry::kPipeToShell, true);
  const bool takes = std::any_of(call.words.begin(), call.words.end(),
                                 [](const ShellWord& word) { return fetches(word.text); });
  std::string_view option;
  for (const ShellWord& word : call.words) {
    if (word.text == "--") return;  // the rest is the project's
    const std::string_view text = word.text;
    const bool named = text.starts_with('-');
    if (named) option = text.substr(0, text.find('='));
    const bool asks = takes || (!option.empty() && asks_for_code(option));
    if (!named) option = {};
    const bool code = asks ? names_remote_code(word.text) : names_certain_code(word.text);
    if (code) call.verdict().suspect(DenyEntry::kPipeToShell, false);
  }
}

// Whether an argument names a file that the command itself has written, whatever its ending.
bool names_written(const ProgramCall& call) {
  if (call.effects.written.empty()) return false;
  return std::any_of(call.words.begin(), call.words.end(), [&call](const ShellWord& word) {
    const ShellWord file = exact_word(std::string_view(word.text).substr(word.text.find('=') + 1));
    const std::optional<NamedPath> named = path_of(file, call.where);
    const WrittenFiles::File* found =
        named && !named->unknown ? call.effects.written.find(named->path) : nullptr;
    return found != nullptr && found->path == named->path;
  });
}

void judge_by_rule(const ProgramRule& rule, const ProgramCall& call) {
  using Kind = ProgramRule::Kind;
  const ProgramOptions options(call.words, rule.options, /*stops=*/call.program == "printf");
  if (!options.understood()) call.verdict().cannot_read();
  const bool matters = rule.options.find_first_of(">@!") != std::string_view::npos;
  if (rule.options.find(" +!") != std::string_view::npos) {  // "less +!command"
    for (const ShellWord& word : call.words) {
      if (word.text.starts_with('+')) call.verdict().cannot_read();
    }
  }
  if (options.may_be_any() && matters) call.verdict().cannot_read();
  judge_targets(options.values_of_kind('>'), call);
  for (const ShellWord& folder : options.values_of_kind('@')) judge_folder(folder, call);
  const Words& operands = options.operands();
  const bool pure = rule.kind == Kind::kReads && !matters;
  const bool builds = rule.kind == Kind::kBuilds || rule.kind == Kind::kTakesGoals;
  const bool all = builds || rule.kind == Kind::kCompiles;
  if (!pure) {
    // One rule stands for many build programs, whose option letters differ.
    judge_path_arguments(call, builds ? std::string_view() : rule.options,
                         all ? PathScope::kAll : PathScope::kOptions);
  }
  if (!pure && !all) {
    note_copies(options.values_of_kind('>'), call);
    note_written(options.values_of_kind('>'), call);
  }
  switch (rule.kind) {
    case Kind::kReads:
      return;
    case Kind::kCompiles:
      return judge_compiler(call, options);
    case Kind::kWritesAll:
      if (is_one_of(call.program, {"mkfifo", "mknod"})) note_pipes(operands, call);
      return judge_targets(operands, call);
    case Kind::kEmptiesAll:
      for (const ShellWord& operand : operands) judge_lost(operand, call);
      return;
    case Kind::kWritesLast:
      if (!operands.empty()) judge_target(operands.back(), call);
      return note_copies(operands, call);
    case Kind::kWritesSecond:
      note_copies(operands, call);
      // split makes up the names of its files.
      if (call.program == "split") call.effects.written.add("", "", false);
      for (size_t i = 1; i < operands.size(); ++i) judge_target(operands[i], call);
      return note_written(
          {operands.begin() + std::min<long>(1, std::ssize(operands)), operands.end()}, call);
    case Kind::kBuilds:
    case Kind::kTakesGoals:
      // "make install" writes to the project's choice of places, mostly outside of the project.
      for (const ShellWord& operand : operands) {
        const bool of_project = operand.text == "uninstall" || operand.text == "install";
        const bool installs = of_project && is_one_of(call.program, {"make", "gmake", "ninja",
                                                                     "meson", "just", "go"});
        if (installs) call.verdict().suspect(DenyEntry::kOutsideWrite, false);
      }
      if (is_told_by_input(call) || names_written(call)) call.verdict().cannot_read();
      judge_code_from_elsewhere(call);
      judge_settings(call);
      return judge_build(call);
    case Kind::kOpaque:
      return call.verdict().cannot_read();
  }
}

}  // namespace

void WrittenFiles::add(std::string path, std::string text, bool known) {
  code_ = code_ || is_code(path);
  note_name(path);
  if (files_.size() >= kMaxWritten) {
    files_.back() = {"", "", false};  // an empty path stands for any file
    return;
  }
  files_.push_back({std::move(path), std::move(text), known});
}

void WrittenFiles::note_name(std::string_view path) {
  option_ = option_ || base_name(path).starts_with('-');
}

const WrittenFiles::File* WrittenFiles::find(std::string_view path) const {
  const bool marked = std::any_of(path.begin(), path.end(), is_mark);
  const auto found = std::find_if(files_.rbegin(), files_.rend(), [&](const File& file) {
    return file.path == path || file.path.empty() || marked ||
           std::any_of(file.path.begin(), file.path.end(), is_mark);
  });
  return found == files_.rend() ? nullptr : &*found;
}

void judge_target(const ShellWord& target, const ProgramCall& call) {
  if (target.process) return;  // the input of a command: >(...)
  if (target.text.starts_with('|') || target.text.starts_with('!')) call.verdict().cannot_read();
  call.effects.written.note_name(target.text);
  switch (place_of(target, call.where)) {
    case Place::kAllowed:
      return;
    case Place::kProtected:
      return call.verdict().suspect(DenyEntry::kProtectedWrite, true);
    case Place::kMaybeProtected:
      return call.verdict().suspect(DenyEntry::kProtectedWrite, false);
    case Place::kOutside:
      return call.verdict().suspect(DenyEntry::kOutsideWrite, true);
    case Place::kDisk:
      return call.verdict().suspect(DenyEntry::kDisk, true);
    case Place::kUnknown:
      return call.verdict().suspect(DenyEntry::kOutsideWrite, false);
  }
}

void judge_targets(const Words& targets, const ProgramCall& call) {
  for (const ShellWord& target : targets) judge_target(target, call);
}

void judge_lost(const ShellWord& file, const ProgramCall& call) {
  const std::optional<NamedPath> named = path_of(file, call.where);
  if (named && named->contents) judge_roots(file, call, DenyEntry::kRemoveRoot);
  judge_target(file, call);
}

void note_copies(const Words& files, const ProgramCall& call) {
  for (const ShellWord& file : files) {
    const std::optional<NamedPath> named = path_of(file, call.where);
    if (named) call.effects.copied.push_back(named->path);
  }
  if (call.effects.copied.size() > 256) call.verdict().cannot_read();
}

void judge_folder(const ShellWord& folder, const ProgramCall& call) {
  if (place_of(folder, call.where) == Place::kAllowed) return;
  call.verdict().suspect(DenyEntry::kOutsideWrite, false);
}

void judge_roots(const ShellWord& word, const ProgramCall& call, DenyEntry entry) {
  const std::optional<NamedPath> named = path_of(word, call.where);
  if (word.text.empty()) return;
  const std::string_view work_dir = call.where.work_dir;
  const bool root = named && is_root(named->path, work_dir);
  if (!named || (named->unknown && root)) {
    call.verdict().suspect(entry, false);
  } else if (root) {
    call.verdict().suspect(entry, named->exact);
  }
}

void judge_build(const ProgramCall& call) {
  judge_folder(exact_word("."), call);
  const bool runs_fetched =
      std::any_of(call.words.begin(), call.words.end(),
                  [&call](const ShellWord& word) { return names_fetched(word, call); });
  if (call.effects.written.hold_code() || runs_fetched) call.verdict().cannot_read();
}

void note_written(const Words& files, const ProgramCall& call) {
  for (const ShellWord& file : files) {
    const std::optional<NamedPath> named = path_of(file, call.where);
    call.effects.written.add(named && !named->unknown ? named->path : "", "", false);
  }
}

bool judge_program(const ProgramCall& call) {
  if (call.effects.written.hold_option()) {
    for (const ShellWord& word : call.words) {
      if (!word.text.empty() && is_mark(word.text[0])) call.verdict().cannot_read();
    }
  }
  if (only_asks(call.program, call.words)) return true;
  judge_words_of_publishers(call);
  if (judge_file_program(call) || judge_permission_program(call) || judge_git(call) ||
      judge_publisher(call) || judge_code_program(call) || judge_system_program(call)) {
    return true;
  }
  const ProgramRule* rule = rule_of(call.program);
  if (rule != nullptr) {
    judge_by_rule(*rule, call);
  } else if (!call.guessed) {
    judge_stranger(call);
  }
  return rule != nullptr;
}

}  // namespace orch::policy
