// Judges git by its verb.

#include <algorithm>
#include <optional>

#include "base/text.h"
#include "policy/path_arguments.h"
#include "policy/program_judge.h"
#include "policy/program_options.h"
#include "policy/protected_path.h"
#include "policy/reaching_out.h"

namespace orch::policy {
namespace {

using Words = std::vector<ShellWord>;

bool says_how_to_push(std::string_view setting) {
  return setting.starts_with("remote.") || setting.starts_with("push.") ||
         setting.starts_with("branch.") || setting.starts_with("alias.");
}

// Whether the setting makes git run a program that does nothing: "core.editor=true".
bool names_idle_program(std::string_view setting) {
  return is_one_of(setting, {"core.editor=true", "core.editor=:", "sequence.editor=true",
                             "sequence.editor=:", "core.pager=cat", "core.pager="});
}

// Whether the options make GitLab or Gerrit merge the pushed commits.
bool asks_for_merge(std::string_view options) {
  const std::vector<std::string_view> all = base::split(options, ',');
  return std::any_of(all.begin(), all.end(), [](std::string_view option) {
    return option == "submit" || option.starts_with("merge_request.merge_when") ||
           option.starts_with("merge_request.auto_merge");
  });
}
bool submits(std::string_view ref) {
  const size_t options = ref.find('%');
  return ref.find("refs/for/") != std::string_view::npos && options != std::string_view::npos &&
         asks_for_merge(ref.substr(options + 1));
}

// Whether a ref is the head of somebody's pull request: "pull/5/head:x".
bool is_of_pull_request(std::string_view ref) {
  return ref.find("pull/") != std::string_view::npos ||
         ref.find("merge-requests/") != std::string_view::npos ||
         ref.find("refs/changes/") != std::string_view::npos;
}

// Whether a branch follows another remote than the usual one.
bool is_elsewhere(std::string_view upstream) {
  return upstream.find('/') != std::string_view::npos && !upstream.starts_with("origin/") &&
         !upstream.starts_with("refs/");
}

// Whether the word is the address of a repository on another machine, not the name of a remote.
bool is_address(const ShellWord& word) {
  const size_t colon = word.text.find(':');
  return names_remote(word.text) || (colon != std::string::npos && colon > 1 &&
                                     word.text.find('/') > colon && !word.text.starts_with('-'));
}

void judge_push(const ProgramCall& call) {
  const ProgramOptions options(
      call.words,
      "-f -d -n -u -v -q -o= --force --force-with-lease --force-if-includes --delete --mirror "
      "--prune "
      "--receive-pack! --exec! --stdin! --dry-run --repo= --push-option= --set-upstream --all "
      "--tags "
      "--follow-tags --no-verify --branches");
  if (!options.understood()) call.verdict().cannot_read();
  const bool withdrawn =
      std::any_of(call.words.begin(), call.words.end(),
                  [](const ShellWord& word) { return word.text.starts_with("--no-d"); });
  const bool tries = options.has("-n") || options.has("--dry-run");
  if (tries && !withdrawn && !options.may_be_any()) return;
  bool forced = options.has("-f") || options.has("-d") || options.has("--force") ||
                options.has("--force-with-lease") || options.has("--delete") ||
                options.has("--mirror") || options.has("--prune");
  bool sends = call.effects.sets_remote || !call.effects.taken.empty();
  bool certain = !options.may_be_any() && !options.has("--stdin");  // --stdin: refs from the input
  for (const ShellWord& operand : options.operands()) {
    const std::string ref = whole(operand.text);
    const char first = ref.empty() ? ' ' : ref[0];
    if (first == '+' || first == ':') forced = true;
    const bool name = first == kSomeName || first == kPathBelow || first == kDigits;
    if (is_mark(first) && !name) certain = false;
    if (operand.text.find(kAnyWords) != std::string::npos) certain = false;
    if (operand.text.starts_with("ext::")) call.verdict().cannot_read();
  }
  // A remote that the repository does not have yet may be anybody's.
  for (const ShellWord& repository : options.values("--repo")) sends |= is_address(repository);
  if (!options.operands().empty()) {
    const ShellWord& to = options.operands()[0];
    sends |= is_address(to) || may_lead_out(to.text, call.where, PathScope::kStrange);
  }
  if (sends) call.verdict().suspect(DenyEntry::kPublish, false);
  Words given = options.values("-o");
  for (ShellWord& option : options.values("--push-option")) given.push_back(std::move(option));
  const auto merges = [](const ShellWord& option) { return asks_for_merge(option.text); };
  const auto is_submitted = [](const ShellWord& ref) { return submits(ref.text); };
  if (std::any_of(given.begin(), given.end(), merges) ||
      std::any_of(options.operands().begin(), options.operands().end(), is_submitted)) {
    call.verdict().suspect(DenyEntry::kPublish, true);
  }
  if (forced || !certain) call.verdict().suspect(DenyEntry::kForcePush, forced);
}

void judge_config(const ProgramCall& call) {
  const ProgramOptions options(
      call.words,
      "-f= --file= --global --system --local --worktree --blob= --type= --default= -e! --edit! "
      "--get --get-all --get-regexp --get-urlmatch --get-color --get-colorbool --list --unset "
      "--unset-all --add --replace-all --rename-section! --remove-section! -l --show-origin "
      "--show-scope --name-only --null -z --includes --comment=");
  if (!options.understood() || options.may_be_any()) call.verdict().cannot_read();
  Words operands = options.operands();
  for (const std::string_view name : {"--get", "--get-all", "--get-regexp", "--list", "-l",
                                      "--get-urlmatch", "--get-color", "--get-colorbool"}) {
    if (options.has(name)) return;
  }
  if (!operands.empty() && is_one_of(operands[0].text, {"get", "list"})) return;
  if (!operands.empty() && is_one_of(operands[0].text, {"set", "unset"})) {
    operands.erase(operands.begin());
  } else if (operands.size() < 2 && !options.has("--unset") && !options.has("--unset-all")) {
    return;
  }
  for (const std::string_view name : {"-f", "--file"}) judge_targets(options.values(name), call);
  if (options.has("--global") || options.has("--system")) {
    call.verdict().suspect(DenyEntry::kOutsideWrite, false);
  }
  if (operands.empty()) return;
  const std::string& key = operands[0].text;
  const bool address =
      key.starts_with("remote.") && (key.ends_with(".url") || key.ends_with(".fetch"));
  const bool plain = operands.size() < 2 || operands[1].text.find("::") == std::string::npos;
  // The remote of a branch: its name, not an address.
  const bool name =
      key.starts_with("branch.") && key.ends_with(".remote") &&
      (operands.size() < 2 ||
       (operands[1].exact() && operands[1].text.find_first_of("/:.") == std::string::npos));
  const bool of_usual = name && (operands.size() < 2 || operands[1].text == "origin");
  if (address || (name && !of_usual)) call.effects.sets_remote = true;
  if (is_protected_git_key(key) && !((address || name) && plain && operands[0].exact())) {
    call.verdict().suspect(DenyEntry::kProtectedWrite, operands[0].exact());
  }
}

// Verbs that write outside of the repository only through options and operands. judge_verb() checks
// those.
constexpr std::string_view kHarmless =
    " status log diff show blame annotate shortlog describe rev-parse rev-list ls-files ls-tree "
    "cat-file name-rev grep branch tag reflog stash merge-base symbolic-ref for-each-ref var "
    "version "
    "help check-ignore check-attr check-ref-format count-objects show-ref show-branch whatchanged "
    "interpret-trailers stripspace range-diff cherry diff-tree diff-files diff-index ls-remote "
    "fetch "
    "add commit checkout switch restore reset clean mv rm merge cherry-pick revert pull notes gc "
    "prune "
    "fsck sparse-checkout rerere repack pack-refs update-index update-ref write-tree read-tree "
    "commit-tree hash-object mktree bisect remote am apply rebase submodule worktree init clone "
    "archive bundle format-patch lfs fetch-pack verify-commit verify-tag fast-export diff-pairs "
    "unpack-objects merge-tree merge-file replace ";

constexpr std::string_view kReading =
    " status log diff show blame annotate shortlog describe rev-parse rev-list ls-files ls-tree "
    "cat-file name-rev grep merge-base for-each-ref var version help check-ignore check-attr "
    "count-objects show-ref show-branch whatchanged range-diff cherry diff-tree diff-files "
    "diff-index "
    "ls-remote init clone config ";

constexpr std::string_view kOptions =
    "--output> --export-marks> --index-output> --build-fake-ancestor> -O! --open-files-in-pager! "
    "--ext-diff! --textconv --upload-pack! --exec! -x! "
    "--receive-pack! --template! --config! --separate-git-dir! --unsafe-paths! --directory@ "
    "--output-directory> --textconv! --filters! --mirror --super-prefix! --to= -m= -F= --message= "
    "--file= --author= --date= -S= -G= -n= --grep= --since= --until= --format= --pretty= -C= -c= "
    "--strategy! -s= -X=";

// Options whose values are messages or are only read.
constexpr std::string_view kRead =
    "-m= -F= --message= --file= --author= --date= -S= -G= --grep= --since= --until= --format= "
    "--pretty= --exclude= --exclude-from= --reference= --trailer= -L= -O= ";

// Whether the verb runs other programs: a command in each submodule or at each commit, or filters.
bool runs_others(std::string_view verb, std::string_view first) {
  if (verb == "submodule") return first == "foreach";
  if (verb == "bisect") return first == "run";
  return verb == "lfs" &&
         !is_one_of(first, {"ls-files", "status", "pull", "fetch", "track", "version", "env"});
}

// Notes the folder that a clone makes.
void note_clone(const Words& places, const ProgramCall& call) {
  if (places.empty() || !is_address(places[0])) return;
  std::string name(base_name(places[0].text));
  if (name.ends_with(".git")) name.erase(name.size() - 4);
  if (const size_t colon = name.rfind(':'); colon != std::string::npos) name.erase(0, colon + 1);
  if (places.size() < 2) return note_fetched(exact_word(name), call);
  for (size_t i = 1; i < places.size(); ++i) note_fetched(places[i], call);
}

void judge_verb(std::string_view verb, const ProgramCall& call) {
  // The same letter of an option means different things for different verbs.
  std::string specification(kOptions);
  const auto drop = [&specification](std::string_view option) {
    const size_t at = specification.find(std::string(option) + " ");
    if (at != std::string::npos) specification.erase(at, option.size() + 1);
  };
  if (verb != "grep") drop("-O!");
  if (!is_one_of(verb, {"rebase"})) drop("-x!");
  if (verb == "rebase") drop("-m="), drop("-C="), drop("-S="), drop("-F=");
  if (verb == "diff" || verb == "clean" || verb == "reset" || verb == "log") drop("-m=");
  if (is_one_of(verb, {"commit"})) drop("--template!"), drop("-S="), drop("-s="), drop("-n=");
  if (!is_one_of(verb, {"clone", "init"})) drop("--template!");
  if (verb != "clone") drop("--config!"), drop("-c=");
  if (verb == "switch" || verb == "branch" || verb == "ls-files" || verb == "show" ||
      verb == "status")
    drop("-c="), drop("-C="), drop("-m="), drop("-s="), drop("-n=");
  if (is_one_of(verb, {"archive", "format-patch"})) specification += " -o>";
  const ProgramOptions options(call.words, specification);
  const Words& operands = options.operands();
  if (!options.understood()) call.verdict().cannot_read();
  if (options.may_be_any() &&
      is_one_of(verb, {"clone", "fetch", "pull", "ls-remote", "archive", "format-patch", "grep",
                       "diff", "log", "show", "rebase", "apply", "am", "submodule", "init",
                       "fetch-pack", "remote"})) {
    call.verdict().cannot_read();
  }
  for (const ShellWord& file : options.values_of_kind('>')) {
    judge_target(file, call);
    note_written({file}, call);
  }
  judge_path_arguments(call, kRead, PathScope::kOptions);
  for (const ShellWord& folder : options.values_of_kind('@')) judge_folder(folder, call);
  for (const ShellWord& operand : operands) {
    if (operand.text.find("ext::") != std::string::npos) call.verdict().cannot_read();
  }
  const std::string_view first = operands.empty() ? std::string_view() : operands[0].text;
  // What is committed is pushed one day.
  const bool forces = verb == "add" && (options.has("-f") || options.has("--force"));
  Words taken = forces ? operands : Words();
  if (is_one_of(verb, {"commit", "tag", "notes"})) {
    for (const std::string_view name : {"-F", "--file"}) {
      for (ShellWord& file : options.values(name)) taken.push_back(std::move(file));
    }
  }
  for (const ShellWord& file : taken) {
    if (is_private(file.text, call.where)) note_taken(file, call);
  }
  if (is_one_of(verb, {"checkout", "restore", "switch"})) {
    for (const ShellWord& path : operands) {
      if (protection_of(path.text) != Protection::kNone &&
          path.text.find(kAnyText) == std::string::npos)
        call.verdict().suspect(DenyEntry::kProtectedWrite, false);
    }
  }
  if (verb == "clone") {
    const ProgramOptions clone(
        call.words,
        "-b= --branch= --depth= -o= --origin= -j= --jobs= --reference= -u! "
        "--upload-pack! -c! --config! --template! --separate-git-dir! --filter= "
        "--shallow-since= --server-option=");
    if (!clone.understood()) call.verdict().cannot_read();
    // The word after an unknown option may be its value; then the target is one word later.
    const Words& places = clone.operands();
    if (places.size() < 2) judge_folder(exact_word("."), call);
    for (size_t i = 1; i < places.size(); ++i) judge_target(places[i], call);
    note_clone(places, call);
  } else if (verb == "init") {
    const ProgramOptions init(call.words, "-b= --initial-branch= --object-format= --shared=");
    judge_targets(init.operands(), call);
    judge_folder(exact_word("."), call);
  } else if (verb == "worktree") {
    const ProgramOptions worktree(call.words, "-b= -B= --reason=");
    const Words& places = worktree.operands();
    if (first == "add" && places.size() > 1) judge_target(places[1], call);
    // Uncommitted work in the worktree is lost, as with rm -r.
    if (is_one_of(first, {"remove", "move"}) && places.size() > 1) {
      judge_roots(places[1], call, DenyEntry::kRemoveRoot);
      judge_target(places[1], call);
    }
    const bool shifted = places.size() > 2 && worktree.may_be_value(1);
    if (first == "add" && shifted) judge_target(places[2], call);
    if (first == "move" && places.size() > 2) judge_target(places[2], call);
  } else if (verb == "bundle") {
    if (first == "create" && operands.size() > 1) judge_target(operands[1], call);
  } else if (runs_others(verb, first)) {
    call.verdict().cannot_read();
  } else if (verb == "remote" && options.has("--mirror")) {
    call.verdict().suspect(DenyEntry::kForcePush, false);
  } else if (verb == "remote" && is_one_of(first, {"add", "set-url"})) {
    call.effects.sets_remote = true;
  } else if (verb == "submodule" && first == "add") {
    if (operands.size() > 2) judge_target(operands.back(), call);
    note_fetched_somewhere(call);
  } else if (is_one_of(verb, {"branch", "checkout", "switch"})) {
    const ProgramOptions tracking(call.words, "-u= --set-upstream-to= -t= --track=");
    for (const std::string_view name : {"-u", "--set-upstream-to", "-t", "--track"}) {
      for (const ShellWord& upstream : tracking.values(name)) {
        if (!upstream.exact() || is_elsewhere(upstream.text)) call.effects.sets_remote = true;
      }
    }
  } else if (is_one_of(verb, {"pull", "fetch"})) {
    const bool elsewhere =
        call.effects.sets_remote || (!operands.empty() && is_address(operands[0])) ||
        std::any_of(operands.begin(), operands.end(),
                    [](const ShellWord& ref) { return is_of_pull_request(ref.text); });
    if (elsewhere) note_fetched_somewhere(call);
  } else if (is_one_of(verb, {"mv", "merge-file"}) ||
             (verb == "interpret-trailers" && options.has("--in-place"))) {
    judge_targets(operands, call);
  } else if (is_one_of(verb, {"apply", "am"})) {
    judge_folder(exact_word("."), call);
    call.effects.written.add("", "", false);
  }
}

}  // namespace

bool judge_git(const ProgramCall& call) {
  Words words = call.words;
  if (call.program.starts_with("git-")) {
    words.insert(words.begin(), exact_word(call.program.substr(4)));
  } else if (call.program != "git") {
    return false;
  }
  const ProgramOptions global(words,
                              "-C= -c= --git-dir! --work-tree! --namespace! --exec-path! "
                              "--config-env! --super-prefix! --attr-source= -p --paginate",
                              /*stops=*/true);
  if (!global.understood()) call.verdict().cannot_read();
  for (const ShellWord& setting : global.values("-c")) {
    const std::string_view key = std::string_view(setting.text).substr(0, setting.text.find('='));
    if (!is_protected_git_key(key) || names_idle_program(setting.text)) continue;
    says_how_to_push(key) ? call.verdict().suspect(DenyEntry::kForcePush, false)
                          : call.verdict().cannot_read();
  }
  if (global.operands().empty()) return true;
  const ShellWord& verb = global.operands()[0];
  if (!verb.exact()) {
    call.verdict().cannot_read();
    call.verdict().suspect(DenyEntry::kForcePush, false);
    return true;
  }
  // With -C the paths that the verb writes are relative to that folder.
  std::optional<std::string> dir = call.where.dir;
  for (const ShellWord& folder : global.values("-C")) {
    const std::optional<NamedPath> named =
        path_of(folder, {call.where.work_dir, dir, call.where.linked});
    dir = named && !named->unknown ? std::optional(named->path) : std::nullopt;
  }
  const Whereabouts where{call.where.work_dir, dir, call.where.linked};
  const Words rest(global.operands().begin() + 1, global.operands().end());
  const ProgramCall inner{verb.text, rest, where, call.effects};
  if (kReading.find(" " + verb.text + " ") == std::string_view::npos) {
    judge_folder(exact_word("."), inner);
  }
  if (verb.text == "push" || verb.text == "send-pack") {
    judge_push(inner);
  } else if (verb.text == "config") {
    judge_config(inner);
  } else if (kHarmless.find(" " + verb.text + " ") != std::string_view::npos) {
    judge_verb(verb.text, inner);
  } else {  // an alias, or a verb that runs other programs
    call.verdict().cannot_read();
    call.verdict().suspect(DenyEntry::kForcePush, false);
  }
  return true;
}

}  // namespace orch::policy
