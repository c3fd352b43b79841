#!/usr/bin/env python3
"""links.py ROOT: each link of the Markdown pages that are tracked leads somewhere: to a file or folder of the
repository, and to a heading of it where one is named. Prints each that does not as file:line: reason, and exits 1
if there is one. Links to other machines are not followed."""
import re
import subprocess
import sys
from pathlib import Path

LINK = re.compile(r"\]\(([^()\s]+)\)")
CODE = re.compile(r"`[^`]*`")


def lines_of(page):
    """Its lines with their numbers, but for those in fences; code within a line is left out."""
    fenced = False
    for number, line in enumerate(page.read_text().splitlines(), 1):
        if line.lstrip().startswith("```"):
            fenced = not fenced
        elif not fenced:
            yield number, line


def anchors_of(page):
    """As GitHub makes them of headings."""
    found = set()
    for _, line in lines_of(page):
        if line.startswith("#"):
            text = re.sub(r"[^\w\- ]", "", line.lstrip("#").strip().lower())
            found.add(text.replace(" ", "-"))
    return found


def why_broken(page, target, root):
    path, _, anchor = target.partition("#")
    file = (page.parent / path).resolve() if path else page.resolve()
    if not file.is_relative_to(root):
        return "leads out of the repository"
    if not file.exists():
        return "leads nowhere"
    if anchor and file.suffix == ".md" and anchor not in anchors_of(file):
        return f"{file.relative_to(root)} has no such heading"
    return None


def main():
    root = Path(sys.argv[1]).resolve()
    pages = subprocess.run(["git", "ls-files", "-z", "*.md"], cwd=root, capture_output=True, text=True, check=True).stdout
    broken = links = 0
    for name in filter(None, pages.split("\0")):
        for number, line in lines_of(root / name):
            for target in LINK.findall(CODE.sub("", line)):
                if re.match(r"[a-z]+:", target):
                    continue
                links += 1
                if why := why_broken(root / name, target, root):
                    print(f"{name}:{number}: {target} {why}")
                    broken += 1
    if links == 0:
        print("links: no page has any: is this the repository?")
    return 1 if broken or links == 0 else 0


sys.exit(main())
