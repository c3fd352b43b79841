"""script/completions: does a run end when the real CLIs say the keyword, and only then? See canary/README.md."""

import argparse
import signal
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from completion_log import TurnRecord, read_log, table
from completion_runs import Job, make_run
from completion_turns import FALSE_TURNS, TRUE_TURNS, Turn
from deliveries import all_clis, folder_of, interrupt, start_over
from delivery_log import append
from delivery_runs import Cli
from install import CannotRun, check_tools, find_orch, install, scratch_folder
from scenarios import SIZES
from words_runs import Bench

RIGHT, WRONG, CANNOT_RUN, INTERRUPTED = 0, 1, 2, 130


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="script/completions",
        description="Lets the real agent CLIs quote, print, mention and say the keyword and compares which turn "
        "completed the run with which had to. An interrupted campaign goes on where it was; the table is over all "
        "turns of the log.",
        epilog="exit: 0 every run ended where it had to · 1 not so · 2 it cannot run here",
    )
    parser.add_argument(
        "--agent", action="append", choices=[cli.name for cli in all_clis()], help="default: all of them"
    )
    parser.add_argument("--size", action="append", choices=SIZES, help="default: both, half of the turns at each")
    parser.add_argument("--turn", action="append", metavar="TEXT", help="only turns whose name holds it")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="how many runs at once")
    parser.add_argument("--orch", type=Path, metavar="PATH", help="the binary; default: the newest under build/")
    parser.add_argument("--log", type=Path, metavar="FILE", help="default: completions.jsonl beside the CLIs")
    parser.add_argument("--fresh", action="store_true", help="start over: the log is moved to FILE.old")
    parser.add_argument("--keep", action="store_true", help="keep every run's folder, not only those of failures")
    parser.add_argument("--table", action="store_true", help="run nothing, print the table")
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


def run_all(arguments: argparse.Namespace, log: Path) -> None:
    check_tools()
    clis = [cli for cli in all_clis() if not arguments.agent or cli.name in arguments.agent]
    turns = [turn for turn in (*FALSE_TURNS, *TRUE_TURNS)
             if not arguments.turn or any(text in turn.name for text in arguments.turn)]
    sizes = tuple(arguments.size or SIZES)
    programs_of = {cli.name: install(cli.agent, cli.version) for cli in clis}
    bench = Bench(find_orch(arguments.orch), programs_of, folder_of(log), arguments.keep)
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

    with ThreadPoolExecutor(arguments.jobs) as pool:
        while batch := jobs():  # where a turn ended a run too early those behind it are left
            futures = [pool.submit(run, job) for job in batch]
            try:
                for future in futures:
                    future.result()
            except BaseException:
                for future in futures:
                    future.cancel()
                bench.programs.stop()
                raise


def say(job: Job, records: list[TurnRecord]) -> None:
    wrong = "; ".join(f"{r.turn}: {r.verdict}" for r in records if r.verdict != "right")
    played = f"{len(records)} of {len(job.turns)} turns"
    duration = records[0].duration_s
    print(f"{job.cli.name:15} {job.name:40} {played:16} {duration:6.1f} s  {wrong or 'right'}", file=sys.stderr, flush=True)
    if records[0].folder:
        print(f"    {records[0].folder}", file=sys.stderr, flush=True)


def main() -> int:
    arguments = parse_arguments()
    signal.signal(signal.SIGTERM, interrupt)
    log = (arguments.log or scratch_folder() / "completions.jsonl").absolute()
    code = RIGHT
    try:
        if arguments.fresh:
            start_over(log)
        if not arguments.table:
            run_all(arguments, log)
    except (CannotRun, OSError) as error:
        print(f"completions: cannot run here: {error}", file=sys.stderr)
        return CANNOT_RUN
    except KeyboardInterrupt:
        code = INTERRUPTED
    records = read_log(log)
    if records:
        print(table(records))
    return code or (WRONG if any(record.verdict != "right" for record in records) else RIGHT)


if __name__ == "__main__":
    sys.exit(main())
