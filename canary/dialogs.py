"""script/dialogs: is each dialog of a real CLI answered as docs/dialogs.md says? See canary/README.md."""

import argparse
import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from agents import Place
from checks import Checks, conclude
from command_line import add_agents, exit_code_of, new_scratch, parser_of, ready, wanted_clis
from delivery_runs import Cli
from model_server import ModelServer
from script import Answer, Say, ToolCall, Use
from workplace import Programs, environment, events_of, make_project, result_of, state_folder

TIMEOUT_S = 90
LATE_S = 15  # of a run without a prompt
DONE = (Say("All is done."),)
TALL = "\n".join(f"echo line {number}" for number in range(150))  # higher than any terminal of the canary
MCP_SERVER = {"command": "python3", "args": ["-c", "import sys; sys.stdin.read()"]}

# A policy of one's own that says the opposite where there is a choice.
POLICY = {
    "default": "all",
    "rules": [
        {"kind": "trust", "answer": "allow"},
        {"kind": "imports", "answer": "allow"},
        {"kind": "update", "answer": "allow"},
        {"kind": "permission", "answer": "deny"},
    ],
}


@dataclass(frozen=True)
class Dialog:
    """One dialog. `seed(place)` adds to the home and the project what provokes it, `state` is the home's
    (Agent.configure), `answers` is what the model says. `all`, `file`: the option that --approve all and POLICY choose;
    None: it is left to a person, and the run ends with needs_human."""

    name: str
    agent: str
    cause: str
    all: str | None
    file: str | None
    seed: Callable[[Place], None] = lambda _place: None
    state: str = "ready"
    answers: tuple[Answer, ...] = (DONE,)
    tools: dict[str, ToolCall] | None = None
    whole: str = ""  # words that the whole command ends with
    # Comes after the first prompt, and not at all where something is typed at once: nothing is.
    late: bool = False
    sandbox: str = "auto"


def _claude_settings(place: Place, settings: dict) -> None:
    file = place.home / ".claude/settings.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | settings))


def _offers_auto_mode(place: Place) -> None:
    """As in a home in which Claude Code has not offered it yet."""
    _claude_settings(place, {"permissions": {"defaultMode": "acceptEdits"}})
    file = place.home / ".claude.json"
    config = json.loads(file.read_text())
    config.pop("hasSeenAutoDefaultNudge", None)
    file.write_text(json.dumps(config))


def _servers(count: int) -> Callable[[Place], None]:
    def seed(place: Place) -> None:
        servers = {f"server{number}": MCP_SERVER for number in range(count)}
        (place.project / ".mcp.json").write_text(json.dumps({"mcpServers": servers}))
    return seed


def _imports(place: Place) -> None:
    (place.home / "outside.md").write_text("# outside\n")
    (place.project / "CLAUDE.md").write_text("See @../outside.md for more.\n")


def _codex_hook(place: Place) -> None:
    file = place.home / ".codex/config.toml"
    hook = '\n[[hooks.PreToolUse]]\n[[hooks.PreToolUse.hooks]]\ntype = "command"\ncommand = "true"\n'
    file.write_text(file.read_text() + hook)


QUESTIONS = {
    "questions": [
        {"question": "Which database?", "header": "Database", "multiSelect": False,
         "options": [{"label": "SQLite", "description": "one file"}, {"label": "PostgreSQL", "description": "a server"}]},
        {"question": "Which colours?", "header": "Colours", "multiSelect": True,
         "options": [{"label": "Red", "description": "warm"}, {"label": "Blue", "description": "cold"}]},
    ]
}
CLAUDE_TALL = {"tall": ToolCall("Bash", {"command": TALL, "description": "Count"})}
CODEX_TALL = {"tall": ToolCall("exec_command", {"cmd": TALL, "sandbox_permissions": "require_escalated",
                                                "justification": "May it count?"})}


def _asking(tool: str) -> tuple[Answer, ...]:
    return ((Say("I begin."), Use(tool)), DONE, DONE)


DIALOGS = (
    Dialog("trust", "claude", "trust", "Yes, I trust this folder", "Yes, I trust this folder", state="untrusted"),
    Dialog("API key", "claude", "login", "Yes", "Yes", state="no login"),
    Dialog("default mode", "claude", "mode", "No, keep accept edits", "No, keep accept edits",
           seed=_offers_auto_mode, late=True),
    Dialog("one MCP server", "claude", "servers", "Continue without using this MCP server",
           "Continue without using this MCP server", seed=_servers(1)),
    Dialog("MCP servers", "claude", "servers", "none", "none", seed=_servers(2)),
    Dialog("imports", "claude", "imports", "No, disable external imports", "Yes, allow external imports", seed=_imports,
           sandbox="none"),  # in the fence claude does not see the file, and does not ask
    Dialog("command", "claude", "permission", "Yes", "No", answers=_asking("shell")),
    Dialog("tall command", "claude", "permission", "Yes", "No", answers=_asking("tall"), tools=CLAUDE_TALL,
           whole="echo line 149"),
    Dialog("questions", "claude", "question", None, None, answers=_asking("questions"),
           tools={"questions": ToolCall("AskUserQuestion", QUESTIONS)}),
    Dialog("trust", "codex", "trust", "Trust and continue", "Trust and continue", state="untrusted"),
    Dialog("hooks", "codex", "hooks", "Continue without trusting (hooks won't run)",
           "Continue without trusting (hooks won't run)", seed=_codex_hook),
    Dialog("model news", "codex", "update", "Use existing model", "Try new model", state="model news"),
    Dialog("command", "codex", "permission", "Yes, proceed (y)", "No, and tell Codex what to do differently (esc)",
           answers=_asking("shell"), sandbox="none"),  # in a fence codex does not ask
    Dialog("tall command", "codex", "permission", "Yes, proceed (y)",
           "No, and tell Codex what to do differently (esc)", answers=_asking("tall"), tools=CODEX_TALL,
           whole="echo line 149", sandbox="none"),
)


