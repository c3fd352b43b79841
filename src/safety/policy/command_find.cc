// Judges the commands that find runs.

#include <algorithm>

#include "base/replace.h"
#include "policy/command_judge.h"

namespace orch::policy {

// A path that {} may stand for in a command of find, and the folder that find runs the command in.
struct CommandJudge::Found {
  std::string path;
  std::optional<std::string> dir;
};

// All paths that an action may find below `root`, and the root itself if `root_too`.
std::vector<CommandJudge::Found> CommandJudge::found_below(const ShellWord& root,
                                                           const FindAction& action,
                                                           bool root_too) const {
  using Reach = FindGuard::Reach;
  const auto folder_named = [this](const std::string& text) {
    const std::optional<NamedPath> named = path_of({text}, where());
    if (!named || named->unknown) return std::optional<std::string>();
    return std::optional(named->path + (named->contents ? std::string{'/', kSomeName} : ""));
  };
  const Reach reach = action.guard.reach;
  const std::string few{action.in_folder ? kSomeName : kPathBelow};
  const std::string names = reach == Reach::kAll    ? std::string{kGlobStar}
                            : reach == Reach::kMost ? std::string(kMostNames)
                                                    : few;
  std::vector<Found> found;
  if (action.in_folder) {
    found.push_back({"./" + names, folder_named(root.text)});
  } else {
    found.push_back({root.text + "/" + names, state_.dir});
  }
  if (!root_too) return found;
  if (!action.in_folder) {
    found.push_back({root.text, state_.dir});
    return found;
  }
  std::string text = root.text;
  while (text.size() > 1 && text.ends_with('/')) text.pop_back();
  const std::string name(base_name(text));
  const std::string parent = text.substr(0, text.size() - name.size());
  found.push_back({"./" + name, folder_named(parent.empty() ? "." : parent)});
  return found;
}

// Judges find ROOT... -exec COMMAND {} ;
void CommandJudge::judge_find_commands(const Words& words) {
  const FindCommand find = read_find(words);
  for (const FindAction& action : find.actions) {
    if (action.kind != FindAction::Kind::kRuns || action.words.empty()) continue;
    // If the found names are not known to be plain, one may be a protected file's.
    const bool writes_anything =
        action.guard.protected_names ||
        (!action.guard.plain_names &&
         std::any_of(action.words.begin(), action.words.end(), [](const ShellWord& word) {
           return is_one_of(base_name(word.text),
                            {"sed", "cp", "mv", "ln", "install", "tee", "dd", "perl", "truncate"});
         }));
    for (size_t i = 0; i < find.roots.size() && take_step(); ++i) {
      const bool root_too = find.finds_root(i, action.guard);
      for (Found& found : found_below(find.roots[i], action, root_too)) {
        if (writes_anything) found.path = {kAnyText};
        judge_found(action.words, found);
      }
    }
  }
}

void CommandJudge::judge_found(Words command, const Found& found) {
  for (ShellWord& word : command) base::replace_all(word.text, "{}", found.path);
  const ShellState before = state_;
  state_.dir = found.dir;
  judge_words(command, {});
  state_ = before;
  ended_ = false;
}

}  // namespace orch::policy
