#!/usr/bin/env python3
"""links.py ROOT: each link of the Markdown pages that are tracked leads somewhere: to a file or folder of the
repository, and to a heading of it where one is named; each path of a source that a page or a script names is there;
and README and the pages of docs are short. Prints each that is not so as file:line: reason, and exits 1 if there is
one. Links to other machines are not followed, and what stands in a comment is no link."""
import re
import subprocess
import sys
from pathlib import Path

LINK = re.compile(r"\]\(([^()\s]+)\)|\b(?:src|srcset|href)=\"([^\"\s]+)\"")
COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
CODE = re.compile(r"`[^`]*`")
SOURCE = re.compile(r"\b(?:src|tests|bench)/[a-z0-9_/]+\.(?:cc|h|py|sh)\b")
README_LINES, README_COLUMNS, PAGE_LINES = 150, 80, 200
# References that are made of the commands and of the reader of manifests, and are searched, not read.
GENERATED = {"docs/cli.md", "docs/internals/manifest.md"}


def lines_of(page):
    """Its lines with their numbers, but for those in fences; comments are left out."""
    fenced = False
    text = COMMENT.sub(lambda comment: "\n" * comment[0].count("\n"), page.read_text())
    for number, line in enumerate(text.splitlines(), 1):
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


def tracked(root, *patterns):
    command = ["git", "ls-files", "-z", *patterns]
    names = subprocess.run(command, cwd=root, capture_output=True, text=True, check=True).stdout
    return list(filter(None, names.split("\0")))


def missing_sources(root):
    """(file, line, path) for each path of a source that is named and not there."""
    for name in tracked(root, "*.md", "script/*", ".ci/*"):
        for number, line in enumerate((root / name).read_text().splitlines(), 1):
            for path in SOURCE.findall(line):
                if not (root / path).exists():
                    yield name, number, path


def too_long(root):
    """(file, line, reason) for each page that is longer than one reads, and each line of README that wraps."""
    for name in tracked(root, "README.md", "docs/*.md"):
        lines = (root / name).read_text().splitlines()
        most = README_LINES if name == "README.md" else PAGE_LINES
        if len(lines) > most and name not in GENERATED:
            yield name, most + 1, f"the page has {len(lines)} lines, and may have {most}"
        if name == "README.md":
            for number, line in enumerate(lines, 1):
                if len(line) > README_COLUMNS:
                    yield name, number, f"the line has {len(line)} columns, and may have {README_COLUMNS}"


def main():
    root = Path(sys.argv[1]).resolve()
    broken = links = 0
    for name, number, path in missing_sources(root):
        print(f"{name}:{number}: {path} is not there")
        broken += 1
    for name, number, reason in too_long(root):
        print(f"{name}:{number}: {reason}")
        broken += 1
    for name in tracked(root, "*.md"):
        for number, line in lines_of(root / name):
            for target in map("".join, LINK.findall(CODE.sub("", line))):
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
