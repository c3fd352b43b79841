#!/usr/bin/env python3
"""Several orchs at once on one state directory and two repositories, by chance: does one undo what another needs?

    script/neighbours --orch build/release/bin/orch [--seconds 30] [--seed N] [--keep]

Four neighbours run, retry, continue, undo, redo, kill, gc, look at and wait for each other's runs, in the foreground
and in the background, begin, nudge and end crews and tasks, with clocks that are hours off, hosts that are killed, and, as root, a disk that is full now and
then. Then all is ended, and looked at: no command hung, every run that began tells one verdict by every command, no
snapshot is damaged, nothing that a person made is gone, no process is left, and the doctor finds no record that cannot
be read. A fault is a line with the commands that ran at that moment. Exit 0: right, 1: not so, 2: cannot run here.
"""
import argparse
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
NEIGHBOURS = 4
PATIENCE = 60  # seconds that no command of these may take
CLOCKS = ["0", "0", "0", "-86400", "-7", "3600"]
ISSUES = ["a", "b", "c", "d"]
DISK = "24m"
# What commands may end with; anything else (a signal, an exception) is a fault.
CODES = {0, 1, 2, 4, 6, 10, 20, 21, 75, 124, 125, 126, 127, 130, 137, 143}
WORK = ["echo $$ > made.$$; sleep 0.0{d}; rm -f src/one", "git reset --hard -q; git clean -fdq src", "sleep 0.{d}; exit {d}",
        "echo {d} > src/two; git add -A; git commit -qm {d} || true", "mv src gone.$$; sleep 0.{d}; mv gone.$$ src"]

CREW = """version: 1
project: crew
agents:
  - {name: a, cli: demo, prompt: "role of a"}
  - {name: b, cli: demo, prompt: "role of b"}
flow: {rules: [{when: a, says: PLAN READY, nudge: b, text: "carry it out"}]}
"""
TASK = """version: 1
id: t
prd: Show what an agent does.
test: echo passed
runner:
  meta:
    kind: scripted
    script:
      - "{type: plan_task, version: 1, payload: {task_id: t, acceptance_criteria: [{id: ac-1, description: Done.}]}}"
      - "{type: next_action, payload: {decision: {action: run_worker, reason: to do}, worker_call: {prompt: Do it.}}}"
      - "{type: completion_assessment, payload: {all_criteria_satisfied: true, by_criterion: [{id: ac-1, status: passed}]}}"
      - "{type: next_action, payload: {decision: {action: mark_complete, reason: all is well}}}"
  worker: {kind: demo, timeout: 20s}
  sandbox: none
"""


