#!/usr/bin/env python3
"""examples.py ROOT ORCH [PAGE...]: the examples of the pages print what the pages say. Prints each that does not, with
what it printed, and exits 1 if there is one. PAGE is README.md and docs/*.md when not given.

An example is a fenced block of the language `console`, below a line `<!-- runs -->`:

    $ orch run demo; echo "exit code $?"
    ...
    orch: orch-demo: complete (exit 0)
    exit code 0

Each line that begins with "$ " is given to bash; what follows is what it has to print, standard error included. A line
`...` stands for any number of lines, and `...` in a line for any text. Ids of runs, times, durations and the ids of
repositories are compared by their shape, blanks by being there. The blocks of a page are run one after the other by one
bash, in a new git repository `~/shop` in a home of their own, where `~/orch` is ROOT; pages know nothing of each other.
A console block that is not run has a line `<!-- shown: REASON -->` above it."""
import concurrent.futures
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

GUIDES = ["getting-started", "run", "sessions", "dialogs", "records", "troubleshooting"]  # of docs: each has examples
SECONDS = 240  # for all examples of a page
END = "::end of a command::"
MARKER = re.compile(r"<!-- (runs|shown: .+) -->$")
SHAPES = [  # what differs from time to time, and the word that stands for it
    (re.compile(r"\d{8}T\d{9}-([\w-]+)-[0-9a-f]{4}\b"), r"RUN-\1"),
    (re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?Z?"), "MOMENT"),
    (re.compile(r"@[0-9a-f]{8}\b"), "@REPOSITORY"),
    (re.compile(r"\b\d+(\.\d+)? ?(ms|s|min|m|h|B|kB|KB|MB|GB)\b"), "SO-MUCH"),
    (re.compile(r"\s+"), " "),
]


class Wrong(Exception):
    """A page is not as it should be."""


@dataclass
class Example:
    line: int  # of the command, in its page
    command: str
    expected: list[str] = field(default_factory=list)


def examples_in(text: str) -> list[Example]:
    """Those of a page, in their order."""
    found: list[Example] = []
    before, kind = "", ""  # the line before a fence, and what stands in it: "", "runs" or "other"
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("```") and not kind:
            marker = MARKER.match(before)
            if line == "```console" and not marker:
                raise Wrong(f"{number}: neither <!-- runs --> nor <!-- shown: REASON --> stands above it")
            kind = "runs" if marker and marker[1] == "runs" else "other"
            if kind == "runs" and line != "```console":
                raise Wrong(f"{number}: what <!-- runs --> has to be ```console")
            begun = len(found)
        elif line.startswith("```"):
            if kind == "runs" and len(found) == begun:
                raise Wrong(f"{number}: no line of the example begins with \"$ \"")
            kind = ""
        elif kind == "runs" and line.startswith("$ "):
            found.append(Example(number, line[2:]))
        elif kind == "runs":
            if len(found) == begun:
                raise Wrong(f"{number}: output without a command")
            found[-1].expected.append(line)
        elif before == "<!-- runs -->":
            raise Wrong(f"{number - 1}: no block follows <!-- runs -->")
        before = line
    return found


def shape_of(line: str) -> str:
    for pattern, word in SHAPES:
        line = pattern.sub(word, line)
    return line.strip()


def line_matches(expected: str, line: str) -> bool:
    parts = [re.escape(part.strip()) for part in shape_of(expected).split("...")]
    return re.fullmatch(r"\s*.*?\s*".join(parts), shape_of(line)) is not None


def matches(expected: list[str], lines: list[str]) -> bool:
    """Whether these are the lines; `...` is any number of them."""
    if not expected:
        return not lines
    if expected[0].strip() == "...":
        return any(matches(expected[1:], lines[skipped:]) for skipped in range(len(lines) + 1))
    return bool(lines) and line_matches(expected[0], lines[0]) and matches(expected[1:], lines[1:])


def without_blank_ends(lines: list[str]) -> list[str]:
    text = "\n".join(line.rstrip() for line in lines).strip("\n")
    return text.split("\n") if text else []


def world(folder: Path, root: Path, orch: Path) -> dict[str, str]:
    """Makes a home with the program and a repository; the environment in which the examples run."""
    for name in ("bin", "shop"):
        (folder / name).mkdir()
    (folder / "bin/orch").symlink_to(orch)
    (folder / "orch").symlink_to(root)
    environment = {"HOME": str(folder), "PATH": f"{folder}/bin:/usr/local/bin:/usr/bin:/bin", "LC_ALL": "C.UTF-8",
                   "TERM": "dumb", "ORCH_DEMO_SPEED": "0.3"}
    (folder / "shop/README.md").write_text("# Shop\n")
    for words in ("init -q -b main", "config user.name you", "config user.email you@example.org", "add README.md",
                  "commit -q -m first"):
        subprocess.run(["git", *words.split()], cwd=folder / "shop", env=environment, check=True)
    return environment


def outputs_of(examples: list[Example], root: Path, orch: Path) -> list[list[str]]:
    """What each printed; fewer, if one of them never ended or ended the shell."""
    with tempfile.TemporaryDirectory(prefix="orch-docs-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        environment = world(folder, root, orch)
        script = "".join(f"{example.command}\n{{ code=$?; echo; echo '{END}'; (exit $code); }}\n" for example in examples)
        (folder / "script").write_text(script)
        with open(folder / "output", "w+b") as output:
            shell = subprocess.Popen(["bash", folder / "script"], cwd=folder / "shop", env=environment, stdout=output,
                                     stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL)
            try:
                shell.wait(SECONDS)
            except subprocess.TimeoutExpired:
                shell.kill()
                shell.wait()
            kill = [str(orch), "kill", "--all-repositories", "--now"]  # what the examples left running
            subprocess.run(kill, env=environment, cwd=folder, capture_output=True, timeout=60, check=False)
            output.seek(0)
            text = output.read().decode(errors="replace").replace(str(folder), "/home/you")
    return [part.splitlines() for part in text.split(f"\n{END}\n")][:-1]


def wrong_in(page: Path, root: Path, orch: Path) -> tuple[int, list[str]]:
    """How many examples there are, and what is to be told of those that are wrong."""
    try:
        examples = examples_in(page.read_text())
    except Wrong as why:
        return 0, [f"{page}:{why}"]
    if not examples:
        return 0, []
    outputs = outputs_of(examples, root, orch)
    told = []
    for example, output in zip(examples, outputs, strict=False):
        lines = without_blank_ends(output)
        if not matches(without_blank_ends(example.expected), lines):
            printed = "".join(f"    {line}\n" for line in lines)
            told.append(f"{page}:{example.line}: $ {example.command}\n  printed:\n{printed}")
    if len(outputs) < len(examples):
        example = examples[len(outputs)]
        told.append(f"{page}:{example.line}: $ {example.command}\n  did not end in {SECONDS} s, or ended the shell\n")
    return len(examples), told


def main() -> int:
    root, orch = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
    pages = [root / name for name in sys.argv[3:]] or [root / "README.md", *sorted((root / "docs").rglob("*.md"))]
    with concurrent.futures.ThreadPoolExecutor(max_workers=4) as pool:
        results = list(pool.map(lambda page: wrong_in(page, root, orch), pages))
    for _, told in results:
        print("\n".join(told), end="")
    bare = [page for page, (examples, _) in zip(pages, results, strict=True) if page.stem in GUIDES and examples == 0]
    print("".join(f"{page}: has no example that is run\n" for page in bare), end="")
    count = sum(examples for examples, _ in results)
    print(f"{count} examples on {sum(examples > 0 for examples, _ in results)} pages")
    return 1 if bare or count == 0 or any(told for _, told in results) else 0


if __name__ == "__main__":
    sys.exit(main())
