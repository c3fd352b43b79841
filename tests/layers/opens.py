#!/usr/bin/env python3
"""opens.py ROOT: files are opened, made, renamed and linked by src/files/store alone, whose functions require to
know whose the file is (HACKING.md, "Who may have written the file?"). Elsewhere a raw call fails this test, but for the
sources of opens.txt, each with its reason. Prints every violation as file:line: reason; exits 1 if any."""
import pathlib
import re
import sys

CALLS = ("open|openat|openat2|open64|creat|rename|renameat|renameat2|mkstemp|mkostemp|mkdtemp|link|linkat|"
         "symlink|symlinkat")
RAW = re.compile(
    rf"(?:^|[^\w>])::(?:{CALLS})\("                                      # ::open(
    r"|(?:^|[^\w:.>])(?:openat|openat2|fopen|freopen|creat|renameat2?|mkostemp|mkstemp|mkdtemp)\("
    r"|(?:Fd|reset)\(open\("                                             # Fd(open(
    r"|\b(?:std::|::)(?:fopen|freopen|rename|tmpfile)\("
    r"|std::(?:basic_)?[io]?fstream\b"
    r"|(?:fs|filesystem)::(?:rename|copy_file|copy|create_symlink|create_hard_link)\("
    r"|SYS_open")
# What these name is the kernel's, and nobody can put another file in its place.
OF_KERNEL = re.compile(r'open\("/(?:dev/null|proc/[^"]*)?"|open\(kNowhere')


def violations(root):
    reasons = {}
    for line in (root / "tests/layers/opens.txt").read_text().splitlines():
        if line and not line.startswith("#"):
            place, reason = line.split(": ", 1)
            reasons[place] = reason
    used = set()
    for path in sorted((root / "src").rglob("*")):
        if path.suffix not in (".cc", ".h") or (root / "src/files/store") in path.parents:
            continue
        name = str(path.relative_to(root / "src"))
        excuses = [place for place in reasons if name == place or (place.endswith("/") and name.startswith(place))]
        for number, line in enumerate(path.read_text().splitlines(), 1):
            code = line.split("//")[0] if not re.search(r'"[^"]*//', line) else line
            if not RAW.search(code) or OF_KERNEL.search(code):
                continue
            used.update(excuses)
            if not excuses:
                yield f"src/{name}:{number}: src/files/store opens, makes and renames files: {line.strip()}"
    for place in reasons.keys() - used:
        yield f"tests/layers/opens.txt: {place} has no such call any more"


found = list(violations(pathlib.Path(sys.argv[1])))
print("\n".join(found))
sys.exit(1 if found else 0)