def parse_arguments() -> argparse.Namespace:
    parser = parser_of("dialogs", "Provokes each dialog of the real agent CLIs in a fresh home, with nobody there, under "
                                  "--approve all and under a policy file: it has to be answered as docs/dialogs.md says.",
                       right="each was answered so")
    add_agents(parser)
    parser.add_argument("--dialog", action="append", choices=sorted({dialog.name for dialog in DIALOGS}))
    parser.add_argument("--policy", action="append", choices=["all", "file"], help="default: both")
    parser.add_argument("--keep", action="store_true", help="keep the folders of the runs")
    return parser.parse_args()


def play(orch: Path, cli: Cli, programs: Path, dialog: Dialog, policy: str, folder: Path) -> Checks:
    project = make_project(folder)
    server = ModelServer(dialog.answers, dialog.tools or cli.agent.tools, folder / "model.jsonl")
    place = Place(project.parent, project, server.port)
    cli.agent.configure(place, dialog.state)
    dialog.seed(place)
    (folder / "policy.json").write_text(json.dumps(POLICY))
    approve = "all" if policy == "all" else str(folder / "policy.json")
    goal = ["--until", "exit", "--timeout", f"{LATE_S}s"] if dialog.late else [
        "--prompt", "Begin.", "--until", "idle", "--timeout", f"{TIMEOUT_S}s"]
    command = [str(orch), "run", "dialog", "--agent", cli.agent.name, *goal,
               "--approve", approve, "--sandbox", dialog.sandbox, "--size", "120x40",
               "--output", "json", "--state-dir", str(state_folder(folder))]
    try:
        Programs().run(command, project, environment(cli.agent, place, programs), folder / "stdout.jsonl",
                       folder / "stderr.txt", TIMEOUT_S + 30)
    finally:
        server.close()
    expected = dialog.all if policy == "all" else dialog.file
    events = events_of(folder)
    told = [event for event in events if event["event"] == "dialog" and event["cause"] == dialog.cause]
    last = told[-1] if told else {"answer": None, "complete": False, "command": ""}
    # What is decided before it runs may need no dialog any more.
    calls = [event for event in events if event["event"] == "tool" and event["phase"] == "decided"]
    if dialog.cause == "permission" and calls and not (told and last["answer"] == expected):
        told, expected = calls, "deny" if policy == "file" else "allow"
        last = {"answer": calls[0]["decided"], "complete": True, "command": calls[0]["input"]}
    reason = (result_of(folder) or {}).get("reason")
    return {
        "seen": bool(told),
        "whole": last["complete"] and (last["command"] or "").endswith(dialog.whole),
        f"answer {last['answer']!r}": last["answer"] == expected,
        f"ended {reason}": reason == ("idle" if told is calls else ending_of(dialog, expected)),
    }


def ending_of(dialog: Dialog, answer: str | None) -> str:
    if answer is None:
        return "needs_human"
    if dialog.late:
        return "timeout"
    # A tool that is denied ends the agent's turn, with nothing said.
    return "agent_error" if dialog.cause == "permission" and answer != dialog.all else "idle"


def main() -> int:
    arguments = parse_arguments()
    # Of several versions of an agent the one that its manifest names, which comes first.
    clis = {cli.agent.name: cli for cli in reversed(wanted_clis(arguments)) if cli.agent.name in ("claude", "codex")}
    orch, programs = ready(arguments.orch, clis.values())
    scratch = new_scratch("dialogs")
    played = {}
    for dialog in DIALOGS:
        if dialog.agent not in clis or (arguments.dialog and dialog.name not in arguments.dialog):
            continue
        cli = clis[dialog.agent]
        for policy in arguments.policy or ("all", "file"):
            name = f"{cli.name} {dialog.name} {policy}"
            played[name] = play(orch, cli, programs[cli.name], dialog, policy, scratch / name.replace(" ", "-"))
    return conclude("dialog", played, scratch, arguments.keep)


if __name__ == "__main__":
    sys.exit(exit_code_of("dialogs", main))
