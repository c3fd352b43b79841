// orch skill: a page from which an agent learns to use orch.
#include <cstdio>

#include "cli/new_command.h"

namespace orch::cli {
namespace {

constexpr const char* kPage = R"(---
name: orch
description: Run other coding agents (claude, codex, gemini, opencode) in the background with orch, watch them, answer their questions, and get their results.
---

# orch: other coding agents as processes

Start one in the background, in the present folder; it prints the session's name:

    orch run fix-net -d -p "fix the flaky test in net_test.cc"     --agent codex chooses the agent

Each command below takes the issue's name, here fix-net, and prints JSON with --json.

    orch wait fix-net --until idle --timeout 10m   wait: idle, waiting (at a dialog), exited, complete
    orch status fix-net --json                     status, cause, its dialog and the answers it takes
    orch logs fix-net -n 50                        its last words
    orch send fix-net "now add a test" --wait idle one more turn
    orch answer fix-net yes                        its dialog: yes, no, or an option's number
    orch diff fix-net                              the files that it changed
    orch kill fix-net                              end it; orch undo fix-net takes its changes back

Rules:
- Read what a dialog asks (orch status) before you allow it. When in doubt answer no, and ask your user.
- Give each agent a worktree of its own (--worktree) if several work in one repository.
- Check an agent's work by a command: --verify "make test" sends it back until that succeeds.
- Exit codes: 0 done, 1 the agent failed, 2 wrong words, 10 it waits for a person, 20 a gate failed,
  75 try later (a limit), 124 a time or a budget is used up.
- Inside a run of orch you may only look: status, sessions, logs, wait.
- End what you started, unless your user wants it to go on: orch sessions lists it.

orch COMMAND --help has the options of each command.
)";

}  // namespace

void add_skill_command(CLI::App& app, Chosen& chosen) {
  struct Options {};
  CommandWith<Options> command(app, chosen, "skill",
                               "a page from which an agent learns to use orch", [](const Options&) {
                                 std::fputs(kPage, stdout);
                                 return 0;
                               });
  command.footer(
      "Example:\n  mkdir -p .claude/skills/orch; orch skill > .claude/skills/orch/SKILL.md");
}

}  // namespace orch::cli
