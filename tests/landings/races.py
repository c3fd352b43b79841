#!/usr/bin/env python3
"""script/races [--orch PROGRAM] [--count N] [--seed N] [--jobs N] [--keep]

Races by chance of agents that do the work, cheat, fail, hang or meet a limit. Counts the winners that were not eligible, the races
of which the winner is not the one that the recorded results give, and those in which the base was changed. What an agent is, is known
here from its script, not from what orch has found out about it. Exit 0 right, 1 not."""

import argparse
import concurrent.futures
import json
import random
import sys
from pathlib import Path

from place import DONE, LIMIT, Place

GATE = "sh tests/check.sh"
# Agents by their kind: (script, may win).
KINDS = {
    "works": ("echo right > fix.txt; seq @LINES@ > notes.txt", True),
    "commits": ("echo right > fix.txt; seq @LINES@ >> main.c; git add -A; git commit -qm work", True),
    "hides": ("echo right > fix.txt; git update-index --assume-unchanged main.c; echo more >> main.c", True),
    # Cheats: the gate passes where they work, or it seems to.
    "edits tests": ("echo 'exit 0' > tests/check.sh; echo other > other.txt", False),
    "only tests": ("echo 'exit 0' > tests/check.sh", False),
    "removes tests": ("rm -r tests; mkdir tests; : > tests/check.sh; echo x > x", False),
    "links tests": ("mkdir mine; echo 'exit 0' > mine/check.sh; rm -r tests; ln -s mine tests", False),
    "commits tests": ("echo 'exit 0' > tests/check.sh; echo x > x; git add -A; git commit -qm tests", False),
    "ignores": ("echo fix.txt >> .gitignore; echo right > fix.txt", False),
    "hides the tests": ("git update-index --skip-worktree tests/check.sh; echo 'exit 0' > tests/check.sh; echo x > x", False),
    "another branch": ("git switch -qc mine-$$; echo right > fix.txt", False),
    "filters": ("echo right > fix.txt; echo 'fix.txt filter=f' > .gitattributes; git config filter.f.clean 'echo wrong'; echo more > more", True),
    # Failures.
    "nothing": ("", False),
    "fails": ("echo right > fix.txt; exit 3", False),
    "dies": ("echo right > fix.txt; kill -9 $$", False),
    "hangs": ("echo right > fix.txt; sleep 600", False),
    "limited": ("echo right > fix.txt" + LIMIT, False),
    "never done": ("echo right > fix.txt; printf '%s\\n' '{\"say\":\"Not yet.\"}' '{\"end\":1}'; exit 0", False),
}
HANGS = "8s"


def race(orch: str, seed: int, keep: bool) -> tuple[list[str], dict]:
    """One race: what is wrong with it, and its record."""
    chance = random.Random(seed)
    place, wrong = Place(orch), []
    try:
        repository = place.folder / "project"
        repository.mkdir()
        place.sh("git init -q; mkdir tests; echo 'grep -q right fix.txt' > tests/check.sh; echo one > main.c; "
                 "git add -A; git commit -qm first", repository)
        kinds = chance.choices(list(KINDS), k=chance.randint(2, 4))
        if not any(KINDS[kind][1] for kind in kinds) and chance.random() < 0.7:
            kinds[0] = chance.choice(["works", "commits"])
        names, may_win = [], {}
        for number, kind in enumerate(kinds):
            script, good = KINDS[kind]
            name = f"a{number}"
            script = script.replace("@LINES@", str(chance.randint(1, 9)))
            place.agent(name, f"cat > /dev/null\n{script}\n{DONE}", chance.choice([0.1, 0.2]))
            names.append(name)
            may_win[f"7-{name}"] = good
        first = chance.random() < 0.2
        before = place.sh("git rev-parse main; git status --porcelain", repository)
        words = ["race", "7", "--agents", ",".join(names), "--mode", "headless", "-p", "fix it", "--verify", GATE, "--protect", "tests",
                 "--timeout", HANGS, "--max-turns", "2", "--sandbox", "none"] + (["--first"] if first else [])
        done = place.run(words, repository)
        winner = done.stdout.strip()
        records = list((place.folder / "state/races").glob("*.json"))
        record = json.loads(records[0].read_text()) if records else {}
        told = f"seed {seed}: {list(zip(names, kinds))}{' --first' if first else ''}: "
        if winner and not may_win.get(winner):
            wrong.append(f"{told}{winner} won and was not eligible\n{done.stderr}")
        if not winner and any(may_win.values()) and "hangs" not in kinds:
            wrong.append(f"{told}nobody won\n{done.stderr}")
        if (done.returncode, bool(winner)) not in ((0, True), (20, False)):
            wrong.append(f"{told}exit {done.returncode} and winner {winner!r}\n{done.stderr}")
        if (record.get("winner") or "") != winner or best_of(record) != winner:
            wrong.append(f"{told}the record gives {best_of(record)!r}, orch {winner!r}\n{done.stderr}")
        if place.sh("git rev-parse main; git status --porcelain", repository) != before:
            wrong.append(f"{told}the base was changed")
        if winner and not wrong:
            landed = place.run(["land", "7", "--merge"], repository)
            if landed.returncode != 0 or place.sh("git show main:fix.txt; git show main:tests/check.sh", repository) != "right\ngrep -q right fix.txt\n":
                wrong.append(f"{told}{winner} did not land: {landed.stderr}")
        return wrong, {"kinds": kinds, "winner": winner}
    finally:
        if not (keep and wrong):
            place.remove()


def best_of(record: dict) -> str:
    """The winner by the recorded results alone, in any order of the racers."""
    eligible = [(racer["files"], racer["lines"], float("inf") if racer["cost_usd"] is None else racer["cost_usd"], racer["ms"], place, racer["name"])
                for place, racer in enumerate(record.get("racers", []))
                if racer["completed"] and racer["began"] == record["commit"] and not racer["trouble"] and racer["files"] > 0
                and racer["gate_code"] == 0]
    return min(eligible)[-1] if eligible else ""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--orch", default=str(Path(__file__).resolve().parents[2] / "build/dev/bin/orch"))
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--keep", action="store_true", help="leave the folders of races that went wrong")
    options = parser.parse_args()
    wrong, won, base = [], 0, 0
    kinds: dict[str, int] = {}
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        seeds = range(options.seed, options.seed + options.count)
        for faults, told in pool.map(lambda seed: race(options.orch, seed, options.keep), seeds):
            won += bool(told["winner"])
            base += not told["winner"]
            for kind in told["kinds"]:
                kinds[kind] = kinds.get(kind, 0) + 1
            wrong += faults
            for fault in faults:
                print(fault, flush=True)
    for kind, count in sorted(kinds.items()):
        print(f"{count:5} {kind}")
    print(f"{options.count} races from seed {options.seed}: {won} won, {base} by the base; {len(wrong)} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
