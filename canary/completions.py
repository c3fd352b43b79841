"""script/completions: does a run end when the real CLIs say the keyword, and only then? See canary/README.md."""

import argparse
import sys
import threading
from collections import Counter
from pathlib import Path

import campaign
from command_line import parser_of, wanted_clis
from completion_log import RIGHT, TurnRecord, of_turns_at_once, read_log, right_of_all, table
from completion_runs import Job, make_run
from completion_turns import FALSE_TURNS, TRUE_TURNS, Turn, at_once
from delivery_log import append
from delivery_runs import Cli
from scenarios import SIZES


def parse_arguments() -> argparse.Namespace:
    parser = parser_of(
        "completions",
        "Lets the real agent CLIs quote, print, mention and say the keyword and compares which turn "
        "completed the run with which had to. Each turn is played at one size. An interrupted campaign goes on where "
        "it was; the table is over all turns of the log.",
        right="every run ended where it had to",
    )
    parser.add_argument("--turn", action="append", metavar="TEXT", help="only turns whose name holds it")
    parser.add_argument("--at-once", type=int, metavar="N", help="play N answers instead that the model gives whole and "
                        "without a delay, a run each: each must complete it")
    campaign.add_options(parser, "completions")
    return parser.parse_args()


def planned(cli: Cli, sizes: tuple[str, ...], turns: list[Turn], made: set[tuple[str, str, str]]) -> list[Job]:
    """Each turn at one size. A run has one turn that completes, at its end, and its share of the others before."""
    size_of = {turn.name: sizes[n % len(sizes)] for n, turn in enumerate(turns)}
    missing = [turn for turn in turns if (cli.name, turn.name, size_of[turn.name]) not in made]
    jobs = []
    for size in sizes:
        here = [turn for turn in missing if size_of[turn.name] == size]
        last = [turn for turn in here if turn.completes]
        others = [turn for turn in here if not turn.completes]
        runs = max(1, len(last))
        batches = [(*others[n::runs], *last[n : n + 1]) for n in range(runs)]
        jobs += [Job(cli, batch, size) for batch in batches if batch]
    return jobs


def play(arguments: argparse.Namespace, log: Path) -> None:
    clis = wanted_clis(arguments)
    bench = campaign.bench_for(arguments, clis, log)
    all_turns = at_once(arguments.at_once) if arguments.at_once else (*FALSE_TURNS, *TRUE_TURNS)
    turns = [turn for turn in all_turns
             if not arguments.turn or any(text in turn.name for text in arguments.turn)]
    sizes = tuple(arguments.size or SIZES)
    writing = threading.Lock()

    def run(job: Job) -> None:
        records = make_run(bench, job)
        with writing:
            for record in records:
                append(log, record)
            say(job, records)

    def jobs() -> list[Job]:
        made = {record.key for record in read_log(log)}
        return [job for cli in clis for job in planned(cli, sizes, turns, made)]

    while left := jobs():  # a turn that ends a run too early leaves those behind it
        campaign.run_all(bench, left, arguments.jobs, run)


def say(job: Job, records: list[TurnRecord]) -> None:
    wrong = "; ".join(f"{r.turn}: {r.verdict}" for r in records if r.verdict != RIGHT) or "right"
    played = f"{len(records)} of {len(job.turns)} turns"
    line = f"{job.cli.name:15} {job.name:40} {played:16} {records[0].duration_s:6.1f} s  {wrong}"
    print(line, file=sys.stderr, flush=True)
    if records[0].folder:
        print(f"    {records[0].folder}", file=sys.stderr, flush=True)


def show(arguments: argparse.Namespace, log: Path) -> bool:
    records = of_turns_at_once(read_log(log), arguments.at_once)
    if records:
        print(right_of_all(records, arguments.at_once) if arguments.at_once else table(records))
    played = Counter(record.agent for record in records)
    whole = not arguments.at_once or all(times == arguments.at_once for times in played.values())
    return whole and all(record.verdict == RIGHT for record in records)


if __name__ == "__main__":
    options = parse_arguments()
    sys.exit(campaign.main("completions", options, lambda log: play(options, log), lambda log: show(options, log)))
