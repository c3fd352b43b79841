// --fallback: at a vendor's limit an issue goes on with another agent.
#include "cli/fallback.h"

#include <algorithm>
#include <string>

#include "base/text.h"
#include "cli/last_words.h"
#include "client/run_diff.h"
#include "client/runs.h"
#include "event/exit_reason.h"
#include "store/runs.h"

namespace orch::cli {
namespace {

constexpr size_t kMostLines = 20;  // of the agent's words
constexpr int kColumns = 100;
constexpr size_t kMostStat = 4'000;  // bytes

// What a run has done, for the agent that goes on.
std::string done_so_far(const client::RunView& run, const std::string& state_dir) {
  std::string text = "\n\n---\n\nAnother agent (" + run.record.agent +
                     ") has begun this task in this folder, and cannot go on because of a limit. "
                     "Its work is there: look at it, and go on with it.\n";
  const base::Result<client::RunDiff> diff = client::diff_of(state_dir, run);
  const base::Result<std::string> stat =
      diff ? diff->diff.stat(kColumns) : base::Result<std::string>(diff.error());
  if (stat && !stat->empty()) {
    text += "\nIt changed these files:\n\n" + std::string(base::beginning(*stat, kMostStat)) + "\n";
  }
  const std::string keyword = run.record.request ? run.record.request->keyword : "";
  const std::vector<std::string> words = last_words(run.folder.path, keyword, kMostLines);
  if (!words.empty()) text += "\nIts last words:\n\n";
  for (const std::string& line : words) text += "> " + base::printable(line) + "\n";
  return text;
}

}  // namespace

std::optional<options::RunRequest> fallback_request(const options::RunRequest& request,
                                                    const std::vector<host::Ended>& ended,
                                                    const std::string& state_dir) {
  if (request.fallback.empty()) return std::nullopt;
  options::RunRequest next = request;
  const std::string& word = request.fallback.front();
  next.agent = word.substr(0, word.find(':'));
  next.model = next.agent.size() < word.size() ? word.substr(next.agent.size() + 1) : "";
  next.fallback.erase(next.fallback.begin());
  next.effort.clear();
  next.agent_program.clear();
  next.agent_flags.clear();
  next.resume.clear();
  next.parent.clear();
  next.parents.clear();
  next.issues.clear();
  for (const host::Ended& end : ended) {
    if (end.code != event::exit_code(event::ExitReason::kRetryLater)) continue;
    next.issues.push_back(end.issue);
    if (!end.result) continue;  // it was not started
    const base::Result<client::RunView> run = client::view_run(
        state_dir, {state_dir + "/runs/" + end.result->run, end.result->run, end.issue});
    if (!run || !run->record.request) continue;
    next.parents[end.issue] = end.result->run;
    next.issue_texts[end.issue] =
        run->record.request->prompt.value_or("") + done_so_far(*run, state_dir);
  }
  if (next.issues.empty()) return std::nullopt;
  if (!next.parents.empty()) {  // a prompt of its own for each issue
    for (const std::string& issue : next.issues) {
      if (next.prompt) next.issue_texts.emplace(issue, *next.prompt);
    }
    next.prompt.reset();
    next.prompt_file.clear();
  }
  return next;
}

std::vector<host::Ended> newest_ends(std::vector<host::Ended> ended,
                                     const std::vector<host::Ended>& later) {
  for (const host::Ended& end : later) {
    const auto before = std::find_if(ended.begin(), ended.end(), [&end](const host::Ended& one) {
      return one.issue == end.issue;
    });
    if (before != ended.end()) *before = end;
  }
  return ended;
}

}  // namespace orch::cli
