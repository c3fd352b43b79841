"""What script/words and script/completions share: their options, their workers, their exit codes."""

import argparse
import signal
import sys
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from command_line import CANNOT_RUN, INTERRUPTED, RIGHT, WRONG, add_agents, ready
from deliveries import folder_of, interrupt, start_over
from delivery_runs import Bench, Cli
from install import CannotRun, scratch_folder
from scenarios import SIZES


def add_options(parser: argparse.ArgumentParser, name: str) -> None:
    add_agents(parser)
    parser.add_argument("--size", action="append", choices=SIZES, help="default: both")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="how many runs at once")
    parser.add_argument("--log", type=Path, metavar="FILE", help=f"default: {name}.jsonl beside the CLIs")
    parser.add_argument("--fresh", action="store_true", help="start over: the log is moved to FILE.old")
    parser.add_argument("--keep", action="store_true", help="keep every run's folder, not only those of failures")
    parser.add_argument("--table", action="store_true", help="run nothing, print the table")


def bench_for(arguments: argparse.Namespace, clis: list[Cli], log: Path) -> Bench:
    orch, programs_of = ready(arguments.orch, clis)
    return Bench(orch, programs_of, folder_of(log), arguments.keep)


def run_all(bench: Bench, jobs: Iterable, workers: int, run: Callable) -> None:
    """An error or an interrupt ends what is under way."""
    with ThreadPoolExecutor(workers) as pool:
        futures = [pool.submit(run, job) for job in jobs]
        try:
            for future in futures:
                future.result()
        except BaseException:
            for future in futures:
                future.cancel()
            bench.programs.stop()
            raise


def main(
    name: str, arguments: argparse.Namespace, play: Callable[[Path], None], show: Callable[[Path], bool]
) -> int:
    """The exit code. `play` makes the runs that the log lacks; `show` prints its table and tells whether it is right."""
    signal.signal(signal.SIGTERM, interrupt)
    log = (arguments.log or scratch_folder() / f"{name}.jsonl").absolute()
    code = RIGHT
    try:
        if arguments.fresh:
            start_over(log)
        if not arguments.table:
            play(log)
    except (CannotRun, OSError) as error:
        print(f"{name}: cannot run here: {error}", file=sys.stderr)
        return CANNOT_RUN
    except KeyboardInterrupt:
        code = INTERRUPTED
    right = show(log)
    return code or (RIGHT if right else WRONG)
