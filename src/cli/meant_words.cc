#include "cli/meant_words.h"

#include <algorithm>
#include <array>

namespace orch::cli {
namespace {

struct Command {
  std::string_view word, meant;
};

constexpr auto kCommands = std::to_array<Command>({
    {"init",
     "orch run \"fix the bug\" (nothing has to be set up; orch doctor looks at this machine)"},
    {"setup", "orch doctor"},
    {"check", "orch doctor"},
    {"install", "orch doctor (which agents are installed)"},
    {"ps", "orch sessions"},
    {"ls", "orch sessions"},
    {"list", "orch sessions (orch runs: the ended ones)"},
    {"history", "orch runs"},
    {"log", "orch logs"},
    {"tail", "orch logs -f"},
    {"demo", "orch run demo"},
    {"new", "orch run \"fix the bug\""},
    {"start", "orch run \"fix the bug\" -d"},
    {"create", "orch run \"fix the bug\" -d"},
    {"exec", "orch run NAME -- COMMAND"},
    {"ask", "orch run \"a question\" --until idle"},
    {"chat", "orch run NAME --until exit"},
    {"resume", "orch continue RUN TEXT"},
    {"restart", "orch retry RUN"},
    {"rerun", "orch retry RUN"},
    {"revert", "orch undo"},
    {"rollback", "orch undo"},
    {"restore", "orch undo"},
    {"rm", "orch kill (orch gc: removes runs that have ended)"},
    {"remove", "orch kill (orch gc: removes runs that have ended)"},
    {"delete", "orch kill (orch gc: removes runs that have ended)"},
    {"clean", "orch gc"},
    {"prune", "orch gc"},
    {"end", "orch kill"},
    {"quit", "orch kill"},
    {"cancel", "orch kill"},
    {"a", "orch attach"},
    {"join", "orch attach"},
    {"open", "orch attach"},
    {"watch", "orch top"},
    {"monitor", "orch top"},
    {"dashboard", "orch top"},
    {"ui", "orch top"},
    {"info", "orch show"},
    {"inspect", "orch show"},
    {"message", "orch send"},
    {"say", "orch send"},
    {"tell", "orch send"},
    {"type", "orch keys"},
    {"approve", "orch answer ISSUE yes (orch run --approve: a policy answers)"},
    {"deny", "orch answer ISSUE no"},
    {"yes", "orch answer ISSUE yes"},
    {"no", "orch answer ISSUE no"},
    {"models", "orch agents show NAME"},
    {"settings", "orch config"},
    {"login", "the agent's own login, once: claude, codex login, gemini"},
    {"auth", "the agent's own login, once: claude, codex login, gemini"},
    {"changes", "orch diff"},
    {"play", "orch replay"},
    {"screenshot", "orch shot"},
    {"up", "orch crew up (agents of a crew) or orch run \"fix the bug\" -d"},
    {"down", "orch crew down (agents of a crew) or orch kill --all"},
    {"build", "orch run \"fix the bug\" (orch run build -- make runs a program)"},
    {"detach", "Ctrl-] in orch attach; orch run -d begins in the background"},
    {"new-session", "orch run \"fix the bug\" -d"},
    {"list-sessions", "orch sessions"},
    {"attach-session", "orch attach"},
    {"kill-session", "orch kill"},
    {"kill-server", "orch kill --all"},
    {"send-keys", "orch keys"},
    {"capture-pane", "orch shot"},
    {"tmux", "orch run -d --session-manager tmux"},
    {"issue", "orch run 42 (the text is .orch/issues/42.md)"},
    {"issues", "orch run 42 (the text is .orch/issues/42.md)"},
    {"pr", "orch land ISSUE (pushes its branch, and opens a pull request)"},
    {"commit", "orch land ISSUE (commits, runs the gates again, opens a pull request)"},
    {"merge", "orch land ISSUE --merge"},
    {"review", "orch run \"review the last commit\" --until idle"},
    {"stats", "orch runs --summary"},
    {"usage", "orch runs --summary"},
    {"cost", "orch runs --summary"},
    {"update", "the install.sh of a newer release"},
    {"upgrade", "the install.sh of a newer release"},
    {"logout", "the agent's own logout: claude, codex logout"},
    {"pause", "orch attach ISSUE (while you type, orch sends no message)"},
    {"clear", "orch reset ISSUE"},
    {"compact", "orch send ISSUE /compact"},
    {"model", "orch agents show NAME (orch run --model MODEL chooses one)"},
    {"permissions", "orch run --approve FILE (orch policy try)"},
    {"queue", "orch sessions"},
    {"/help", "orch help"},
    {"?", "orch help"},
});

struct Option {
  std::string_view command;  // "": any
  std::string_view word, meant;
};

constexpr std::string_view kAnswersAll = "--approve all (a policy answers what the agent asks)";
constexpr std::string_view kByRules = "--approve FILE (a policy decides; orch policy try)";
constexpr std::string_view kNamesIssue =
    "the name before the task: orch run NAME -p \"fix the bug\"";

constexpr auto kOptions = std::to_array<Option>({
    {"", "--yolo", kAnswersAll},
    {"", "--dangerously-skip-permissions", kAnswersAll},
    {"", "--dangerously-bypass-approvals-and-sandbox", kAnswersAll},
    {"", "--full-auto", kAnswersAll},
    {"", "--allow-all-tools", kAnswersAll},
    {"", "--auto-approve", kAnswersAll},
    {"", "-y", kAnswersAll},
    {"", "--yes", kAnswersAll},
    {"", "-m", "--model MODEL"},
    {"", "--name", kNamesIssue},
    {"", "-n", kNamesIssue},
    {"", "--title", kNamesIssue},
    {"", "-it", "orch attach ISSUE"},
    {"", "-i", "orch attach ISSUE"},
    {"", "--background", "-d"},
    {"", "--workdir", "--cwd FOLDER"},
    {"", "--dir", "--cwd FOLDER"},
    {"", "--cd", "--cwd FOLDER"},
    {"", "-C", "--cwd FOLDER"},
    {"", "-w", "--cwd FOLDER"},
    {"", "-e", "--env NAME=VALUE"},
    {"", "-o", "--output FORMAT, or a redirection"},
    {"", "--print", "--mode headless"},
    {"", "--model-name", "--model MODEL"},
    {"", "--allowedTools", kByRules},
    {"", "--disallowedTools", kByRules},
    {"", "--permission-mode", kByRules},
    {"", "--ask-for-approval", kAnswersAll},
    {"", "-a", kAnswersAll},
    {"", "--output-format", "--output json"},
    {"", "--rm", "the task alone: its processes end with the run"},
    {"", "--volume", "--write FOLDER (the fence lets the agent write there)"},
    {"", "--mount", "--write FOLDER (the fence lets the agent write there)"},
    {"", "--wait", "orch run without -d, or orch wait ISSUE"},
    {"", "--follow", "orch logs -f ISSUE, or orch run without -d"},
    {"", "-f", "orch logs -f ISSUE, or orch run without -d"},
    {"", "--dry-run", "orch plan --agent NAME -p TEXT"},
    {"", "--quiet", "--output quiet"},
    {"", "-q", "--output quiet"},
    {"", "--silent", "--output quiet"},
    {"", "-s", "--output quiet"},
    {"", "--parallel", "--jobs N"},
    {"", "-j", "--jobs N"},
    {"", "--branch", "--worktree (a branch orch/ISSUE)"},
    {"", "-b", "--worktree (a branch orch/ISSUE)"},
    {"", "--max-time", "--timeout TIME"},
    {"", "--debug", "orch -v run"},
    {"", "--max-budget-usd", "--max-cost USD"},
    {"", "--continue", "orch continue RUN TEXT"},
    {"", "--resume", "orch continue RUN TEXT"},
    {"logs", "--tail", "-n LINES"},
    {"logs", "--lines", "-n LINES"},
    {"logs", "-t", "-n LINES"},
    {"attach", "-t", "the session alone: orch attach ISSUE"},
    {"attach", "-r", "--read-only"},
    {"kill", "-f", "--now"},
    {"runs", "--limit", "-n N"},
    {"sessions", "--all", "orch runs: the ended ones"},
    {"kill", "--force", "--now"},
    {"sessions", "-a", "orch runs: the ended ones"},
    {"sessions", "-l", "orch sessions --json"},
    {"crew status", "--watch", "orch top"},
    {"shot", "--animate", "orch replay RUN, or script/film of orch's sources (an SVG that plays)"},
});

// The equivalents for options before any command, as in claude -p.
constexpr auto kBeforeCommands = std::to_array<Option>({
    {"", "-p", "orch run -p TEXT"},
    {"", "--prompt", "orch run -p TEXT"},
    {"", "-d", "orch run \"fix the bug\" -d"},
    {"", "--agent", "orch run --agent NAME"},
    {"", "-c", "orch continue RUN TEXT"},
});

}  // namespace

std::string_view command_meant_by(std::string_view word) {
  const auto found = std::find_if(kCommands.begin(), kCommands.end(),
                                  [word](const Command& each) { return each.word == word; });
  return found == kCommands.end() ? "" : found->meant;
}

std::string_view option_meant_by(std::string_view command, std::string_view option) {
  const auto fits = [&](const Option& each) {
    return each.word == option && (each.command.empty() || each.command == command);
  };
  if (command.empty()) {
    const auto found = std::find_if(kBeforeCommands.begin(), kBeforeCommands.end(), fits);
    if (found != kBeforeCommands.end()) return found->meant;
  }
  const bool starts = command.empty() || command == "run" || command == "submit" ||
                      command == "continue" || command == "retry";
  const auto of_it = std::find_if(kOptions.begin(), kOptions.end(), [&](const Option& each) {
    return fits(each) && (starts || !each.command.empty());
  });
  return of_it == kOptions.end() ? "" : of_it->meant;
}

}  // namespace orch::cli
