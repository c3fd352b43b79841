#!/usr/bin/env python3
"""script/landings [--orch PROGRAM] [--count N] [--seed N] [--jobs N] [--seconds N] [--keep]

Random schedules of orch run, land, continue and feedback against the real gh (or, with --merge, without it) and real git over git
http-backend (script/forge), while the base moves, the branch moves on the forge, users commit and edit, landings are killed at any
call of git or gh, and two of them run at once. Each step makes a file of its own with a word of its own, so what was lost is seen.
Counted by git fsck, reflogs and trees, after each schedule:

  pushes to the base that nobody made; commits that no reference and no reflog reaches and of which no tree has the work; checkouts
  with changes that orch touched; words of the forge that an agent was given twice, or after their commit was replaced; pull requests
  without commits, or whose gate is red.

Exit 0: all are 0; 1: not so; 2: cannot run here."""

import argparse
import concurrent.futures
import json
import os
import random
import re
import shutil
import subprocess
import sys
import threading
import time
from pathlib import Path

from place import DONE, Place

ROOT = Path(__file__).resolve().parents[2]
GATE = "! test -e BROKEN"
# An agent that notes its message and leaves a file, some of it committed. ORCH_DEMO_LOG is passed on to agents by --env.
AGENT = r"""
cat >> "$SCENE/messages"; echo "=== end of message" >> "$SCENE/messages"
printf '%s\n' '{"session":"s1"}'
n=$(date +%s%N)
echo "$n" > "work.$n"
[ -e "$SCENE/commit" ] && git add -A && git commit -qm "agent $n"
echo "$n" > "more.$n"
""" + DONE
# A program that ends its caller at a call, for kills at any step.
KILLER = r"""#!/bin/sh
echo x >> "$KILL_COUNT"
if [ "$(wc -l < "$KILL_COUNT")" = "$KILL_AT" ]; then
  case $(cat "/proc/$PPID/comm") in orch*) kill -9 $PPID; exit 1 ;; esac
fi
exec @REAL@ "$@"
"""


class Forge:
    """One script/forge for all schedules; each has a repository of its own."""

    def __init__(self, place: Place):
        self.place, self.folder = place, place.folder / "forge"
        self.process = subprocess.Popen([ROOT / "script/forge", "serve", self.folder], env=place.env, stdout=subprocess.PIPE, text=True)
        self.process.stdout.readline()
        self.port = (self.folder / "port").read_text()
        config = place.folder / "home/.config/gh"
        config.mkdir(parents=True)
        (config / "config.yml").write_text(f"http_unix_socket: {self.folder}/api.sock\n")
        (config / "hosts.yml").write_text("forge.test:\n    user: me\n    oauth_token: good\n    git_protocol: https\n")
        with (place.folder / "home/.gitconfig").open("a") as file:
            file.write(f'[url "http://x-access-token:good@127.0.0.1:{self.port}/"]\n\tinsteadOf = https://forge.test/\n')

    def tell(self, *steps: dict) -> list:
        done = subprocess.run([ROOT / "script/forge", "tell", self.folder, *(json.dumps(step) for step in steps)],
                              env=self.place.env, capture_output=True, text=True, check=True)
        return [json.loads(line) for line in done.stdout.splitlines()]

    def end(self) -> None:
        self.process.kill()
        self.process.wait()