class Scene:
    def __init__(self, orch: Path, seed: int):
        self.orch, self.random = orch, random.Random(seed)
        self.folder = Path(tempfile.mkdtemp(prefix="orch-neighbours-", dir="/var/tmp")).resolve()
        self.state, self.runtime, self.home = self.folder / "state", self.folder / "run", self.folder / "home"
        for folder in (self.state, self.runtime, self.home):
            folder.mkdir(mode=0o700)
        self.mounted = os.geteuid() == 0 and subprocess.run(
            ["mount", "-t", "tmpfs", "-o", f"size={DISK},mode=0700", "tmpfs", str(self.state)], capture_output=True).returncode == 0
        self.env = {
            "HOME": str(self.home), "PATH": os.environ["PATH"], "LANG": "C.UTF-8", "XDG_RUNTIME_DIR": str(self.runtime),
            "ORCH_STATE_DIR": str(self.state / "orch"), "ORCH_DEMO_SPEED": "0.05",
            "GIT_AUTHOR_NAME": "n", "GIT_AUTHOR_EMAIL": "n@localhost", "GIT_COMMITTER_NAME": "n",
            "GIT_COMMITTER_EMAIL": "n@localhost", "GIT_CONFIG_GLOBAL": "/dev/null"}
        self.shim = self._make_shim()
        self.projects = [self._make_project(name) for name in ("left", "right")]
        self.log, self.faults, self.lock = [], [], threading.Lock()
        self.commands = 0
        self.codes: dict[str, dict[int, int]] = {}

    def _make_shim(self) -> Path | None:
        shim = self.folder / "clock.so"
        made = shutil.which("cc") and subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", shim, HERE / "clock.c", "-ldl"]).returncode == 0
        return shim if made else None

    def _make_project(self, name: str) -> Path:
        project = self.folder / name
        (project / "src").mkdir(parents=True)
        for file in ("one", "two"):
            (project / "src" / file).write_text(f"{file}\n" * 400)
        (project / "crew.yaml").write_text(CREW)
        (project / "task.yaml").write_text(TASK)
        (project / "mine").write_text("a person made this, and git does not know it\n")
        (project / ".gitignore").write_text("mine\n")
        for words in (["init", "-q", "-b", "main"], ["add", "."], ["commit", "-qm", "first"]):
            subprocess.run(["git", *words], cwd=project, env=self.env, check=True)
        return project

    def fault(self, text: str) -> None:
        with self.lock:
            self.faults.append(text)
        print(f"fault: {text}", flush=True)

    def call(self, dice: random.Random, words: list[str], project: Path) -> subprocess.CompletedProcess | None:
        env = dict(self.env)
        clock = dice.choice(CLOCKS)
        if self.shim and clock != "0":
            env |= {"LD_PRELOAD": str(self.shim), "NEIGHBOUR_CLOCK": clock}
        told = f"{project.name}: {clock} {' '.join(words)}"
        with self.lock:
            self.commands += 1
            self.log.append(f"{time.monotonic():.2f} {told}")
        process = subprocess.Popen([self.orch, *words], cwd=project, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True, errors="replace")
        try:
            out, err = process.communicate(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            self.fault(f"hangs: {told}")
            process.kill()
            process.communicate()
            return None
        code = process.returncode if process.returncode >= 0 else 128 - process.returncode
        with self.lock:
            of = self.codes.setdefault(" ".join(words[:2]) if words[0] in ("crew", "task") else words[0], {})
            of[code] = of.get(code, 0) + 1
        if code not in CODES:
            self.fault(f"ended with {code}: {told}: {err[-300:]}")
        return subprocess.CompletedProcess(words, code, out, err)

    def hosts(self) -> list[int]:
        found = []
        for entry in Path("/proc").iterdir():
            if not entry.name.isdigit():
                continue
            try:
                if self.folder.as_posix().encode() in (entry / "environ").read_bytes() and b"orch" in (entry / "comm").read_bytes():
                    found.append(int(entry.name))
            except OSError:
                pass
        return found

    def held(self, work, *words) -> None:
        """What does not come to its end measures nothing, and is a fault."""
        try:
            work(*words)
        except Exception as error:  # noqa: BLE001
            self.fault(f"a neighbour gave up: {error!r}")

    def live(self, number: int, until: float, seed: int) -> None:
        dice = random.Random(seed * 100 + number)
        while time.monotonic() < until:
            project, issue = dice.choice(self.projects), dice.choice(ISSUES)
            detached = ["-d"] if dice.random() < 0.4 else []
            command = dice.choice(WORK).format(d=dice.randint(1, 9))
            words = dice.choices([
                ["run", issue, *detached, "--sandbox", "landlock", "--timeout", "20s", "--", "sh", "-c", command],
                ["run", issue, *detached, "--agent", "demo", "-p", "hello", "--sandbox", "none", "--timeout", "20s"],
                ["retry", issue], ["continue", issue, "more"], ["undo", issue, "--yes"], ["undo", issue, "--redo", "--yes"],
                ["undo", "--dry-run"], ["gc", "--older-than", dice.choice(["0s", "2s", "1h"])], ["kill", issue], ["kill", "--all"],
                ["logs", issue], ["logs", "-f", issue, "-n", "3"], ["wait", issue, "--timeout", "3s", "--until", "exited"],
                ["report", issue, "-o", str(self.folder / f"report.{number}.html")], ["runs", "--json"], ["status", issue],
                ["sessions", "--json"], ["doctor", "--records"],
                ["crew", "up"], dice.choice([["crew", "send", "--to", "b", "mail"], ["crew", "inbox", "b", "mail"]]),
                ["crew", "nudge", "a", "say PLAN READY", "--no-wait"], ["crew", "status", "--json"],
                ["crew", "down", *dice.choice([[], ["--now"]])], ["task", "task.yaml"], ["task", "--resume", "t"],
            ], [16, 8, 4, 4, 8, 2, 2, 5, 3, 1, 3, 2, 4, 2, 3, 3, 2, 2, 3, 4, 2, 3, 2, 3, 2])[0]
            self.call(dice, words, project)

    def disturb(self, until: float, seed: int) -> None:
        dice = random.Random(seed + 7)
        filler = self.state / "filler"
        while time.monotonic() < until:
            time.sleep(dice.uniform(0.3, 1.5))
            what = dice.random()
            if what < 0.5 and (hosts := self.hosts()):
                try:
                    os.kill(dice.choice(hosts), signal.SIGKILL)
                except OSError:
                    pass
            elif what < 0.65 and self.mounted:
                try:
                    with open(filler, "wb") as file:
                        while True:
                            file.write(bytes(1 << 16))
                            file.flush()
                except OSError:
                    pass
                time.sleep(dice.uniform(0.1, 1.0))
                filler.unlink(missing_ok=True)
        filler.unlink(missing_ok=True)

    def asked(self, *words: str) -> tuple[int, str, str]:
        got = self.call(random.Random(0), list(words), self.projects[0])
        return (got.returncode, got.stdout, got.stderr) if got else (-1, "", "")

    def look(self) -> dict[str, int]:
        """All is over: kills what still runs, then looks at what is left."""
        self.asked("kill", "--all-repositories", "--now")
        end = time.monotonic() + PATIENCE
        while (left := self.hosts()) and time.monotonic() < end:
            time.sleep(0.2)
        if left:
            self.fault(f"processes are left: {left}")
        self.asked("gc", "--older-than", "1h")
        for project in self.projects:
            if not (project / "mine").is_file() or "a person" not in (project / "mine").read_text():
                self.fault(f"{project.name}: what a person made is gone")
            git = subprocess.run(["git", "fsck"], cwd=project, env=self.env, capture_output=True, text=True)
            if git.returncode != 0:
                self.fault(f"{project.name}: git fsck: {git.stderr[-300:]}")
        code, out, _ = self.asked("doctor", "--records", "--json")
        if code != 0:
            bad = [finding for finding in json.loads(out)["findings"] if finding["level"] == "bad"]
            self.fault(f"the doctor finds: {bad}")
        code, out, _ = self.asked("runs", "--all-repositories", "--json", "-n", "0")
        runs = json.loads(out) if code == 0 else []
        for run in runs:
            if run["state"] in ("starting", "running", None):
                self.fault(f"run {run['run']} is {run['state'] or run['unreadable']} though nobody runs")
                continue
            told = json.loads(self.asked("show", run["run"], "--json")[1] or "{}")
            status = json.loads(self.asked("status", run["run"], "--json")[1] or "{}")
            verdicts = {told.get("code"), (told.get("result") or told).get("code"), status.get("code")}
            if len(verdicts) != 1:
                self.fault(f"run {run['run']} tells several verdicts: {verdicts}")
        return {"runs": len(runs)}

    def remove(self) -> None:
        if self.mounted:
            subprocess.run(["umount", "-l", str(self.state)], check=False)
        shutil.rmtree(self.folder, ignore_errors=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--orch", type=Path, required=True)
    parser.add_argument("--seconds", type=float, default=30)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 30))
    parser.add_argument("--keep", action="store_true", help="leave the folder of a round that went wrong")
    options = parser.parse_args()
    orch = options.orch.resolve()
    if not os.access(orch, os.X_OK):
        print(f"neighbours: cannot run here: {orch} is not a program", file=sys.stderr)
        return 2
    scene = Scene(orch, options.seed)
    until = time.monotonic() + options.seconds
    threads = [threading.Thread(target=scene.held, args=(scene.live, number, until, options.seed))
               for number in range(NEIGHBOURS)]
    threads.append(threading.Thread(target=scene.held, args=(scene.disturb, until, options.seed)))
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    seen = scene.look()
    measured = scene.commands > NEIGHBOURS and seen["runs"] > 0
    print(f"seed {options.seed}: {scene.commands} commands, {seen['runs']} runs left, {len(scene.faults)} faults"
          f"{'' if scene.shim else '; skipped: clocks that are off (no cc)'}"
          f"{'' if scene.mounted else '; skipped: a full disk (not root)'}")
    for verb, codes in sorted(scene.codes.items()):
        print(f"  {verb:14} " + ", ".join(f"{code} x {times}" for code, times in sorted(codes.items())))
    if scene.faults and options.keep:
        (scene.folder / "commands").write_text("\n".join(scene.log) + "\n")
        print(f"kept: {scene.folder}")
    else:
        scene.remove()
    if not measured:
        print("neighbours: too little was measured", file=sys.stderr)
    return 0 if measured and not scene.faults else 1


if __name__ == "__main__":
    sys.exit(main())
