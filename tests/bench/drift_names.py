#!/usr/bin/env python3
"""tests/bench/drift_names.py DRIFT: the program `drift` on tests/recordings. With the manifests as they are all that is not
drawn is known; with one literal mistyped it exits with 1 and names the literal; what cannot be read is exit 2."""

import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parent.parent.parent
RECORDINGS, MANIFESTS = REPOSITORY / "tests/recordings", REPOSITORY / "src/adapters/manifests"
IMITATING = "trick|quoted"
AGENTS = ("claude", "codex", "gemini")


def drift(program: str, *words: str) -> subprocess.CompletedProcess:
    command = [program, str(RECORDINGS), "--exclude", IMITATING, *words]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def one_of(literals: dict[str, dict | None], manifest: str) -> str:
    """The longest literal of words that was drawn and stands once in the manifest."""
    texts = [name.partition(": ")[2] for name, moment in literals.items() if moment]
    return max((text for text in texts if re.fullmatch(r"[A-Za-z ]+", text) and manifest.count(text) == 1), key=len)


def main() -> int:
    program = sys.argv[1]
    wrong = []
    with tempfile.TemporaryDirectory() as folder:
        known, broken = Path(folder) / "known.json", Path(folder) / "broken.json"
        told = json.loads(drift(program, "--json").stdout)
        undrawn = {
            agent: {"undrawn": [literal for literal, moment in one["literals"].items() if moment is None]}
            for agent, one in told.items()
        }
        known.write_text(json.dumps(undrawn))
        for agent in AGENTS:
            text = (MANIFESTS / f"{agent}.json").read_text(encoding="utf-8")
            literal = one_of(told[agent]["literals"], text)
            whole = drift(program, "--known", str(known), "--agent", agent)
            if "not drawn" in whole.stdout:
                wrong.append(f"{agent} as it is: {whole.stdout}")
            mistyped = literal[:-1] + "Q"
            broken.write_text(text.replace(literal, mistyped), encoding="utf-8")
            found = drift(program, "--known", str(known), "--agent", agent, "--manifest", str(broken),
                          "--before", str(RECORDINGS))
            lines = [line for line in found.stdout.splitlines() if "not drawn: " in line and mistyped in line]
            if found.returncode != 1 or not lines:
                wrong.append(f"{agent} without \"{literal}\": exit {found.returncode}, {found.stdout}{found.stderr}")
        if drift(program, "--known", f"{folder}/none").returncode != 2:
            wrong.append("a file that is not there is no error")
    print("\n".join(wrong) or "each literal was named")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
