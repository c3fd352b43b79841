"""script/deliveries: does every message reach the real CLIs once, in order, as it was? See canary/README.md."""

import argparse
import itertools
import shlex
import sys
import threading
from pathlib import Path

import campaign
import delivery_table
from agents import AGENTS, DEFAULT_AGENTS
from command_line import all_clis, parser_of, ready
from delivery_log import RunRecord, append, read_log
from delivery_runs import Bench, Cli, Job, is_busy, make_run
from load import Load
from messages import COLD_KINDS, ISSUE_KINDS

RUNS = {"cold": 100, "session": 30, "issues": 50, "openings": 5}
BLOCK = 3 * len(COLD_KINDS)  # runs of one agent before the next has its turn


def parse_arguments() -> argparse.Namespace:
    parser = parser_of(
        "deliveries",
        "Sends messages to the real agent CLIs through orch and compares what a scripted model got with "
        "what was sent. An interrupted campaign goes on where it was; the table is over all runs of the log.",
        right="every message arrived once, in order, as it was, and orch told so",
    )
    parser.add_argument(
        "campaign", nargs="*", choices=[[], *RUNS], metavar="|".join(RUNS),
        help="cold starts with a prompt given at once (cold) or with an issue's file (issues); sessions of many "
        "messages (session), or of messages that open in every way (openings); default: all",
    )
    parser.add_argument(
        "--agent", action="append", choices=[cli.name for cli in all_clis()], help="default: all but opencode"
    )
    parser.add_argument(
        "--runs", type=int, metavar="N",
        help="of each agent; default: " + ", ".join(f"{runs} {campaign}" for campaign, runs in RUNS.items()),
    )
    parser.add_argument(
        "--kind", action="append", choices=(*COLD_KINDS, *ISSUE_KINDS), help="cold starts with these prompts only"
    )
    parser.add_argument("--late", type=float, metavar="SECONDS", help="what the CLIs draw comes so late")
    campaign.add_log_options(parser, "deliveries")
    return parser.parse_args()


def wanted_clis(arguments: argparse.Namespace) -> list[Cli]:
    if arguments.agent:
        return [cli for cli in all_clis() if cli.name in arguments.agent]
    return [cli for cli in all_clis() if cli.agent.name in DEFAULT_AGENTS]


def planned(arguments: argparse.Namespace) -> list[Job]:
    jobs = []
    for campaign in arguments.campaign or RUNS:
        for cli in wanted_clis(arguments):
            indices = range(arguments.runs or RUNS[campaign])
            jobs += [Job(campaign, cli, index, is_busy(index)) for index in indices]
    if arguments.kind:
        jobs = [job for job in jobs if job.kind in arguments.kind]
    return jobs


def batches(jobs: list[Job]) -> list[list[Job]]:
    """Runs that may be made at once: all with the same load. The agents take turns, that a campaign
    that is stopped early has something of all."""
    def batch(job: Job) -> tuple:
        return (job.index // BLOCK, job.campaign, job.cli.name, job.busy)

    return [list(group) for _, group in itertools.groupby(sorted(jobs, key=batch), batch)]


def run_batch(bench: Bench, jobs: list[Job], workers: int, log: Path) -> None:
    writing = threading.Lock()

    def run(job: Job) -> None:
        record = make_run(bench, job)
        with writing:
            append(log, record)
            say(record, job)

    with Load(on=jobs[0].busy):
        campaign.run_all(bench, jobs, workers, run)


def say(record: RunRecord, job: Job) -> None:
    verdict = "; ".join(record.faults) or "right"
    load = "busy" if record.busy else "calm"
    print(f"{job.name:28} {job.kind:10} {load} {record.duration_s:6.1f} s  {verdict}", file=sys.stderr, flush=True)
    if record.folder:
        print(f"    {record.folder}", file=sys.stderr, flush=True)


def made_late(programs: Path, seconds: float, log: Path) -> Path:
    """A folder with the CLIs of that one, each behind a terminal that is late."""
    folder = campaign.folder_of(log) / "late" / programs.parent.parent.name
    folder.mkdir(parents=True, exist_ok=True)
    late = Path(__file__).with_name("late.py")
    for program in (programs / name for name in AGENTS):
        if program.exists():
            wrapper = folder / program.name
            words = [sys.executable, str(late), str(seconds), str(program)]
            wrapper.write_text(f'#!/bin/sh\nexec {shlex.join(words)} "$@"\n', encoding="utf-8")
            wrapper.chmod(0o755)
    return folder


def play(arguments: argparse.Namespace, log: Path) -> None:
    orch, programs_of = ready(arguments.orch, wanted_clis(arguments))
    if arguments.late is not None:
        programs_of = {name: made_late(programs, arguments.late, log) for name, programs in programs_of.items()}
    bench = Bench(orch, programs_of, campaign.folder_of(log), arguments.keep)
    made = {record.key for record in read_log(log)}
    for jobs in batches([job for job in planned(arguments) if job.key not in made]):
        run_batch(bench, jobs, arguments.jobs, log)


def show(log: Path) -> bool:
    records = read_log(log)
    if records:
        print(delivery_table.table(records))
        print(delivery_table.summary(records))
    return not any(record.faults for record in records)


if __name__ == "__main__":
    options = parse_arguments()
    sys.exit(campaign.main("deliveries", options, lambda log: play(options, log), show))
