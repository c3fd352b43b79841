#!/usr/bin/env python3
"""documented.py ROOT: each command line of orch that stands in a page calls a command of docs/cli.md, with options
that it has. Prints each that does not as file:line: what, and exits 1 if there is one. tests/package/manual.sh sees
that docs/cli.md, which has the help texts, is what orch says of itself."""
import re
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
            found[command].update(OPTION.findall(line.replace("`", " ")))
    found[""] |= common
    return found


def calls_of(page):
    """(line, call) for each command line of orch in it; a call is what stands behind `orch`."""
    listed = False
    for number, line in enumerate(page.read_text().splitlines(), 1):
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


def main(root):
    commands = commands_of(root / "docs/cli.md")
    pages = [*root.glob("*.md"), *(page for folder in FOLDERS for page in (root / folder).rglob("*.md"))]
    wrong = calls = 0
    for page in sorted(pages):
        for number, call in calls_of(page):
            calls += 1
            for what in wrong_in(call, commands):
                print(f"{page.relative_to(root)}:{number}: {what}")
                wrong += 1
    if calls < 100:
        print(f"only {calls} command lines were found in the pages")
        wrong += 1
    print(f"{calls} command lines in the pages")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
