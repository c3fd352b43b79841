"""script/continued: going on with a run whose orch was killed in the middle of it. See canary/README.md."""

import argparse
import json
import os
import signal
import sys
from pathlib import Path

from checks import Checks, conclude
from command_line import add_agents, exit_code_of, new_scratch, parser_of, ready, wanted_clis
from protocols import USAGE_IN
from scene import PATIENCE_S, Scene
from script import Say

ISSUE = "continued"
FIRST, SECOND, THIRD = "Remember the word PLUM.", "Which word was it?", "And how many letters has it?"
ANSWERS = (
    (Say("I keep it in mind."),),  # without the keyword: orch asks the agent to go on
    (Say("Now I work for long. " * 20, rest_at=60, rest_s=PATIENCE_S),),  # orch is killed meanwhile
    (Say("It was PLUM.\n\nLOOP_COMPLETE\n"),),
    # The screen shows the keyword of before, and this answer takes its time.
    (Say("I count: P, L, U, M. " * 4 + "\n\nFour.\n\nLOOP_COMPLETE\n", rest_at=20, rest_s=6),),
)


def parse_arguments() -> argparse.Namespace:
    parser = parser_of(
        "continued",
        "Kills orch (SIGKILL) while each real agent CLI is at work. The run must be listed as failed, and "
        "orch continue must go on in a new run with all that was said, which the model server sees; twice, for the "
        "words of before that stand on the screen anew may not complete a run.",
    )
    add_agents(parser)
    parser.add_argument("--mode", choices=("interactive", "headless"), default="interactive")
    return parser.parse_args()


def play(scene: Scene, mode: str) -> Checks:
    checks: Checks = {}
    started = scene.orch_says("run", ISSUE, "-d", "--agent", scene.cli.agent.name, "--mode", mode,
                              "--prompt", FIRST)
    at_work = scene.wait_for(lambda: any(fact["request"] == 1 for fact in scene.facts("said")))
    if started.returncode != 0 or not at_work:
        return checks | {"at work": False}
    checks["own session known"] = scene.wait_for(lambda: bool(scene.newest()["agent_session"]))
    killed = scene.newest()
    status = json.loads(scene.orch_says("status", ISSUE, "--json").stdout)
    os.kill(status["pid"], signal.SIGKILL)
    scene.wait_for(lambda: not Path(f"/proc/{status['pid']}").exists())  # on a busy machine that takes a moment
    checks["failed"] = scene.newest()["state"] == "failed"
    scene.wait_for(lambda: scene.newest()["ended"])  # its guardian has ended the agent

    again = scene.orch_says("continue", killed["run"], SECOND, "--output", "json")
    run = scene.newest()
    checks["continued"] = again.returncode == 0 and scene.has_heard(2, FIRST, SECOND)
    checks["parent"] = run["parent"] == killed["run"] and run["state"] == "completed"
    checks["same session"] = run["agent_session"] == killed["agent_session"]

    third = scene.orch_says("continue", ISSUE, THIRD, "--output", "json")
    answered = [fact["request"] for fact in scene.facts("answered")]
    checks["not by old words"] = third.returncode == 0 and 3 in answered
    checks["all remembered"] = scene.has_heard(3, FIRST, SECOND, THIRD)
    old_words = "I keep it in mind." in again.stdout or "It was PLUM." in third.stdout
    checks["new words alone"] = "Four." in third.stdout and not old_words
    # One request each: what the conversation took before is not this run's.
    usages = [ended["usage"] for ended in (run, scene.newest())]
    most = 2 if (scene.cli.agent.name, mode) == ("gemini", "headless") else 1  # it counts some of its own
    checks["own usage"] = all(usage and USAGE_IN <= usage["in"] <= most * USAGE_IN for usage in usages)
    return checks


def main() -> int:
    arguments = parse_arguments()
    clis = wanted_clis(arguments)
    orch, programs = ready(arguments.orch, clis)
    scratch = new_scratch("continued")
    played: dict[str, Checks] = {}
    for cli in clis:
        scene = Scene(orch, cli, programs[cli.name], scratch / cli.name, ANSWERS)
        try:
            played[cli.name] = play(scene, arguments.mode)
        finally:
            scene.close()
    return conclude("agent", played, scratch)


if __name__ == "__main__":
    sys.exit(exit_code_of("continued", main))
