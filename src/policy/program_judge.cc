#include "policy/program_judge.h"

#include <algorithm>
#include <optional>

#include "policy/command_flow.h"
#include "policy/program_options.h"
#include "policy/program_rules.h"

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
                             ".err", ".dot", ".gz",    ".tgz",   ".zip"}) ||
         name == "CMakeLists.txt" || name == "requirements.txt";
}

bool only_asks(const Words& words) {
  return words.size() == 1 && is_one_of(words[0].text, {"--version", "--help", "-V", "-h", "-v",
                                                        "version", "help", "-version", "-help"});
}

// A path that a program may take to be outside of the work directory.
bool leads_out(const ShellWord& word, const ProgramCall& call) {
  std::string_view text = word.text;
  const size_t equals = text.find('=');
  if (text.starts_with('-') && equals != std::string_view::npos) text.remove_prefix(equals + 1);
  if (!text.starts_with('/') && text.find("..") == std::string_view::npos) return false;
  if (text.find("://") != std::string_view::npos) return false;
  if (text.find("...") != std::string_view::npos && !text.starts_with('/')) return false;
  const Place place = place_of(exact_word(text), call.where);
  return place != Place::kAllowed;
}

// A program that is not known may be the project's own. It must not be told anything that looks
// like a command or a path that leads out.
void judge_stranger(const ProgramCall& call) {
  judge_build(call);
  const auto suspicious = [&call](const ShellWord& word) {
    const std::string_view name = base_name(word.text);
    const bool command =
        is_one_of(name, {"rm",     "sh",    "bash",  "dash",   "zsh",     "ksh",     "dd",
                         "shred",  "chmod", "chown", "mv",     "cp",      "tee",     "truncate",
                         "unlink", "sudo",  "perl",  "python", "python3", "busybox", "eval",
                         "exec",   "mkfs",  "rmdir", "ln"});
    const bool code = word.text.find_first_of(" \t\n") != std::string::npos &&
                      word.text.find_first_of(";|&`$()/") != std::string::npos;
    return command || code || word.text.find(kAnyWords) != std::string::npos;
  };
  const auto runs = [](const ShellWord& word) {
    const std::string_view name = std::string_view(word.text).substr(0, word.text.find('='));
    return is_one_of(name, {"--exec", "--execute", "--command", "--cmd", "--eval", "--shell",
                            "--run-command", "--pre", "--post", "--hook", "-exec", "--script"});
  };
  for (const ShellWord& word : call.words) {
    if (suspicious(word) || runs(word)) call.verdict().cannot_read();
    if (leads_out(word, call)) call.verdict().suspect(DenyEntry::kOutsideWrite, false);
  }
}

void judge_by_rule(const ProgramRule& rule, const ProgramCall& call) {
  using Kind = ProgramRule::Kind;
  const ProgramOptions options(call.words, rule.options, /*stops=*/call.program == "printf");
  if (!options.understood()) call.verdict().cannot_read();
  const bool matters = rule.options.find_first_of(">@!") != std::string_view::npos;
  if (options.may_be_any() && matters) call.verdict().cannot_read();
  judge_targets(options.values_of_kind('>'), call);
  for (const ShellWord& folder : options.values_of_kind('@')) judge_folder(folder, call);
  const Words& operands = options.operands();
  switch (rule.kind) {
    case Kind::kReads:
      return;
    case Kind::kWritesAll:
      return judge_targets(operands, call);
    case Kind::kWritesLast:
      if (!operands.empty()) judge_target(operands.back(), call);
      return;
    case Kind::kWritesSecond:
      for (size_t i = 1; i < operands.size(); ++i) judge_target(operands[i], call);
      return;
    case Kind::kBuilds:
      // "make install" writes where the project says, which is seldom below it.
      for (const ShellWord& operand : operands) {
        const bool installs = is_one_of(operand.text, {"install", "uninstall"}) &&
                              is_one_of(call.program, {"make", "gmake", "ninja", "meson", "just"});
        if (installs) call.verdict().suspect(DenyEntry::kOutsideWrite, false);
      }
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
    files_.back() = {"", "", false};  // stands for all of them
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
  if (target.process) return;  // a command's input
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
  if (call.effects.written.hold_code()) call.verdict().cannot_read();
}

void judge_program(const ProgramCall& call) {
  if (call.effects.written.hold_option()) {
    for (const ShellWord& word : call.words) {
      if (!word.text.empty() && is_mark(word.text[0])) call.verdict().cannot_read();
    }
  }
  if (only_asks(call.words)) return;
  if (judge_file_program(call) || judge_git(call) || judge_publisher(call) ||
      judge_code_program(call) || judge_system_program(call)) {
    return;
  }
  const ProgramRule* rule = rule_of(call.program);
  rule != nullptr ? judge_by_rule(*rule, call) : judge_stranger(call);
}

}  // namespace orch::policy
