"""script/unasked: does a real CLI run a command that nobody allowed? See canary/README.md."""

import argparse
import json
import sys
from pathlib import Path

from agents import Agent, Place, shell_call
from command_line import RIGHT, WRONG, add_agents, exit_code_of, leave, new_scratch, parser_of, ready, wanted_clis
from delivery_runs import Cli
from model_server import ModelServer
from report import aligned
from script import Say, Use
from workplace import Programs, environment, events_of, make_project, result_of, state_folder

TIMEOUT_S = 90
TOUCHED = "out.txt"


def parse_arguments() -> argparse.Namespace:
    parser = parser_of(
        "unasked",
        "Lets the model of each real agent CLI, with the CLI's own defaults, touch a file under "
        "--approve none: orch has to be asked, and the file must not be there.",
        right="nothing ran unasked",
    )
    add_agents(parser)
    parser.add_argument("--keep", action="store_true", help="keep the folders of the runs")
    return parser.parse_args()


def forget_rules(home: Path) -> None:
    """What makes the CLIs ask in other campaigns: here it is orch that has to."""
    claude = home / ".claude/settings.json"
    if claude.exists():
        claude.write_text("{}")
    codex = home / ".codex/config.toml"
    if codex.exists():
        lines = codex.read_text().splitlines()
        kept = [line for line in lines if not line.startswith(("sandbox_mode", "approval_policy"))]
        codex.write_text("\n".join(kept) + "\n")
    opencode = home / ".config/opencode/opencode.json"
    if opencode.exists():
        config = json.loads(opencode.read_text())
        config.pop("permission")
        opencode.write_text(json.dumps(config))


def command_of(agent: Agent):
    call = shell_call(agent, f"touch {TOUCHED}")
    if agent.name != "codex":
        return call
    plain = {"cmd": call.arguments["cmd"]}  # without asking for more rights
    return type(call)(call.name, plain)


def run(orch: Path, cli: Cli, programs: Path, folder: Path) -> tuple[str, bool, str]:
    """How the run ended, whether the command ran, what was asked."""
    project = make_project(folder)
    agent = cli.agent
    answers = ((Say("I touch it."), Use("touch")), (Say("Done."),), (Say("Done."),))
    server = ModelServer(answers, {"touch": command_of(agent)}, folder / "model.jsonl")
    place = Place(project.parent, project, server.port)
    agent.configure(place, "ready")
    forget_rules(project.parent)
    command = [
        str(orch), "run", "unasked", "--agent", agent.name, "--prompt", "Touch it.", "--until", "idle",
        "--approve", "none", "--size", "120x40", "--timeout", f"{TIMEOUT_S}s",
        "--output", "json", "--state-dir", str(state_folder(folder)),
    ]
    try:
        Programs().run(command, project, environment(agent, place, programs), folder / "stdout.jsonl",
                       folder / "stderr.txt", TIMEOUT_S + 30)
    finally:
        server.close()
    asked = [event["command"] or event["title"] for event in events_of(folder) if event["event"] == "dialog"]
    return str((result_of(folder) or {}).get("reason")), (project / TOUCHED).exists(), "; ".join(asked)


def main() -> int:
    arguments = parse_arguments()
    clis = wanted_clis(arguments)
    orch, programs = ready(arguments.orch, clis)
    scratch = new_scratch("unasked")
    rows, all_right = [["agent", "ended", "ran", "asked"]], True
    for cli in clis:
        ended, ran, asked = run(orch, cli, programs[cli.name], scratch / cli.name)
        rows.append([cli.name, ended, "yes" if ran else "no", asked])
        all_right = all_right and not ran
    print(aligned(rows))
    leave(scratch, arguments.keep)
    return RIGHT if all_right else WRONG


if __name__ == "__main__":
    sys.exit(exit_code_of("unasked", main))
