"""script/headless-start: from the start of `orch run --mode headless` to the model's first request, against that of the
CLI's own headless mode. See canary/README.md."""

import argparse
import statistics
import sys
import time
from pathlib import Path

from agents import Place
from command_line import RIGHT, WRONG, add_agents, exit_code_of, leave, new_scratch, parser_of, ready, wanted_clis
from delivery_runs import Cli
from install import CannotRun
from model_server import ModelServer
from report import aligned
from script import Say
from workplace import Programs, environment, make_project, state_folder

PROMPT = "Say what sum.py does, please."
# The CLIs' own headless modes, which take the prompt on the command line.
OWN = {
    "claude": ["claude", "-p", PROMPT],
    "codex": ["codex", "exec", "--skip-git-repo-check", PROMPT],
    "gemini": ["gemini", "-p", PROMPT],
    "opencode": ["opencode", "run", PROMPT],
}
MOST = 1.15  # times the CLI's own median
TIMEOUT_S = 120


def parse_arguments() -> argparse.Namespace:
    parser = parser_of(
        "headless-start",
        "Starts each real agent CLI by itself and under orch run --mode headless, in turns, each time in a fresh "
        "home, and measures the time to the model's first request. The machine should be idle.",
        right=f"no median is more than {MOST} times the CLI's own",
    )
    add_agents(parser)
    parser.add_argument("--runs", type=int, default=10, metavar="N", help="of each kind (default: 10)")
    parser.add_argument("--keep", action="store_true", help="keep the folders of the runs")
    return parser.parse_args()


def seconds_to_request(command: list[str], cli: Cli, programs: Path, folder: Path) -> float:
    """`command` runs in a project of a fresh home below `folder`."""
    project = make_project(folder)
    server = ModelServer(((Say("It adds numbers."),),), {}, folder / "model.jsonl")
    place = Place(project.parent, project, server.port)
    cli.agent.configure(place, "ready")
    env = environment(cli.agent, place, programs)
    started = time.time()
    try:
        Programs().run(command, project, env, folder / "stdout.txt", folder / "stderr.txt", TIMEOUT_S)
    finally:
        facts = server.close()
    arrived = [fact.time for fact in facts if fact.kind == "arrived"]
    if not arrived:
        raise CannotRun(f"{cli.name} asked its model nothing: see {folder} (--keep)")
    return arrived[0] - started


def under_orch(orch: Path, cli: Cli, folder: Path) -> list[str]:
    return [
        str(orch), "run", "start", "--agent", cli.agent.name, "--mode", "headless", "--prompt", PROMPT,
        "--until", "idle", "--timeout", f"{TIMEOUT_S}s", "--state-dir", str(state_folder(folder)),
    ]


def main() -> int:
    arguments = parse_arguments()
    clis = [cli for cli in wanted_clis(arguments) if arguments.agent or cli.agent.name != "opencode"]
    orch, programs = ready(arguments.orch, clis)
    scratch = new_scratch("headless-start")
    rows, all_right = [["agent", "runs", "its own s", "orch s", "times"]], True
    for cli in clis:
        own: list[float] = []
        ours: list[float] = []
        for n in range(arguments.runs):
            folder = scratch / f"{cli.name}-{n}"
            for times, name in ((own, "own"), (ours, "orch")) if n % 2 else ((ours, "orch"), (own, "own")):
                place = folder / name
                command = OWN[cli.agent.name] if name == "own" else under_orch(orch, cli, place)
                times.append(seconds_to_request(command, cli, programs[cli.name], place))
            print(f"{cli.name}: {own[-1]:.2f} s, {ours[-1]:.2f} s under orch", file=sys.stderr, flush=True)
        its, with_orch = statistics.median(own), statistics.median(ours)
        rows.append([cli.name, str(len(own)), f"{its:.2f}", f"{with_orch:.2f}", f"{with_orch / its:.2f}"])
        all_right = all_right and with_orch <= MOST * its
    print(aligned(rows))
    leave(scratch, arguments.keep)
    return RIGHT if all_right else WRONG


if __name__ == "__main__":
    sys.exit(exit_code_of("headless-start", main))
