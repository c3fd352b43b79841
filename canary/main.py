"""script/canary: do the real CLIs still look the way orch's rules say? See canary/README.md."""

import argparse
import json
import os
import shutil
import sys
import time
from pathlib import Path

import report
from agents import AGENTS, DEFAULT_AGENTS
from install import (
    REPOSITORY, CannotRun, check_tools, find_orch, install, newest_version, scratch_folder, tested_version,
)
from runner import Outcome, keep_recording, run_scenario
from scenarios import SCENARIOS, SIZES

RIGHT, REGRESSION, CANNOT_RUN = 0, 1, 2


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="script/canary",
        description="Drives the real agent CLIs against a scripted model and scores the statuses that orch tells.",
        epilog="exit: 0 all is right · 1 a regression · 2 it cannot run here",
    )
    scenarios = [scenario.name for scenario in SCENARIOS]
    parser.add_argument("--latest", action="store_true", help="the vendors' newest, not the versions of the manifests")
    parser.add_argument("--update", action="store_true", help="keep the recordings under tests/recordings")
    parser.add_argument("--agent", action="append", choices=AGENTS, help=f"default: {', '.join(DEFAULT_AGENTS)}")
    parser.add_argument("--scenario", action="append", choices=scenarios, metavar="NAME", help=", ".join(scenarios))
    parser.add_argument("--orch", type=Path, metavar="PATH", help="the binary; default: the newest under build/")
    parser.add_argument("--keep", action="store_true", help="keep every run's folder, not only those of failures")
    parser.add_argument("--json", action="store_true", help="the result as JSON")
    return parser.parse_args()


def run_all(arguments: argparse.Namespace, orch: Path) -> tuple[list[Outcome], dict[str, str]]:
    check_tools()
    agents = [AGENTS[name] for name in arguments.agent or DEFAULT_AGENTS]
    versions = {a.name: newest_version(a) if arguments.latest else tested_version(a) for a in agents}
    programs = {agent.name: install(agent, versions[agent.name]) for agent in agents}
    scenarios = [s for s in SCENARIOS if not arguments.scenario or s.name in arguments.scenario]
    runs = scratch_folder() / "runs" / f"{time.strftime('%Y%m%dT%H%M%S', time.gmtime())}-{os.getpid()}"
    outcomes = []
    for agent in agents:
        print(f"{agent.name} {versions[agent.name]}", file=sys.stderr)
        for scenario in (s for s in scenarios if s.ending_for(agent.name)):
            for size in SIZES:
                folder = runs / f"{agent.name}-{scenario.name}-{size}"
                outcome = run_scenario(orch, agent, programs[agent.name], scenario, size, folder)
                print(report.line(outcome), file=sys.stderr, flush=True)
                settle(outcome, arguments)
                outcomes.append(outcome)
    return outcomes, versions


def settle(outcome: Outcome, arguments: argparse.Namespace) -> None:
    if arguments.update:
        name = f"{outcome.scenario}-{outcome.size}.cast"
        keep_recording(outcome, REPOSITORY / "tests/recordings" / outcome.agent / name)
    if outcome.faults:
        print(f"    {outcome.recording or outcome.folder}", file=sys.stderr)
    elif not arguments.keep:
        shutil.rmtree(outcome.folder, ignore_errors=True)


def main() -> int:
    arguments = parse_arguments()
    try:
        outcomes, versions = run_all(arguments, find_orch(arguments.orch))
    except (CannotRun, OSError) as error:
        print(f"canary: cannot run here: {error}", file=sys.stderr)
        return CANNOT_RUN
    except KeyboardInterrupt:
        return 130
    if arguments.json:
        print(json.dumps(report.as_json(outcomes, versions), indent=2))
    elif outcomes:
        print(report.table(outcomes))
    return REGRESSION if any(outcome.faults for outcome in outcomes) else RIGHT


if __name__ == "__main__":
    sys.exit(main())
