"""script/limits: is it told rightly that a model's vendor refuses, and when it will not? See canary/README.md."""

import argparse
import shutil
import subprocess
import sys

from agents import AGENTS as ALL_AGENTS
from agents import Agent, subscribed
from command_line import RIGHT, WRONG, exit_code_of, leave, new_scratch, parser_of, ready
from delivery_runs import Cli
from install import driven_version
from limit_scenarios import AGENTS, SCENARIOS, SUBSCRIBER, TIMEOUT, Right, Scenario
from report import aligned
from scene import Scene
from script import Say
from verdicts import MODES
from workplace import events_of, result_of

DONE = Say("All is done.\n\nLOOP_COMPLETE\n")
TIMEOUT_S = 300  # of one run
ASKS_AGAIN_S = 60  # of one whose agent goes on asking; opencode takes half of it to start
SLACK_S = 90  # limits end at full minutes, and an agent takes a while to start


def parse_arguments() -> argparse.Namespace:
    parser = parser_of(
        "limits",
        "Runs each real agent CLI, on a terminal and headless, against a model that refuses: limits of plans "
        "and keys, credit, login, models, prompts that are too long. Code, reason, cause and retry_after_ms must be right.",
    )
    parser.add_argument("--agent", action="append", choices=AGENTS, help="default: all")
    parser.add_argument("--mode", action="append", choices=MODES, help="default: both")
    names = [scenario.name for scenario in SCENARIOS]
    parser.add_argument("--scenario", action="append", choices=names, metavar="NAME", help="; ".join(names))
    parser.add_argument("--version", help="of the agents; default: the one that the manifest names as tested")
    parser.add_argument("--keep", action="store_true", help="keep the folders of what was right, too")
    return parser.parse_args()


def agent_named(name: str) -> Agent:
    return subscribed(ALL_AGENTS["claude"]) if name == SUBSCRIBER else ALL_AGENTS[name]


def _seconds(ms: int | None) -> int | None:
    return None if ms is None else ms // 1000


def told_of(said: subprocess.CompletedProcess, scene: Scene) -> Right:
    """What the run's result and last status say."""
    result = result_of(scene.folder) or {}
    # The agent's own end comes after the status that counts.
    told = [e for e in events_of(scene.folder) if e["event"] == "status" and e["status"] in ("error", "waiting")]
    cause = told[-1]["cause"] if told else None
    cause = "rate_limit" if cause == "limit" else cause  # the dialog stands for it
    return Right((said.returncode, result.get("reason", "no result")), cause, _seconds(result.get("retry_after_ms")))


def is_right(told: Right, right: Right) -> bool:
    if told.ending != right.ending or right.cause not in (None, told.cause):
        return False
    if right.again_s is None or told.again_s is None:
        return right.again_s is told.again_s
    return abs(told.again_s - right.again_s) <= SLACK_S


def words(what: Right) -> str:
    again = "" if what.again_s is None else f"in {what.again_s} s"
    return " ".join(filter(None, (str(what.ending[0]), what.ending[1], what.cause, again)))


def play(scene: Scene, scenario: Scenario, mode: str, right: Right) -> Right:
    limit_s = ASKS_AGAIN_S if right.ending == TIMEOUT else TIMEOUT_S
    command = ("run", "limits", "--agent", scene.cli.agent.name, "--mode", mode, "--prompt", "Do what is to be done.",
               "--timeout", f"{limit_s}s", *scenario.options)
    if scenario.detached:
        scene.orch_says(*command, "-d", "--until", "complete")
        return told_of(scene.orch_says("wait", "limits", "--until", "exited", patience_s=limit_s + 60), scene)
    return told_of(scene.orch_says(*command, "--output", "json", patience_s=limit_s + 60), scene)


def main() -> int:
    arguments = parse_arguments()
    names = arguments.agent or AGENTS
    wanted = [s for s in SCENARIOS if not arguments.scenario or s.name in arguments.scenario]
    clis = {name: Cli(agent_named(name), arguments.version or driven_version(agent_named(name))) for name in names}
    orch, programs = ready(arguments.orch, clis.values())
    scratch = new_scratch("limits")
    rows, wrong = [["agent", "mode", "scenario", "told", "right"]], 0
    for name, scenario, mode in ((n, s, m) for n in names for s in wanted for m in arguments.mode or MODES):
        if name not in scenario.fails:
            continue
        right = scenario.right_for(name, mode)
        folder = scratch / "-".join((name, scenario.name, mode)).replace(" ", "-").replace(",", "")
        answers = (scenario.fails[name](), *(((DONE,),) if scenario.recovers else ()))
        scene = Scene(orch, clis[name], programs[clis[name].name], folder, answers)
        try:
            told = play(scene, scenario, mode, right)
        except subprocess.TimeoutExpired:
            told = Right((0, "did not end"))
        finally:
            scene.close()
        held = is_right(told, right)
        wrong += not held
        rows.append([name, mode, scenario.name, words(told), "right" if held else words(right)])
        print(*rows[-1], sep=" · ", file=sys.stderr, flush=True)
        if held and not arguments.keep:
            shutil.rmtree(folder, ignore_errors=True)
    print(aligned(rows))
    print(f"{wrong} of {len(rows) - 1} wrong")
    leave(scratch, bool(wrong) or arguments.keep)
    return WRONG if wrong else RIGHT


if __name__ == "__main__":
    sys.exit(exit_code_of("limits", main))
