"""What script/deliveries, script/words and script/completions share: their options, log, workers and exit codes."""

import argparse
import shutil
import signal
import sys
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from command_line import CANNOT_RUN, INTERRUPTED, RIGHT, WRONG, add_agents, ready
from delivery_runs import Bench, Cli
from install import CannotRun, scratch_folder
from scenarios import SIZES


def add_options(parser: argparse.ArgumentParser, name: str) -> None:
    add_agents(parser)
    parser.add_argument("--size", action="append", choices=SIZES, help="default: both")
    add_log_options(parser, name)


def add_log_options(parser: argparse.ArgumentParser, name: str) -> None:
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="how many runs at once")
    parser.add_argument("--log", type=Path, metavar="FILE", help=f"default: {name}.jsonl beside the CLIs")
    parser.add_argument("--fresh", action="store_true", help="start over: the log is moved to FILE.old")
    parser.add_argument("--keep", action="store_true", help="keep every run's folder, not only those of failures")
    parser.add_argument("--table", action="store_true", help="run nothing, print the table")


def folder_of(log: Path) -> Path:
    """Where the runs of a log live."""
    return log.with_suffix("")


def start_over(log: Path) -> None:
    for path in (log, folder_of(log)):
        old = path.with_name(path.name + ".old")
        shutil.rmtree(old, ignore_errors=True)
        if path.exists():
            path.replace(old)


def interrupt(*_signal) -> None:
    raise KeyboardInterrupt


def heed_signals() -> None:
    """Both signals end what is under way. A shell that starts a program in the background has it ignore SIGINT, which
    every orch would inherit, also one that is to be interrupted."""
    signal.signal(signal.SIGTERM, interrupt)
    signal.signal(signal.SIGINT, interrupt)


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
    heed_signals()
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
