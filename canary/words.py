"""script/words: does orch tell what the real CLIs say once, in order, whole, and nothing else? See canary/README.md."""

import argparse
import sys
import threading
from pathlib import Path

import campaign
from command_line import parser_of, wanted_clis
from delivery_log import append
from scenarios import SIZES
from words_log import WordsRecord, is_right, read_log, table
from words_runs import Job, make_run
from words_scenarios import SCENARIOS


def parse_arguments() -> argparse.Namespace:
    parser = parser_of(
        "words",
        "Lets the real agent CLIs say what a scripted model gives them and compares it with what orch "
        "told. An interrupted campaign goes on where it was; the table is over all runs of the log.",
        right="of each agent's words 99.5 % were told, at most 1 % wrongly, and no run went wrong",
    )
    names = [scenario.name for scenario in SCENARIOS]
    parser.add_argument("scenario", nargs="*", choices=[[], *names], metavar="SCENARIO", help=", ".join(names))
    parser.add_argument("--without-fence", action="store_true",
                        help="with --sandbox none: Claude Code then draws full-screen")
    campaign.add_options(parser, "words")
    return parser.parse_args()


def planned(arguments: argparse.Namespace) -> list[Job]:
    """The agents take turns, that a campaign that is stopped early has something of all."""
    clis = wanted_clis(arguments)
    scenarios = [s for s in SCENARIOS if not arguments.scenario or s.name in arguments.scenario]
    sizes, fenced = arguments.size or SIZES, not arguments.without_fence
    return [Job(cli, scenario, size, fenced) for scenario in scenarios for size in sizes for cli in clis]


def play(arguments: argparse.Namespace, log: Path) -> None:
    made = {record.key for record in read_log(log)}
    bench = campaign.bench_for(arguments, wanted_clis(arguments), log)
    writing = threading.Lock()

    def run(job: Job) -> None:
        record = make_run(bench, job)
        with writing:
            append(log, record)
            say(record)

    campaign.run_all(bench, [job for job in planned(arguments) if job.key not in made], arguments.jobs, run)


def say(record: WordsRecord) -> None:
    verdict = "; ".join(record.faults) or "right"
    recall = 100 * record.told / record.words if record.words else 0
    name = " ".join(record.key)
    print(f"{name:38} {recall:6.2f} % {record.duration_s:6.1f} s  {verdict}", file=sys.stderr, flush=True)
    if record.folder:
        print(f"    {record.folder}", file=sys.stderr, flush=True)


def show(log: Path) -> bool:
    records = read_log(log)
    if records:
        print(table(records))
    return is_right(records)


if __name__ == "__main__":
    options = parse_arguments()
    sys.exit(campaign.main("words", options, lambda log: play(options, log), show))
