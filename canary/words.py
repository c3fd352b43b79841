"""script/words: does orch tell what the real CLIs say once, in order, whole, and nothing else? See canary/README.md."""

import argparse
import signal
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from deliveries import all_clis, folder_of, interrupt, start_over
from delivery_log import append
from install import CannotRun, check_tools, find_orch, install, scratch_folder
from scenarios import SIZES
from words_log import WordsRecord, read_log, table
from words_runs import Bench, Job, make_run
from words_scenarios import SCENARIOS

RIGHT, WRONG, CANNOT_RUN, INTERRUPTED = 0, 1, 2, 130


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="script/words",
        description="Lets the real agent CLIs say what a scripted model gives them and compares it with what orch "
        "told. An interrupted campaign goes on where it was; the table is over all runs of the log.",
        epilog="exit: 0 every word was told once, in order, and nothing else · 1 not so · 2 it cannot run here",
    )
    names = [scenario.name for scenario in SCENARIOS]
    parser.add_argument("scenario", nargs="*", choices=[[], *names], metavar="SCENARIO", help=", ".join(names))
    parser.add_argument(
        "--agent", action="append", choices=[cli.name for cli in all_clis()], help="default: all of them"
    )
    parser.add_argument("--size", action="append", choices=SIZES, help="default: both")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="how many runs at once")
    parser.add_argument("--orch", type=Path, metavar="PATH", help="the binary; default: the newest under build/")
    parser.add_argument("--log", type=Path, metavar="FILE", help="default: words.jsonl beside the CLIs")
    parser.add_argument("--fresh", action="store_true", help="start over: the log is moved to FILE.old")
    parser.add_argument("--keep", action="store_true", help="keep every run's folder, not only those of failures")
    parser.add_argument("--table", action="store_true", help="run nothing, print the table")
    return parser.parse_args()


def planned(arguments: argparse.Namespace) -> list[Job]:
    """The agents take turns, that a campaign that is stopped early has something of all."""
    clis = [cli for cli in all_clis() if not arguments.agent or cli.name in arguments.agent]
    scenarios = [s for s in SCENARIOS if not arguments.scenario or s.name in arguments.scenario]
    return [Job(cli, scenario, size) for scenario in scenarios for size in arguments.size or SIZES for cli in clis]


def run_all(arguments: argparse.Namespace, log: Path) -> None:
    check_tools()
    made = {record.key for record in read_log(log)}
    jobs = [job for job in planned(arguments) if job.key not in made]
    programs_of = {cli.name: install(cli.agent, cli.version) for cli in {job.cli.name: job.cli for job in jobs}.values()}
    bench = Bench(find_orch(arguments.orch), programs_of, folder_of(log), arguments.keep)
    writing = threading.Lock()

    def run(job: Job) -> None:
        record = make_run(bench, job)
        with writing:
            append(log, record)
            say(record)

    with ThreadPoolExecutor(arguments.jobs) as pool:
        futures = [pool.submit(run, job) for job in jobs]
        try:
            for future in futures:
                future.result()
        except BaseException:
            for future in futures:
                future.cancel()
            bench.programs.stop()
            raise


def say(record: WordsRecord) -> None:
    verdict = "; ".join(record.faults) or "right"
    recall = 100 * record.told / record.words if record.words else 0
    name = " ".join(record.key)
    print(f"{name:38} {recall:6.2f} % {record.duration_s:6.1f} s  {verdict}", file=sys.stderr, flush=True)
    if record.folder:
        print(f"    {record.folder}", file=sys.stderr, flush=True)


def main() -> int:
    arguments = parse_arguments()
    signal.signal(signal.SIGTERM, interrupt)
    log = (arguments.log or scratch_folder() / "words.jsonl").absolute()
    code = RIGHT
    try:
        if arguments.fresh:
            start_over(log)
        if not arguments.table:
            run_all(arguments, log)
    except (CannotRun, OSError) as error:
        print(f"words: cannot run here: {error}", file=sys.stderr)
        return CANNOT_RUN
    except KeyboardInterrupt:
        code = INTERRUPTED
    records = read_log(log)
    if records:
        print(table(records))
    return code or (WRONG if any(record.faults for record in records) else RIGHT)


if __name__ == "__main__":
    sys.exit(main())
