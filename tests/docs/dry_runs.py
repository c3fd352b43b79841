#!/usr/bin/env python3
"""dry_runs.py PAGE ORCH: every `orch submit` of the page's examples works with --dry-run. Prints each that does not, and
exits 1 if there is one, or if the page has none.

An example is a line that is indented by four blanks and begins with `orch submit`; a backslash at its end continues it. It
is run in a new git repository with a prompt for each issue that it names, in a home of its own. No program of an engine is
on the PATH: a dry run asks none."""
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

SECONDS = 60


def examples_in(text: str) -> list[str]:
    joined = text.replace("\\\n", " ")
    return [line.strip() for line in joined.splitlines() if line.startswith("    orch submit ")]


def words_of(example: str) -> list[str]:
    return shlex.split(example, comments=True)[1:]


def is_printed_rightly(engine: str, output: str) -> bool:
    """Whether this is something that the engine could be given."""
    if engine == "slurm":
        return all(json.loads(line)[0] == "sbatch" for line in output.splitlines()) and bool(output)
    if engine == "kubernetes":
        return {item["kind"] for item in json.loads(output)["items"]} == {"Secret", "Job"}
    return re.search(r"^jobs:$", output, re.MULTILINE) is not None


def wrong_with(example: str, orch: str) -> str:
    """What is wrong with it; "" if nothing is."""
    words = words_of(example)
    with tempfile.TemporaryDirectory(prefix="orch-dry-") as folder:
        place = Path(folder)
        shop = place / "shop"
        (shop / ".orch/issues").mkdir(parents=True)
        for word in words:
            if word.isdigit():
                (shop / f".orch/issues/{word}.md").write_text("Fix it.\n")
        tools = place / "bin"
        tools.mkdir()
        for name in ("git", "sh"):
            (tools / name).symlink_to(f"/usr/bin/{name}")
        environment = {"HOME": folder, "PATH": str(tools), "LC_ALL": "C.UTF-8", "ANTHROPIC_API_KEY": "none"}
        for git in ("init -q -b main", "config user.name you", "config user.email you@example.org", "add .",
                    "commit -q -m first"):
            subprocess.run(["git", *git.split()], cwd=shop, env=environment, check=True)
        end = subprocess.run([orch, *words, "--dry-run"], cwd=shop, env=environment, capture_output=True, text=True,
                             timeout=SECONDS, check=False)
        if end.returncode != 0:
            return f"exit code {end.returncode}: {end.stderr.strip()}"
        if not is_printed_rightly(words[words.index("--engine") + 1], end.stdout):
            return f"printed {end.stdout[:500]}"
        if any((place / ".local").rglob("submissions")) or sorted(os.listdir(shop)) != [".git", ".orch"]:
            return "wrote something"
    return ""


def main() -> int:
    page, orch = Path(sys.argv[1]), str(Path(sys.argv[2]).resolve())
    examples = examples_in(page.read_text())
    told = [f"{page}: {example}\n  {why}\n" for example in examples if (why := wrong_with(example, orch))]
    print("".join(told), end="")
    print(f"{len(examples) - len(told)} of {len(examples)} examples work")
    return 1 if told or not examples else 0


if __name__ == "__main__":
    sys.exit(main())
