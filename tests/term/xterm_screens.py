#!/usr/bin/env python3
"""Asks a real xterm what programs by chance look like on it, for tests/term/xterm_test.cc.

    tests/term/xterm_screens.py [--seed N] [--count N] > tests/term/xterm_screens.jsonl

Each line is {"program": bytes as text, "cursor": "ROW;COLUMN", "rows": [...]}: where xterm reports its
cursor afterwards (DECXCPR) and which characters its cells hold (DECRQCRA), in a window of 10x5. It
runs in Xvfb; both are in Debian. A program is always measured twice, once with a letter behind it,
which shows where the next character goes.
"""

import argparse
import json
import os
import random
import re
import select
import subprocess
import sys
import tempfile
import tty

COLS, ROWS = 10, 5
# RIS, the alternate screen cleared and its saved cursor, which RIS leaves, home.
RESET = "\x18\x1b[?1049l\x1bc\x1b[?47h\x1b[2J\x1b[H\x1b7\x1b[?47l\x1bc"
WIDE_TAIL = 0xFFFF

# Left out is where xterm 379 and orch are known to differ, because no program means it: CBT and EL 1
# keep a wrap pending in some cases (there the cursor is not even in the last column), DECSTR saves the
# cursor, a wide character has no room without autowrap, DCH of half a wide character.


def numbered(finals):
    def piece(rng):
        return f"\x1b[{rng.choice([1, 1, 1, 2, 2, 3, 4, 5, 7, 12, 40, 130])}{rng.choice(finals)}"

    return piece


def chosen(*pieces):
    return lambda rng: rng.choice(pieces)


def text(rng):
    first = rng.randrange(26)
    return "".join(chr(97 + (first + i) % 26) for i in range(rng.choice([1, 2, 3, 5, 9, 10, 11, 12])))


def margins(rng):
    top = rng.randint(1, ROWS)
    return rng.choice([f"\x1b[{top};{rng.randint(top, ROWS + 1)}r", "\x1b[r"])


PIECES = [
    text,
    text,
    chosen("0123456789", "\r0123456789"),
    lambda rng: f"\x1b[{rng.randint(1, ROWS + 1)};{rng.randint(1, COLS + 1)}H",
    chosen("\r\n", "\n", "\r", "\x1bD", "\x1bE", "\x1bM", "\b", "\t"),
    numbered("ST"),
    numbered("b"),
    numbered("LM"),
    numbered("@PX"),
    numbered("ABCDEFGdae`"),
    lambda rng: f"\x1b[{rng.randint(0, 2)}J",
    chosen("\x1b[K", "\x1b[2K", "\x1b[3J"),
    margins,
    lambda rng: f"\x1b[?{rng.choice([47, 1047, 1049])}{rng.choice('hl')}",
    chosen("\x1b7", "\x1b8", "\x1b[s", "\x1b[u"),
    chosen("\x1b[?6h", "\x1b[?6l", "\x1b[?7h", "\x1b[?7h", "\x1b[?7l", "\x1b[4h", "\x1b[4l"),
    chosen("\x1b[41m", "\x1b[m"),
]


def programs(seed, count):
    rng = random.Random(seed)
    for _ in range(count // 2):
        program = "".join(rng.choice(PIECES)(rng) for _ in range(rng.randint(2, 14)))
        yield program
        yield program + "Z"


# What follows runs in xterm.


def write(data):
    data = data.encode()
    while data:
        data = data[os.write(1, data) :]


def answer(done):
    data = b""
    while not done(data):
        if not select.select([0], [], [], 20)[0]:
            sys.exit(f"no answer: {data!r}")
        data += os.read(0, 65536)
    return data


def cursor():
    write("\x1b[?6n")
    return re.search(rb"\x1b\[\?(\d+;\d+)", answer(lambda data: data.endswith(b"R")))[1].decode()


def rows():
    cells = [(row, col) for row in range(1, ROWS + 1) for col in range(1, COLS + 1)]
    # DECRQCRA of one cell each; its coordinates are the screen's when origin mode is off.
    write("\x1b[?6l" + "".join(f"\x1b[{at};1;{r};{c};{r};{c}*y" for at, (r, c) in enumerate(cells)))
    data = answer(lambda data: data.count(b"\x1b\\") == len(cells))
    codes = {int(at): int(code, 16) for at, code in re.findall(rb"\x1bP(\d+)!~([0-9A-F]{4})", data)}
    line = "".join("" if codes[at] == WIDE_TAIL else chr(codes[at]) for at in range(len(cells)))
    return [line[at : at + COLS].rstrip() for at in range(0, len(line), COLS)]


def measure(path, seed, count):
    tty.setraw(0)
    with open(path, "w", encoding="utf-8") as out:
        for program in programs(seed, count):
            write(RESET + program)
            line = {"program": program, "cursor": cursor(), "rows": rows()}
            out.write(json.dumps(line) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=800)
    parser.add_argument("--in-xterm", metavar="FILE", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.in_xterm:
        measure(options.in_xterm, options.seed, options.count)
        return
    with tempfile.NamedTemporaryFile("r", encoding="utf-8") as out:
        # 55: the sum of a cell is its character, of 16 bits, without attributes.
        resources = ["allowWindowOps: true", "disallowedWindowOps:", "checksumExtension: 55"]
        command = ["xvfb-run", "-a", "env", "LANG=C.UTF-8", "xterm", "-geometry", f"{COLS}x{ROWS}"]
        command += ["-u8", "-ti", "vt420"]
        for resource in resources:
            command += ["-xrm", f"xterm*{resource}"]
        command += ["-e", sys.executable, "-B", os.path.abspath(__file__), "--in-xterm", out.name]
        command += ["--seed", str(options.seed), "--count", str(options.count)]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        lines = out.readlines()
    if len(lines) != options.count:
        sys.exit(f"xterm answered for {len(lines)} programs of {options.count}")
    sys.stdout.writelines(lines)


if __name__ == "__main__":
    main()
