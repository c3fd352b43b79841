"""script/verdicts: does a run end with the reason and the exit code that it earned? See canary/README.md."""

import argparse
import json
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

from command_line import RIGHT, WRONG, add_agents, exit_code_of, leave, new_scratch, parser_of, ready, wanted_clis
from delivery_runs import Cli
from protocols import USAGE_IN
from report import aligned
from scene import Scene
from script import Answer, Fail, HangUp, Pause, Say, Use
from workplace import result_of

MODES = ("interactive", "headless")
TIMEOUT_S = 300  # of one run
MADE = "made-by-agent.txt"  # by the tool "shell"
DONE = Say("All is done.\n\nLOOP_COMPLETE\n")
BROKEN = (Pause(1), Say("This answer breaks off in the"), Pause(3), HangUp())  # see scenarios.py, disconnect
COMPLETE, NEEDS_HUMAN, ERROR, LATER = (0, "complete"), (10, "needs_human"), (1, "agent_error"), (75, "retry_later")


@dataclass(frozen=True)
class Case:
    """What the model answers, what orch is told beside the prompt, and how the run must end, alike in both modes
    but for what is `drawn`."""

    name: str
    answers: tuple[Answer, ...]
    ending: tuple[int, str]
    options: tuple[str, ...] = ()
    makes: bool = False  # whether the tool's file must be there at the end, or must not
    turns: int = 1
    drawn: dict[str, tuple[int, str]] = field(default_factory=dict)  # other endings on a terminal, by the agent

    def ending_for(self, agent: str, mode: str) -> tuple[int, str]:
        return self.drawn.get(agent, self.ending) if mode == "interactive" else self.ending


# On its screen gemini says nothing of failures while it asks again, for more than ten minutes (measured).
ASKS_AGAIN = {"gemini": (124, "timeout")}
CASES = (
    Case("success", ((Pause(1), DONE),), COMPLETE),
    Case("two turns", ((Say("The first half is done."),), (DONE,)), COMPLETE, turns=2),
    Case("tool", ((Say("I make it."), Use("shell")), (DONE,)), COMPLETE, ("--approve", "all"), makes=True),
    Case("tool refused", ((Say("I make it."), Use("shell asked")), (DONE,)), NEEDS_HUMAN, ("--approve", "none")),
    Case("401", (Fail(401, "the key is not valid"),), ERROR, turns=1),
    Case("429", (Fail(429, "too many requests; the rate limit is exceeded"),), LATER, drawn=ASKS_AGAIN),
    Case("500", (Fail(500, "an internal error"),), ERROR, drawn=ASKS_AGAIN),
    Case("cut stream", (BROKEN,) * 40, ERROR),
    Case("ends mid-tool", ((Say("A look first."), Use("read")), *((Say(""),),) * 20), ERROR, ("--until", "idle")),
)
GATES = (
    Case("nothing done", ((DONE,),), (21, "no_changes"), ("--require-changes",)),
    Case("gate fails", ((DONE,),), (20, "gate_failed"), ("--verify", f"test -f {MADE}")),
    Case(
        "gate fails, then passes", ((DONE,), (Say("So I make it."), Use("shell")), (DONE,)), COMPLETE,
        ("--verify", f"test -f {MADE}", "--fix-turns", "1", "--approve", "all"), makes=True, turns=2,
    ),
)


def parse_arguments() -> argparse.Namespace:
    parser = parser_of(
        "verdicts",
        "Runs each real agent CLI, on a terminal and headless, against a model that answers well, fails, "
        "breaks off or stops in the middle. Reason, exit code, result.json and what the CLI did must be right, alike "
        "in both modes.",
    )
    add_agents(parser)
    parser.add_argument("--mode", action="append", choices=MODES, help="default: both")
    names = [case.name for case in CASES + GATES]
    parser.add_argument("--case", action="append", choices=names, metavar="NAME", help=", ".join(names))
    parser.add_argument("--keep", action="store_true", help="keep the folders of what was right, too")
    return parser.parse_args()


def faults_of(scene: Scene, case: Case, mode: str) -> list[str]:
    """What is not as it must be after the run; what was seen stands first."""
    try:
        said = scene.orch_says(
            "run", "verdict", "--agent", scene.cli.agent.name, "--mode", mode, "--prompt", "Do what is to be done.",
            "--timeout", f"{TIMEOUT_S}s", "--output", "json", *case.options, patience_s=TIMEOUT_S + 60,
        )
    except subprocess.TimeoutExpired:
        return ["orch did not end"]
    faults = []
    result = result_of(scene.folder)
    if result is None:
        return [f"exit {said.returncode} and no result.json"]
    ending = (said.returncode, result["reason"])
    if ending != case.ending_for(scene.cli.agent.name, mode):
        faults.append(f"exit {ending[0]} {ending[1]}")
    ends = [json.loads(line) for line in said.stdout.splitlines() if '"event":"exit"' in line]
    if [(end["code"], end["reason"]) for end in ends] != [ending] or result["code"] != said.returncode:
        faults.append("stdout, result.json and the exit code disagree")
    if case.makes != (scene.project / MADE).exists():
        faults.append("the file was not made" if case.makes else "the file was made")
    if result["turns"] != case.turns:
        faults.append(f"{result['turns']} turns")
    if case.ending == COMPLETE and not is_usage_right(scene.cli.agent.name, mode, result["usage"], len(case.answers)):
        faults.append(f"usage {result['usage']}")
    return faults


def is_usage_right(agent: str, mode: str, usage: dict | None, answers: int) -> bool:
    """Each answer is counted once. In its last line headless gemini counts requests of its own beside them."""
    if usage is None or usage["in"] % USAGE_IN != 0:
        return False
    counted = usage["in"] // USAGE_IN
    return counted >= answers if (agent, mode) == ("gemini", "headless") else counted == answers


def main() -> int:
    arguments = parse_arguments()
    clis = wanted_clis(arguments)
    cases = [case for case in CASES + GATES if not arguments.case or case.name in arguments.case]
    modes = arguments.mode or MODES
    orch, programs = ready(arguments.orch, clis)
    scratch = new_scratch("verdicts")
    rows, wrong = [["agent", "case", *modes]], 0
    for cli in clis:
        for case in cases:
            row = [cli.name, case.name]
            for mode in modes:
                cell = verdict_of(orch, cli, programs[cli.name], scratch, case, mode, arguments.keep)
                wrong += cell != "right"
                row.append(cell)
            rows.append(row)
            print(*row, sep=" · ", file=sys.stderr, flush=True)
    print(aligned(rows))
    print(f"{wrong} of {(len(rows) - 1) * len(modes)} wrong")
    leave(scratch, bool(wrong) or arguments.keep)
    return WRONG if wrong else RIGHT


def verdict_of(orch: Path, cli: Cli, programs: Path, scratch: Path, case: Case, mode: str, keep: bool) -> str:
    folder = scratch / f"{cli.name}-{case.name.replace(' ', '-')}-{mode}"
    tools = cli.agent.tools
    if mode == "headless":  # codex cannot ask for more than its sandbox allows there
        tools = tools | {"shell": tools.get("shell unasked", tools["shell"])}
    tools = tools | {"shell asked": cli.agent.tools["shell"]}
    scene = Scene(orch, cli, programs, folder, case.answers, tools)
    try:
        faults = faults_of(scene, case, mode)
    finally:
        scene.close()
    if not faults and not keep:
        shutil.rmtree(folder, ignore_errors=True)
    return ", ".join(faults) or "right"


if __name__ == "__main__":
    sys.exit(exit_code_of("verdicts", main))