class Schedule:
    def __init__(self, place: Place, forge: Forge, seed: int):
        self.place, self.forge, self.chance, self.seed = place, forge, random.Random(seed), seed
        self.name = f"o/r{seed}"
        self.folder = place.folder / f"s{seed}"
        self.project, self.tree = self.folder / "project", self.folder / "project.orch/42"
        self.project.mkdir(parents=True)
        self.git = forge.folder / f"git/{self.name}.git"
        self.steps: list[str] = []
        self.wrong: list[str] = []
        self.made: dict[str, str] = {}  # files that somebody made, and their words
        self.commits: list[str] = []  # of users and others
        self.words: dict[str, str] = {}  # words of the forge, and the head that they are about
        self.edits: dict[str, str] = {}  # changes in the user's checkout that are not committed
        self.merged = self.chance.random() < 0.3
        self.count = self.pulls = self.delivered = 0
        forge.tell({"do": "repository", "name": self.name}, {"do": "issue", "repository": self.name, "number": 42, "title": "The bug", "body": "It breaks."})
        place.sh("git init -q; echo one > main.c; git add -A; git commit -qm first; "
                 f"git remote add origin https://forge.test/{self.name}.git; git push -q {self.git} main", self.project)
        self.base = self.at_forge("main")

    # ---- what the world does

    def word(self, kind: str) -> str:
        self.count += 1
        return f"{kind}-{self.seed}-{self.count}"

    def at_forge(self, branch: str) -> str:
        done = subprocess.run(["git", "-C", self.git, "rev-parse", "-q", "--verify", f"refs/heads/{branch}"], capture_output=True,
                              text=True, env=self.place.env, check=False)
        return done.stdout.strip()

    def orch(self, *words: str, **env: str) -> int:
        done = self.place.run(list(words), self.project, SCENE=str(self.folder), **env)
        last = done.stderr.strip().splitlines()[-1:]
        self.steps.append(f"orch {' '.join(words[:3])}: {done.returncode} {last}")
        if done.returncode not in (0, 10, 20, 21, 75, 4, 2, 137, -9):
            self.wrong.append(f"orch {' '.join(words)}: exit {done.returncode}: {done.stderr}")
        return done.returncode

    def work(self) -> None:
        if self.chance.random() < 0.5:
            (self.folder / "commit").touch()
        self.orch("run", "42", "--agent", "own", "--mode", "headless", "--verify", GATE, "--sandbox", "none", "--no-snapshot", "--env", "SCENE",
                  "--output", "quiet")

    def land(self) -> None:
        self.orch("land", "42", *(["--merge"] if self.merged else []))

    def land_killed(self) -> None:
        bin_folder, count = self.folder / "bin", self.folder / "count"
        bin_folder.mkdir(exist_ok=True)
        for name in ("git", "gh"):
            path = bin_folder / name
            path.write_text(KILLER.replace("@REAL@", shutil.which(name)))
            path.chmod(0o755)
        count.unlink(missing_ok=True)
        self.orch("land", "42", *(["--merge"] if self.merged else []), KILL_COUNT=str(count), KILL_AT=str(self.chance.randint(1, 60)),
                  PATH=f"{bin_folder}:{self.place.env['PATH']}")
        time.sleep(0.1)  # for the children of the killed one

    def land_twice(self) -> None:
        words = ["land", "42", *(["--merge"] if self.merged else [])]
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            codes = [each.result() for each in [pool.submit(self.orch, *words) for _ in range(2)]]
        self.steps.append(f"two at once: {codes}")

    def base_moves(self) -> None:
        word = self.word("base")
        clashes = self.chance.random() < 0.25
        name = "main.c" if clashes else f"base.{word}"
        other = self.folder / "other"
        self.place.sh(f"rm -rf {other}; git clone -q -b main {self.git} {other}; cd {other}; echo {word} > {name}; git add -A; "
                      f"git commit -qm {word}; git push -q origin main", self.folder)
        self.base = self.at_forge("main")
        self.commits.append(self.base)
        if self.chance.random() < 0.5:
            self.place.sh("git fetch -q || true", self.project)
        self.steps.append("the base moves" + (" in main.c" if clashes else ""))

    def local_base_moves(self) -> None:
        if self.edits:
            return
        word = self.word("mine")
        self.place.sh(f"git switch -q main; echo {word} > local.{word}; git add -A; git commit -qm {word}", self.project)
        self.commits.append(self.place.sh("git rev-parse HEAD", self.project).strip())
        self.made[f"local.{word}"] = word
        self.steps.append("the user commits on the base")

    def head_moves(self) -> None:
        if not self.at_forge("orch/42"):
            return
        word, other = self.word("head"), self.folder / "other"
        self.place.sh(f"rm -rf {other}; git clone -q -b orch/42 {self.git} {other}; cd {other}; echo {word} > head.{word}; git add -A; "
                      f"git commit -qm {word}; git push -q origin HEAD:orch/42", self.folder)
        self.commits.append(self.at_forge("orch/42"))
        self.made[f"head.{word}"] = word
        self.steps.append("somebody pushes to the branch")

    def user_commits(self) -> None:
        if not (self.tree / ".git").exists():
            return
        word = self.word("user")
        clashes = self.chance.random() < 0.2
        name = "main.c" if clashes else f"user.{word}"
        self.place.sh(f"echo {word} > {name}; git add {name}; git commit -qm {word}", self.tree)
        self.commits.append(self.place.sh("git rev-parse HEAD", self.tree).strip())
        if not clashes:
            self.made[f"user.{word}"] = word
        self.steps.append("the user commits in the worktree")

    def user_edits(self) -> None:
        if not (self.tree / ".git").exists():
            return
        word = self.word("edit")
        (self.tree / f"edit.{word}").write_text(word + "\n")
        self.made[f"edit.{word}"] = word
        self.steps.append("the user edits in the worktree")

    def breaks(self) -> None:
        if not (self.tree / ".git").exists():
            return
        broken = self.tree / "BROKEN"
        broken.unlink() if broken.exists() else broken.write_text("x\n")
        self.steps.append("the gate is " + ("red" if broken.exists() else "green"))

    def dirty(self) -> None:
        word = self.word("dirty")
        if self.edits:
            self.place.sh("git checkout -q -- main.c; rm -f untracked", self.project)
            self.edits = {}
        else:
            (self.project / "main.c").write_text(word + "\n")
            (self.project / "untracked").write_text(word + "\n")
            self.edits = {"main.c": word + "\n", "untracked": word + "\n"}
        self.steps.append("the checkout is " + ("dirty" if self.edits else "clean"))

    def pull(self) -> dict | None:
        pulls = self.forge.tell({"do": "pulls", "repository": self.name})[0]
        return pulls[-1] if pulls else None

    def comments(self) -> None:
        if self.pull() is None:
            return
        word = self.word("comment")
        self.words[word] = ""
        self.forge.tell({"do": "comment", "repository": self.name, "number": self.pull()["number"], "by": "ann", "body": f"please {word}"})
        self.steps.append("a member comments")

    def checks(self) -> None:
        head = self.at_forge("orch/42")
        if self.pull() is None or not head:
            return
        word = self.word("log")
        red = self.chance.random() < 0.6
        if red:
            self.words[word] = head
        self.forge.tell({"do": "check", "repository": self.name, "commit": head, "name": f"check {self.chance.randint(1, 2)}",
                         "conclusion": "FAILURE" if red else "SUCCESS", "log": f"error: {word}\n"})
        self.steps.append("a check is " + ("red" if red else "green"))

    def feedback(self) -> None:
        before = self.messages()
        heads = {word: self.words[word] for word in self.words}
        head = self.at_forge("orch/42")
        self.orch("feedback", "42", "--continue", "--rounds", "1")
        for word in heads:
            if word in self.messages()[len(before):] and heads[word] not in ("", head):
                self.wrong.append(f"{word} is about {heads[word][:8]}, and was delivered when the head was {head[:8]}")

    def goes_on(self) -> None:
        self.orch("continue", "42", "go on", "--output", "quiet")

    # ---- what must hold

    def messages(self) -> str:
        path = self.folder / "messages"
        return path.read_text() if path.exists() else ""

    def trees(self, git: Path) -> str:
        """The names and contents of all files that any reference reaches."""
        refs = self.place.sh(f"git -C {git} for-each-ref --format='%(refname)'", self.folder).split()
        return "".join(self.place.sh(f"git -C {git} grep -h '' {ref} -- . 2>/dev/null || true", self.folder) for ref in refs)

    def reached(self, git: Path) -> set[str]:
        return set(self.place.sh(f"git -C {git} rev-list --all --reflog 2>/dev/null || git -C {git} rev-list --all", self.folder).split())

    def check_at_once(self) -> None:
        """What a later step could cover up."""
        if self.at_forge("main") != self.base:
            self.wrong.append(f"the base of the forge is at {self.at_forge('main')}, not {self.base}")
        for name, content in self.edits.items():
            if (self.project / name).read_text() != content:
                self.wrong.append(f"{name} in the dirty checkout has changed")

    def check_in_the_end(self) -> None:
        everything = self.trees(self.project) + self.trees(self.git)
        loose = "".join(path.read_text(errors="replace") for path in self.tree.glob("*") if path.is_file()) if self.tree.exists() else ""
        for name, word in self.made.items():
            if word not in everything and word not in loose:
                self.wrong.append(f"{name} is lost")
        reached = self.reached(self.project) | self.reached(self.git)
        for commit in self.commits:
            text = self.place.sh(f"git log -1 --format=%s {commit} 2>/dev/null || git -C {self.git} log -1 --format=%s {commit}", self.project).strip()
            if commit not in reached and text not in everything:
                self.wrong.append(f"commit {commit[:8]} ({text}) is reached by no reference and no reflog, and no tree has its work")
        for git in (self.project, self.git):
            said = subprocess.run(["git", "-C", git, "fsck", "--connectivity-only"], capture_output=True, text=True, env=self.place.env, check=False)
            bad = [line for line in (said.stdout + said.stderr).splitlines() if not line.startswith(("dangling", "notice"))]
            if said.returncode != 0 or bad:
                self.wrong.append(f"git fsck: {bad[:3]}")
        for word in self.words:
            if self.messages().count(word) > 1:
                self.wrong.append(f"{word} was delivered {self.messages().count(word)} times")
        for pull in self.forge.tell({"do": "pulls", "repository": self.name})[0]:
            ahead = self.place.sh(f"git -C {self.git} rev-list {pull['head']} ^{pull['base']} | wc -l", self.folder).strip()
            self.pulls = max(self.pulls, 1)
            if ahead == "0":
                self.wrong.append(f"pull request #{pull['number']} has no commits")
        pushed = self.pushed()
        if pushed and self.place.sh(f"git -C {self.git} ls-tree {pushed} BROKEN || git ls-tree {pushed} BROKEN", self.project).strip():
            self.wrong.append("a commit was pushed whose gate is red")

    def pushed(self) -> str:
        for path in (self.place.folder / "state/landings").glob("*.json"):
            record = json.loads(path.read_text())
            if record["repository"] == str(self.project):
                return record.get("pushed") or ""
        return ""

    def carry_out(self) -> list[str]:
        steps = [self.land] * 4 + [self.land_killed] * 3 + [self.land_twice, self.base_moves, self.base_moves, self.local_base_moves,
                 self.head_moves, self.user_commits, self.user_commits, self.user_edits, self.breaks, self.dirty, self.goes_on]
        if not self.merged:
            steps += [self.comments] * 2 + [self.checks] * 3 + [self.feedback] * 5
        try:
            self.work()
            for _ in range(self.chance.randint(4, 8)):
                self.chance.choice(steps)()
                self.check_at_once()
                if self.wrong:
                    break
            self.check_in_the_end()
        except Exception as error:  # pylint: disable=broad-except
            self.wrong.append(f"the schedule itself failed: {error!r}")
        return self.wrong


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--orch", default=str(ROOT / "build/dev/bin/orch"))
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=float("inf"), help="begin no further schedule after this time")
    parser.add_argument("--keep", action="store_true", help="leave the folders of schedules that went wrong")
    options = parser.parse_args()
    if shutil.which("gh") is None:
        print("landings: cannot run here: there is no gh", file=sys.stderr)
        return 2
    place = Place(options.orch)
    place.agent("own", AGENT)
    forge, wrong, done, kinds = Forge(place), 0, 0, {}
    seen = {"commits of others": 0, "files": 0, "words of the forge": 0, "delivered": 0, "pull requests": 0}
    began = time.monotonic()

    def one(seed: int) -> Schedule | None:
        if time.monotonic() - began > options.seconds:
            return None
        schedule = Schedule(place, forge, seed)
        schedule.carry_out()
        schedule.delivered = sum(word in schedule.messages() for word in schedule.words)
        if not schedule.wrong:
            shutil.rmtree(schedule.folder, ignore_errors=True)
            shutil.rmtree(schedule.git, ignore_errors=True)
        return schedule

    try:
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            for schedule in pool.map(one, range(options.seed, options.seed + options.count)):
                if schedule is None:
                    break
                done += 1
                seen["commits of others"] += len(schedule.commits)
                seen["files"] += len(schedule.made)
                seen["words of the forge"] += len(schedule.words)
                seen["delivered"] += schedule.delivered
                seen["pull requests"] += schedule.pulls
                for step in schedule.steps:
                    kind = re.sub(r": (-?\d+) .*", r": exit \1", step)
                    kinds[kind] = kinds.get(kind, 0) + 1
                if schedule.wrong:
                    wrong += 1
                    print(f"seed {schedule.seed}:\n  " + "\n  ".join(schedule.steps) + "\nWRONG " + "\nWRONG ".join(schedule.wrong), flush=True)
                if done % 20 == 0:
                    print(f"{done} schedules in {time.monotonic() - began:.0f} s, {wrong} wrong", flush=True)
    finally:
        forge.end()
        if not (options.keep and wrong):
            place.remove()
    for kind, count in sorted(kinds.items(), key=lambda pair: -pair[1]):
        print(f"{count:6} {kind}")
    print(", ".join(f"{count} {what}" for what, count in seen.items()))
    print(f"{done} schedules from seed {options.seed}, {sum(kinds.values())} steps: {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
