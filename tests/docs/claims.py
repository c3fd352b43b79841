#!/usr/bin/env python3
"""claims.py ROOT [--list]: each sentence of the pages below with "cannot", "never" or "held" is a promise, and
has a test by name in claims.txt. Prints each sentence that has none, and each name that no test has; exits with
1 if there is one. Parts in claims.txt that no sentence has any more are printed, too. --list: all sentences."""
import pathlib
import re
import sys

PAGES = ("security", "fence", "internals/fence", "scale", "crew")
WORD = re.compile(r"\b(?:cannot|never|held)\b", re.IGNORECASE)
TABLE = "tests/docs/claims.txt"


def blocks(text):
    """Paragraphs, items of lists and rows of tables, each on one line; no examples."""
    block, in_example = [], False
    for line in text.splitlines() + [""]:
        if line.startswith("```"):
            in_example = not in_example
        is_new = not line.strip() or re.match(r"\s*(?:[-*|#]|\d+\.)\s?", line)
        if is_new and block:
            yield " ".join(block)
            block = []
        if line.strip() and not in_example and not (line.startswith("    ") and not block):
            block.append(line.strip())


def sentences(text):
    for block in blocks(text):
        for sentence in re.split(r"(?<=[.!?])\s+(?=[A-Z`*(\[]|orch )", block):
            if WORD.search(sentence):
                yield sentence


def table(root):
    rows = []
    for line in (root / TABLE).read_text().splitlines():
        if line and not line.startswith("#"):
            part, test = line.split(" | ")
            rows.append((part, test))
    return rows


def has_test(root, test):
    file, _, name = test.partition(": ")
    path = root / file
    if not path.is_file():
        return False
    return not name or re.search(r'TEST_CASE\(\s*"' + re.escape(name), path.read_text()) is not None


def main():
    root = pathlib.Path(sys.argv[1])
    rows, used, faults = table(root), set(), []
    for page in PAGES:
        for sentence in sentences((root / f"docs/{page}.md").read_text()):
            of_it = [row for row in rows if row[0] in sentence]
            used.update(of_it)
            if "--list" in sys.argv:
                print(f"docs/{page}.md: {sentence}\n    {', '.join(test for _, test in of_it) or 'NO TEST'}")
            if not of_it:
                faults.append(f"docs/{page}.md: a promise without a test in {TABLE}: {sentence}")
    faults += [f"{TABLE}: there is no such test: {test}" for _, test in rows if not has_test(root, test)]
    for part, _ in rows:
        if not any(row[0] == part for row in used):
            print(f"{TABLE}: no sentence has this part any more: {part}")
    print("\n".join(faults))
    sys.exit(1 if faults else 0)


main()
