// Judges programs that change the permissions and owners of files.

#include <algorithm>
#include <optional>

#include "policy/path_arguments.h"
#include "policy/program_judge.h"
#include "policy/program_options.h"

namespace orch::policy {
namespace {

// The effect of a mode on the permissions of the owner.
struct ModeEffect {
  bool only_adds = true;        // it takes no permission away
  bool takes_reading = false;   // the owner can no longer read files
  bool takes_entering = false;  // the owner can no longer search folders or make files in them
};

ModeEffect effect_of_mode(std::string_view mode) {
  ModeEffect effect;
  for (size_t begin = 0; begin <= mode.size();) {
    const size_t end = std::min(mode.find(',', begin), mode.size());
    const std::string_view clause = mode.substr(begin, end - begin);
    begin = end + 1;
    const size_t op = std::min(clause.find_first_of("+-="), clause.size());
    const std::string_view who = clause.substr(0, op);
    const bool octal = op == clause.size() || is_number(clause.substr(op + 1));
    const char kind = op == clause.size() ? '=' : clause[op];
    std::string_view given = clause.substr(octal && op == clause.size() ? 0 : op + 1);
    effect.only_adds = effect.only_adds && kind == '+';
    const bool of_owner = octal || who.empty() || who.find_first_of("ua") != std::string_view::npos;
    if (kind == '+' || !of_owner) continue;
    const char owner = given.size() > 2 ? given[given.size() - 3] : '0';
    const int bits = octal && owner >= '0' && owner <= '7' ? owner - '0' : 0;
    const bool names_reading = octal ? (bits & 4) != 0 : given.find('r') != std::string_view::npos;
    const bool names_searching =
        octal ? (bits & 1) != 0 : given.find_first_of("xX") != std::string_view::npos;
    const bool names_writing = octal ? (bits & 2) != 0 : given.find('w') != std::string_view::npos;
    // "u-r" takes away the permissions that it names, "u=r" all others.
    effect.takes_reading = effect.takes_reading || names_reading == (kind == '-');
    const bool takes = kind == '-';
    effect.takes_entering =
        effect.takes_entering || names_searching == takes || names_writing == takes;
  }
  return effect;
}

// Whether the mode locks the owner out of the named root, or out of all files in it.
bool locks_out(const ModeEffect& effect, const NamedPath& named) {
  return effect.takes_reading || (effect.takes_entering && !named.contents);
}

// Judges setfacl. An access list may take the same permissions away from the owner as a mode.
void judge_access_list(const ProgramCall& call) {
  const ProgramOptions options(
      call.words, "-m= -x= -M= -X= --modify= --remove= --modify-file= --remove-file= --restore!");
  if (!options.understood() || options.may_be_any()) call.verdict().cannot_read();
  judge_path_arguments(call, "-m= -x= -M= -X= --modify= --remove=", PathScope::kOptions);
  for (const ShellWord& operand : options.operands()) {
    const std::optional<NamedPath> named = path_of(operand, call.where);
    const bool root = !named || is_root(named->path, call.where.work_dir);
    if (root) call.verdict().suspect(DenyEntry::kRootPermissions, false);
    judge_target(operand, call);
  }
}

// Whether chown would give the files to another user.
bool gives_away(const ShellWord& owner, const ProgramCall& call) {
  const std::string user = owner.text.substr(0, owner.text.find_first_of(":."));
  return call.program == "chown" && !user.empty() &&
         user != base_name(home_of(call.where.work_dir));
}

void judge_permissions(const ProgramCall& call) {
  const ProgramOptions options(call.words, "-R --recursive --reference= --from=");
  const bool recursive = options.has("-R") || options.has("--recursive");
  // A mode like -x or -777 is parsed as options, and then all operands are files.
  std::string option_modes;
  for (const ShellWord& word : call.words) {
    const bool mode = word.text.size() > 1 && word.text[0] == '-' && word.text[1] != '-' &&
                      word.text.find_first_not_of("rwxXstugo,=+-01234567", 1) == std::string::npos;
    if (mode) option_modes.append(option_modes.empty() ? "" : ",").append(word.text);
  }
  const bool by_reference = options.has("--reference");
  const bool mode_is_option = call.program == "chmod" && !option_modes.empty();
  const size_t first = by_reference || mode_is_option ? 0 : 1;
  if (options.may_be_any()) judge_target({std::string{kAnyText}}, call);
  if (options.operands().empty()) return;
  const ShellWord mode = mode_is_option ? exact_word(option_modes) : options.operands().front();
  const bool changes_mode = call.program == "chmod" && !by_reference;
  const ModeEffect effect = changes_mode ? effect_of_mode(mode.text) : ModeEffect{};
  for (size_t i = first; i < options.operands().size(); ++i) {
    const ShellWord& operand = options.operands()[i];
    const std::optional<NamedPath> named = path_of(operand, call.where);
    const bool root = named && is_root(named->path, call.where.work_dir);
    const bool all_of_work = named && named->exact && named->path == call.where.work_dir;
    if (root && locks_out(effect, *named)) judge_roots(operand, call, DenyEntry::kRootPermissions);
    const bool unclear = by_reference || (changes_mode && !mode.exact());
    if (root && (unclear || (!by_reference && gives_away(mode, call)))) {
      call.verdict().suspect(DenyEntry::kRootPermissions, false);
    }
    // All files in the work directory may get more permissions, but not fewer.
    if (all_of_work && effect.only_adds) continue;
    if (recursive) judge_roots(operand, call, DenyEntry::kRootPermissions);
    judge_target(operand, call);
  }
}

}  // namespace

bool judge_permission_program(const ProgramCall& call) {
  if (is_one_of(call.program, {"chmod", "chown", "chgrp"})) {
    judge_permissions(call);
  } else if (call.program == "setfacl") {
    judge_access_list(call);
  } else {
    return false;
  }
  return true;
}

}  // namespace orch::policy
