"""script/canary: do the real CLIs still look the way orch's rules say? See canary/README.md."""

import argparse
import json
import os
import shutil
import sys
import time

import latest
import report
from agents import DEFAULT_AGENTS
from background import MANAGERS
from campaign import heed_signals, run_all
from command_line import CANNOT_RUN, INTERRUPTED, RIGHT, WRONG, all_clis, parser_of, ready
from delivery_runs import Bench, Cli
from install import REPOSITORY, CannotRun, driven_version, newest_version, run_folder, scratch_folder
from more_agents import ALL_AGENTS
from runner import Job, Outcome, keep_recording, run_scenario
from scenarios import MORE_SIZES, SCENARIOS, SIZES


ALL_SIZES = (*SIZES, *MORE_SIZES)
TURNS = "turns"  # of --size


def parse_arguments() -> argparse.Namespace:
    parser = parser_of(
        "canary",
        "Drives the real agent CLIs against a scripted model and scores the statuses that orch tells.",
        right="all is right", wrong="a regression",
    )
    scenarios = [scenario.name for scenario in SCENARIOS]
    parser.add_argument(
        "--latest", action="store_true",
        help="the vendors' newest, not the versions of the manifests; without --scenario, --size and --session-manager "
        "in every campaign of this folder, with a report of what is drawn otherwise than before",
    )
    parser.add_argument("--quick", action="store_true", help="with --latest: an hour on two idle cores at most")
    parser.add_argument(
        "--campaign", action="append", choices=latest.names(), metavar="NAME",
        help=f"with --latest: {', '.join(latest.names())}; default: all",
    )
    parser.add_argument(
        "--update", action="store_true",
        help="keep the recordings under tests/recordings; with every campaign: note the version, and what it draws, as "
        "what was seen (canary/drawn.json, and \"tested\" of the manifests)",
    )
    agents = [*ALL_AGENTS, *(cli.name for cli in all_clis() if cli.name not in ALL_AGENTS)]
    parser.add_argument(
        "--agent", action="append", choices=agents, metavar="NAME",
        help=f"{', '.join(agents)}; default: {', '.join(DEFAULT_AGENTS)}",
    )
    parser.add_argument("--scenario", action="append", choices=scenarios, metavar="NAME", help=", ".join(scenarios))
    parser.add_argument(
        "--size", action="append", choices=[*ALL_SIZES, TURNS],
        help=f"default: {' and '.join(SIZES)}; turns: one of all for each scenario, by turns",
    )
    parser.add_argument(
        "--session-manager", action="append", choices=MANAGERS, default=[],
        help="run in the background under it; several are compared; default: in the foreground",
    )
    parser.add_argument(
        "--jobs", type=int, metavar="N",
        help="how many runs at once (1); of every campaign: how many campaigns (2 where the machine is idle, else 1)",
    )
    parser.add_argument("--guessed", action="store_true", help="by the rules for an agent without a manifest")
    parser.add_argument("--again", action="store_true", help="what is wrong once is made again, and then counts")
    parser.add_argument("--keep", action="store_true", help="keep every run's folder, not only those of failures")
    parser.add_argument("--json", action="store_true", help="the result as JSON")
    arguments = parser.parse_args()
    arguments.whole = arguments.latest and not (arguments.scenario or arguments.size or arguments.session_manager)
    if (arguments.quick or arguments.campaign) and not arguments.whole:
        parser.error("--quick and --campaign are for --latest without --scenario, --size and --session-manager")
    if arguments.whole and arguments.update and not arguments.quick:
        parser.error("--update of every campaign wants --quick: what a quick run draws a full one draws, too")
    return arguments


def wanted_clis(arguments: argparse.Namespace) -> list[Cli]:
    clis = []
    for name in arguments.agent or DEFAULT_AGENTS:
        agent, _, version = name.partition("@")
        agent = ALL_AGENTS[agent]
        clis.append(Cli(agent, version or (newest_version if arguments.latest else driven_version)(agent)))
    return clis


def planned(arguments: argparse.Namespace, clis: list[Cli]) -> list[Job]:
    """The session managers take turns, that what else the machine does meets them alike."""
    def sizes(index: int) -> list[str]:
        return [ALL_SIZES[index % len(ALL_SIZES)]] if TURNS in (arguments.size or ()) else arguments.size or SIZES

    return [
        Job(cli, scenario, size, manager, arguments.guessed)
        for cli in clis
        for index, scenario in enumerate(SCENARIOS) if scenario.ending_for(cli.agent.name)
        if not arguments.scenario or scenario.name in arguments.scenario
        for size in sizes(index)
        for manager in arguments.session_manager or [None]
    ]


def play(arguments: argparse.Namespace, clis: list[Cli]) -> list[Outcome]:
    if "tmux" in arguments.session_manager and shutil.which("tmux") is None:
        raise CannotRun("tmux is not installed")
    runs = (run_folder() or scratch_folder()) / "runs" / f"{time.strftime('%Y%m%dT%H%M%S', time.gmtime())}-{os.getpid()}"
    orch, programs_of = ready(arguments.orch, clis)
    bench = Bench(orch, programs_of, runs, arguments.keep)
    jobs = planned(arguments, clis)
    outcomes: dict[str, Outcome] = {}

    def run(job: Job) -> None:
        outcome = run_scenario(bench, job)
        print(report.line(outcome), file=sys.stderr, flush=True)
        if outcome.faults and arguments.again:
            outcome = run_scenario(bench, job, again=True)
            print(report.line(outcome), file=sys.stderr, flush=True)
        outcomes[job.name] = outcome
        settle(outcome, arguments)

    run_all(bench, jobs, arguments.jobs or 1, run)
    return [outcomes[job.name] for job in jobs]


def settle(outcome: Outcome, arguments: argparse.Namespace) -> None:
    if arguments.update:
        job = outcome.job
        name = f"{job.scenario.name}-{job.size}.cast"
        keep_recording(outcome, REPOSITORY / "tests/recordings" / job.agent.name / name)
    if outcome.faults:
        print(f"    {outcome.recording or outcome.folder}", file=sys.stderr)
    elif not arguments.keep:
        shutil.rmtree(outcome.folder, ignore_errors=True)


def main() -> int:
    arguments = parse_arguments()
    heed_signals()
    try:
        if arguments.whole:
            return latest.run(arguments)
        clis = wanted_clis(arguments)
        outcomes = play(arguments, clis)
    except (CannotRun, OSError) as error:
        print(f"canary: cannot run here: {error}", file=sys.stderr)
        return CANNOT_RUN
    except KeyboardInterrupt:
        return INTERRUPTED
    if arguments.json:
        print(json.dumps(report.as_json(outcomes, {cli.name: cli.version for cli in clis}), indent=2))
    elif outcomes:
        print(report.table(outcomes))
        print(*report.differences(outcomes), sep="\n")
    return WRONG if any(outcome.faults for outcome in outcomes) else RIGHT


if __name__ == "__main__":
    sys.exit(main())
