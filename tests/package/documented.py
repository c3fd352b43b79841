#!/usr/bin/env python3
"""documented.py ROOT ORCH: each command line of orch in a page, or in the help of a command, calls a command of
docs/cli.md with options that it has. Prints each that does not as file:line: what, and exits 1 if there is one.
tests/package/manual.sh sees that docs/cli.md is what orch says of itself."""
import re
import subprocess
import sys
from pathlib import Path

# What orch or an agent's hook calls, not a person: no help names them.
HIDDEN = {"demo-agent", "hook", "internal"}
# Former names, which work for one more version.
HIDDEN |= {"stop", "capabilities"}
FOLDERS = ("docs", "canary", "bench", "tests")
# What is an example: code within a line, or a line that is indented, unless it goes on with a list.
CODE = re.compile(r"`([^`]+)`")
EXAMPLE = re.compile(r"^ {4,}(?:\$ )?(.*\borch .*)")
NEXT = re.compile(r"&&|\|\|?|;|\$\(")
REMARK = re.compile(r"#|\s{3,}")
OPTION = re.compile(r"(?<!\S)(--[a-z][a-z-]*)")


def commands_of(page):
    """{"crew up": {"--json", ...}} by docs/cli.md; "" has the options that every command takes."""
    found, command = {}, None
    common = set()
    for line in page.read_text().splitlines():
        if line.startswith("Every command has "):
            common.update(OPTION.findall(line.replace("`", " ").replace(",", " ")))
        if line.startswith("## "):
            heading = line[3:].split()
            command = " ".join(heading[1:]) if heading[0] == "orch" else None
            if command is not None:
                found[command] = set()
        elif command is not None and line.startswith("- `-"):
            found[command].update(OPTION.findall(line.split("`")[1].replace(",", " ")))
        elif command is not None and line.startswith("As in [orch run]"):
            named = set(OPTION.findall(re.sub("[`,.]", " ", line)))
            found[command] |= found["run"] - named if ": all but " in line else named
    found[""] |= common
    return found


def calls_of(text):
    """(line, call) for each command line of orch in it; a call is what stands behind `orch`."""
    listed = False
    for number, line in enumerate(text.splitlines(), 1):
        listed = bool(re.match(r"\s*([-*]|[0-9]+\.) ", line)) or (listed and line.startswith(" "))
        example = EXAMPLE.match(line)
        for code in [example[1]] if example and not listed else CODE.findall(line):
            for command in NEXT.split(REMARK.split(code)[0]):
                words = command.strip()
                if words.startswith("orch ") and words[5:].strip():
                    yield number, words[5:].strip()


def wrong_in(call, commands):
    """What of the words behind `orch` does not exist."""
    words = call.split()
    name = words[0]
    if name in HIDDEN or not re.fullmatch("[a-z][a-z-]*", name):
        return
    if name not in commands:
        yield f"no command \"{name}\""
        return
    # A synopsis has a word in brackets there.
    if len(words) > 1 and words[1][0] not in "[-" and any(other.startswith(name + " ") for other in commands):
        name += " " + words[1]
        if name not in commands:
            yield f"no command \"{name}\""
            return
    # The words behind a single -- are another program's; those in quotes are text.
    own = re.sub(r"\"[^\"]*\"|'[^']*'", "", re.split(r" -- ", call)[0])
    for option in OPTION.findall(own):
        if option not in commands[name] | commands[""]:
            yield f"orch {name} has no {option}"


def texts_of(root, orch, commands):
    """(place, text) of each page, and of the examples in each command's help."""
    for page in sorted([*root.glob("*.md"), *(page for folder in FOLDERS for page in (root / folder).rglob("*.md"))]):
        yield page.relative_to(root), page.read_text()
    for command in commands:
        words = [orch, *command.split(), "--help"]
        told = subprocess.run(words, capture_output=True, text=True, check=True).stdout
        yield " ".join(words[1:]), told.partition("\nExample")[2]


def main(root, orch):
    commands = commands_of(root / "docs/cli.md")
    wrong = calls = 0
    for place, text in texts_of(root, orch, commands):
        for number, call in calls_of(text):
            calls += 1
            for what in wrong_in(call, commands):
                print(f"{place}:{number}: {what}")
                wrong += 1
    if calls < 100:
        print(f"only {calls} command lines were found in the pages")
        wrong += 1
    print(f"{calls} command lines in the pages")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), sys.argv[2]))
