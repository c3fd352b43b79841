#!/usr/bin/env python3
"""Prints narrow_emoji.cc from the data of Unicode that Debian's package unicode-data has.

    src/screen/term/narrow_emoji.py > src/screen/term/narrow_emoji.cc
"""

import re
from pathlib import Path

DATA = Path("/usr/share/unicode")


def ranges_of(code_points):
    ranges = []
    for code_point in sorted(code_points):
        if ranges and ranges[-1][1] == code_point - 1:
            ranges[-1][1] = code_point
        else:
            ranges.append([code_point, code_point])
    return ranges


def wide():
    found = set()
    for line in (DATA / "EastAsianWidth.txt").read_text().splitlines():
        if match := re.match(r"(\w+)(?:\.\.(\w+))?;[WF]\b", line):
            found.update(range(int(match[1], 16), int(match[2] or match[1], 16) + 1))
    return found


def with_selector():
    text = (DATA / "emoji/emoji-variation-sequences.txt").read_text()
    return {int(code_point, 16) for code_point in re.findall(r"^(\w+) FE0F ", text, re.MULTILINE)}


def version():
    return re.match(r"# EastAsianWidth-(\d+)", (DATA / "EastAsianWidth.txt").read_text())[1]


def main():
    print(f"""// Made by narrow_emoji.py from Unicode {version()}'s EastAsianWidth.txt and
// emoji-variation-sequences.txt.

#include "term/width.h"

namespace orch::term {{
namespace {{

constexpr CodeRange kNarrowEmoji[] = {{""")
    texts = [f"{{0x{first:04X}, 0x{last:04X}}}" for first, last in ranges_of(with_selector() - wide())]
    for at in range(0, len(texts), 4):
        row = " ".join(f"{text},".ljust(len("{0x1F000, 0x1F000},")) for text in texts[at : at + 4])
        print(f"    {row.rstrip()}" if at + 4 < len(texts) else f"    {row.rstrip().rstrip(',')}}};")
    print("""
}  // namespace

std::span<const CodeRange> narrow_emoji_ranges() { return kNarrowEmoji; }

}  // namespace orch::term""")


if __name__ == "__main__":
    main()
