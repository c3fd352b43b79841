"""script/figures: makes the tables of figures of README and docs/internals/figures.md anew, and says what moved."""

import argparse
import sys
import time
from pathlib import Path

import floors
import pages
from figure import Figure
from measure import BENCH, BENCHES, REPOSITORY, CannotMeasure, Failed, Place
from plot import log_log

RIGHT, WRONG, CANNOT_RUN = 0, 1, 2
KEPT = {  # what docs/internals/figures.md tells beside its tables, and what it takes to tell it anew
    "the turns of each CLI that say, quote, fence or print the keyword": "script/completions, which needs npm's CLIs",
    "the words of the real CLIs": "script/words, which needs npm's CLIs",
}


def parse_arguments(words: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="script/figures",
        description="Runs the benches of the release build, makes the tables of figures of README and docs/internals/figures.md anew and says what moved.",
        epilog="exit: 0 all is right · 1 a figure is beyond its bound in bench/floors.json, and the pages stay as they are · 2 it cannot run here",
    )
    parser.add_argument("--build", type=Path, default=REPOSITORY / "build/release", help="build/release when not given")
    parser.add_argument("--recordings", type=Path, default=Place.recordings, help="other recordings for accuracy and words")
    parser.add_argument("--only", action="append", choices=pages.BLOCKS, help="this table; may be repeated")
    parser.add_argument("--check", action="store_true", help="the pages stay as they are")
    parser.add_argument("--quick", action="store_true", help="small sizes, to see that it works: the pages stay as they are")
    parser.add_argument("--pages", type=Path, metavar="FOLDER",
                        help="the folder of README.md and docs, when it is another; they are written with --quick, too")
    return parser.parse_args(words)


class Run:
    def __init__(self, options: argparse.Namespace):
        self.options = options
        self.size = "quick" if options.quick else "full"
        self.floors = floors.read(BENCH / "floors.json")
        self.failures: list[str] = []
        self.not_compared: list[str] = []
        self.measured: dict[str, dict[str, Figure]] = {}  # by bench: two tables may be made of one

    def figures_of(self, bench: str) -> dict[str, Figure]:
        if bench not in self.measured:
            self.measured[bench] = self.measure(bench)
        return self.measured[bench]

    def measure(self, bench: str) -> dict[str, Figure]:
        recordings = self.options.recordings if bench in ("accuracy", "words") else Place.recordings
        begun = time.monotonic()
        figures = BENCHES[bench](Place((self.options.build / "bin").absolute(), recordings, self.size))
        print(f"{bench}: {time.monotonic() - begun:.0f} s", flush=True)
        result = floors.compare(bench, figures, self.floors, "release" if self.options.quick else "quiet")
        self.failures += result.failures
        self.not_compared += result.not_compared
        return {figure.name: figure for figure in figures}

    def block(self, name: str) -> str:
        make, benches = pages.BLOCKS[name]
        figures: dict[str, Figure] = {}
        for bench in benches:
            figures |= self.figures_of(bench)
        return make(figures)


def make_tables(run: Run, before: dict[str, str]) -> dict[str, str]:
    made: dict[str, str] = {}
    for name in run.options.only or pages.BLOCKS:
        try:
            made[name] = run.block(name)
        except CannotMeasure as why:
            print(f"kept: the figures of {name}: {why}")
            continue
        except (Failed, KeyError) as why:  # KeyError: a figure is missing, which was told as a failure
            run.failures.append(f"{name}: {why}")
            continue
        for line in pages.moved(before[name], made[name]) or ["nothing moved"]:
            print(f"  {name}: {line}")
    return made


def main(words: list[str]) -> int:
    options = parse_arguments(words)
    folder = options.pages or REPOSITORY
    try:
        run = Run(options)
        texts = {page: (folder / page).read_text() for page in pages.PAGES}
        before = {name: block for page, text in texts.items() for name, block in pages.blocks_in(page, text).items()}
    except (OSError, floors.Unusable, pages.Unusable) as why:
        print(f"figures: {why}", file=sys.stderr)
        return CANNOT_RUN
    made = make_tables(run, before)
    for what, needs in KEPT.items():
        print(f"kept: {what}: {needs}")
    if run.not_compared:
        print(f"not compared, for they hold on a quiet machine at full size: {', '.join(run.not_compared)}")
    for line in run.failures:
        print(f"figures: {line}", file=sys.stderr)
    if run.failures:
        return WRONG
    if not options.check and (not options.quick or options.pages):
        for page, text in texts.items():
            (folder / page).write_text(pages.replaced(text, made))
        if (records := run.measured.get("records_cost")) and not options.pages:
            (folder / "docs/records-cost.svg").write_text(log_log(pages.times_of(records), "runs on record", "ms"))
        if (grown := run.measured.get("growth_cost")) and not options.pages:
            (folder / "docs/growth.svg").write_text(log_log(pages.growth_lines(grown), "sessions of one host", ""))
    return RIGHT


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
