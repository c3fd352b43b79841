#include "repo/remotes.h"

#include <algorithm>

#include "base/text.h"
#include "repo/git_program.h"

namespace orch::repo {
namespace {

using base::Result;

// Calls `take` with each key (its section and variable in lower case) and value.
template <typename Take>
void each_setting(std::string_view text, const Take& take) {
  for (const std::string_view entry : base::split(text, '\0')) {
    const size_t line = entry.find('\n');
    if (line != std::string_view::npos) take(entry.substr(0, line), entry.substr(line + 1));
  }
}

bool is_setting(std::string_view key, std::string_view section, std::string_view variable,
                std::string& name) {
  if (!key.starts_with(section) || !key.ends_with(variable)) return false;
  if (key.size() <= section.size() + variable.size()) return false;
  name = key.substr(section.size(), key.size() - section.size() - variable.size());
  return true;
}

}  // namespace

const Remote* Remotes::find(std::string_view name) const {
  const auto found = std::find_if(remotes.begin(), remotes.end(),
                                  [name](const Remote& each) { return each.name == name; });
  return found == remotes.end() ? nullptr : &*found;
}

const Remote* Remotes::project() const {
  for (const std::string_view name :
       {std::string_view(chosen), std::string_view("upstream"), std::string_view("github"),
        std::string_view(upstream), std::string_view("origin")}) {
    if (const Remote* remote = find(name)) return remote;
  }
  return remotes.size() == 1 ? &remotes.front() : nullptr;
}

const Remote* Remotes::pushed() const {
  if (const Remote* remote = find(push)) return remote;
  const Remote* main = project();
  const Remote* origin = find("origin");
  return main != nullptr && origin != nullptr ? origin : main;
}

Result<Remotes> remotes_of(const std::string& repository) {
  Remotes found;
  Result<GitAnswer> head =
      run_git({{"symbolic-ref", "--quiet", "--short", "HEAD"}, repository, ""});
  if (!head) return head.error();
  if (head->code == 0) found.branch = base::trim(head->out);
  Result<GitAnswer> all = run_git(
      {{"config", "--includes", "-z", "--get-regexp", "^(remote|branch)\\."}, repository, ""});
  if (!all) return all.error();
  std::string name;
  each_setting(all->out, [&](std::string_view key, std::string_view value) {
    if (is_setting(key, "remote.", ".url", name)) {
      if (found.find(name) == nullptr) found.remotes.push_back({name, std::string(value)});
    } else if (is_setting(key, "remote.", ".gh-resolved", name)) {
      if (value == "base") found.chosen = name;
    } else if (key == "branch." + found.branch + ".remote") {
      found.upstream = value;
    } else if (key == "branch." + found.branch + ".pushremote" ||
               (key == "remote.pushdefault" && found.push.empty())) {
      found.push = value;
    }
  });
  std::sort(found.remotes.begin(), found.remotes.end(),
            [](const Remote& one, const Remote& other) { return one.name < other.name; });
  return found;
}

}  // namespace orch::repo
