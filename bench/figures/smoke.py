"""bench/figures/smoke.py BENCH BIN [--release]: one bench at a tiny size, as ctest runs it.

Fails where it measures nothing - no measurement, something missed, a figure that bench/floors.json names missing, no
number - or where a figure is beyond its bound there. BIN is the folder of a build's programs; --release: the build is
optimized, so that the bounds of such builds hold. Exit 0: all is right, 1: it is not, 77: the machine lacks something."""

import argparse
import sys
from pathlib import Path

import floors
from measure import BENCH, BENCHES, CannotMeasure, Failed, Place

SKIPPED = 77
OF_RELEASES = ["instructions", "program", "start_instructions"]  # what tells nothing of other builds


def main() -> int:
    parser = argparse.ArgumentParser(prog="smoke.py", description=__doc__.splitlines()[0])
    parser.add_argument("bench", choices=BENCHES)
    parser.add_argument("bin", type=lambda path: Path(path).absolute())
    parser.add_argument("--release", action="store_true")
    options = parser.parse_args()
    if options.bench in OF_RELEASES and not options.release:
        print(f"skipped: {options.bench}: they are compared in optimized builds alone")
        return SKIPPED
    try:
        figures = BENCHES[options.bench](Place(options.bin))
        bounds = floors.read(BENCH / "floors.json")
    except CannotMeasure as why:
        print(f"skipped: {options.bench}: {why}")
        return SKIPPED
    except (Failed, floors.Unusable) as why:
        print(f"{options.bench}: {why}", file=sys.stderr)
        return 1
    result = floors.compare(options.bench, figures, bounds, "release" if options.release else "everywhere")
    for line in result.lines:
        print(line)
    if result.not_compared:
        print(f"not compared here: {', '.join(result.not_compared)}")
    for line in result.failures:
        print(f"{options.bench}: {line}", file=sys.stderr)
    return 1 if result.failures else 0


if __name__ == "__main__":
    sys.exit(main())
