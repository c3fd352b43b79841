"""script/attacks: README.md. Each mode plays rows of the tables and prints what came of them, by class."""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path

import root
import table
import world
from table import Row

RIGHT, WRONG, CANNOT_RUN = 0, 1, 2
MODES = ("effect", "policy", "fence", "undo", "work")
_REPOSITORY = Path(__file__).resolve().parents[2]
_WORST = 72  # columns of a command in the list of failures


@dataclass(frozen=True)
class Verdict:
    row: Row
    right: bool
    why: str  # what was seen
    seconds: float = 0.0
    left_open: tuple[str, ...] = ()  # what only namespaces could hold, where there are none


# What Landlock and seccomp cannot hold, by its effect: docs/internals/fence.md promises it of namespaces alone.
_NAMESPACES_HOLD = {
    "modes, times, owners and attributes of files": r": (mode|time|owner|attributes)$",
    "sockets that have a path": r"^socket /",
    "System V and POSIX objects": r"^(System V|POSIX) ",
    "/dev/shm": r"^/dev/shm/",
    "other terminals": r"^terminal: |SECRET-TYPED",
}


def _held_by_namespaces(effect: str) -> str | None:
    return next((what for what, form in _NAMESPACES_HOLD.items() if re.search(form, effect)), None)


# Of a worker process.
_template: world.Tree = {}
_worker = 0


def _start_worker(template: world.Tree, counter) -> None:
    global _template, _worker
    _template = template
    with counter.get_lock():
        counter.value += 1
        _worker = counter.value


def _play(job: root.Job) -> root.Outcome:
    return root.run(job, _template, _worker)


class Attacks:
    def __init__(self, options: argparse.Namespace) -> None:
        self._options = options
        self._template = self._make_template()
        self._noise: set[str] = set()
        bubblewrap = shutil.which("bwrap")
        self._namespaces = bubblewrap is not None and bubblewrap not in options.hide

    @staticmethod
    def _make_template() -> world.Tree:
        made = root.run(root.Job(command=[], seconds=60), None)
        if made.failure:
            raise root.CannotRun(made.failure)
        return made.tree

    def probe(self) -> None:
        """Refuses to go on where a root is not cut off."""
        with tempfile.NamedTemporaryFile(prefix="attacks-canary-", dir="/var/tmp") as canary:
            os.chmod(canary.name, 0o666)
            command = ["python3", f"{root.PROGRAMS}/probe.py", canary.name, os.readlink("/proc/self/ns/user")]
            for as_root in (False, True):
                seen = root.run(root.Job(command, as_root=as_root, no_new_privs=False), self._template)
                if seen.failure or seen.code != 0 or seen.output:
                    raise root.CannotRun(f"the throw-away root is not safe: {seen.failure}{seen.output} ({seen.code})")
        command = ["bwrap", "--ro-bind", "/", "/", "true"]
        nested = root.run(root.Job(command, no_new_privs=False), self._template)
        if shutil.which("bwrap") and nested.code != 0:
            print(f"attacks: bubblewrap does not work in the throw-away root: {nested.output}", file=sys.stderr)

    def play(self, rows: list[Row], job_of: Callable[[Row], root.Job]) -> Iterable[tuple[Row, root.Outcome]]:
        counter = get_context("fork").Value("i", 0)
        with ProcessPoolExecutor(
            self._options.jobs, get_context("fork"), _start_worker, (self._template, counter)
        ) as pool:
            for row, outcome in zip(rows, pool.map(_play, map(job_of, rows)), strict=True):
                if outcome.failure:
                    raise root.CannotRun(f"{row.name}: {outcome.failure}")
                yield row, outcome

    def _fence(self, row: Row | None) -> list[str]:
        """What stands before the command under the fence."""
        if self._options.fence is not None:
            return self._options.fence.split()
        net = ["--net", "none"] if row and row.no_net else []
        sandbox = ["--sandbox", self._options.sandbox]
        return [root.ORCH, "run", "x", *sandbox, *net, "--agent", "command", "--output", "raw", "--timeout", "20s",
                "--state-dir", world.STATE, "--"]  # fmt: skip

    def _fenced(self, row: Row, seconds: float = 30.0, then: list[str] | None = None) -> root.Job:
        return root.Job(
            [*self._fence(row), "bash", "-c", row.command], then or [], as_root=row.as_root or self._options.as_root,
            seconds=seconds, settle=row.settle, hidden=tuple(self._options.hide), orch=self._options.orch,
            no_new_privs=False,
        )  # fmt: skip

    def _bare(self, row: Row) -> root.Job:
        return root.Job(
            ["bash", "-c", row.command], as_root=row.as_root or self._options.as_root, settle=row.settle,
            hidden=tuple(self._options.hide),
        )  # fmt: skip

    def effect(self, rows: list[Row]) -> Iterable[Verdict]:
        for row, seen in self.play(rows, self._bare):
            found = seen.inside if row.kind == table.WIPES else seen.outside
            why = _shortened(found) if found else f"no effect: {_last_line(seen)}"
            yield Verdict(row, bool(found), why, seen.seconds)

    def policy(self, rows: list[Row]) -> Iterable[Verdict]:
        lines = "".join(json.dumps(row.command) + "\n" for row in rows)
        ran = subprocess.run(
            [self._options.judge, "--cwd", world.WORK], input=lines, capture_output=True, text=True, check=False
        )
        answers = ran.stdout.splitlines()
        if ran.returncode != 0 or len(answers) != len(rows):
            raise root.CannotRun(f"judge: exit {ran.returncode}, {len(answers)} answers of {len(rows)}: {ran.stderr}")
        for row, line in zip(rows, answers, strict=True):
            said = json.loads(line)
            allowed = said["answer"] == "allow"
            yield Verdict(row, not allowed or not row.judged, f"{said['answer']} ({said['rule']})")

    def _learn_noise(self) -> None:
        """What the fence itself leaves behind."""
        quiet = Row("", 0, "true")
        for _, seen in self.play([quiet], self._fenced):
            if seen.code != 0:
                raise root.CannotRun(f"the fence does not run `true`: exit {seen.code}: {seen.output}")
            self._noise = set(seen.outside)
        for _, seen in self.play([Row("", 0, "echo x > /home/agent/docs/plan.txt")], self._fenced):
            if seen.outside and not self._options.sandbox == "none":
                raise root.CannotRun("the fence is not there: it lets a plain write through")

    def _escaped(self, seen: root.Outcome) -> list[str]:
        return [line for line in seen.outside if line not in self._noise]

    def fence(self, rows: list[Row]) -> Iterable[Verdict]:
        self._learn_noise()
        for row, seen in self.play(rows, self._fenced):
            found = self._escaped(seen)
            left_open = () if self._namespaces else tuple(filter(None, map(_held_by_namespaces, found)))
            held = len(left_open) == len(found)
            yield Verdict(row, held, _shortened(found), seen.seconds, left_open)

    def undo(self, rows: list[Row]) -> Iterable[Verdict]:
        self._learn_noise()
        undo = [root.ORCH, "undo", "x", "--yes", "--state-dir", world.STATE]
        wipes = [row for row in rows if row.kind == table.WIPES]
        for row, seen in self.play(wipes, lambda row: self._fenced(row, then=undo)):
            if not seen.inside:
                yield Verdict(row, False, f"nothing was wiped: {_last_line(seen)}", seen.seconds)
                continue
            why = _shortened(seen.after)
            if seen.after:
                why += f" [orch undo: {' '.join(seen.then_output.split())[-120:]}]"
            yield Verdict(row, not seen.after, why, seen.seconds)

    def work(self, rows: list[Row]) -> Iterable[Verdict]:
        self._learn_noise()
        for row, seen in self.play(rows, self._fenced):
            found = self._escaped(seen)
            right = seen.code == 0 and (not found or self._options.sandbox == "none")
            yield Verdict(row, right, f"exit {seen.code}: {_last_line(seen)} {_shortened(found)}", seen.seconds)


def _shortened(lines: list[str]) -> str:
    more = f" and {len(lines) - 2} more" if len(lines) > 2 else ""
    return ", ".join(lines[:2]).replace(world.HOME, "~") + more


def _last_line(seen: root.Outcome) -> str:
    lines = seen.output.strip().splitlines() or [""]
    return ("out of time: " if seen.code is None else "") + lines[-1][-100:]


_WORDS = {"effect": "proved", "policy": "not allowed", "fence": "held", "undo": "undone", "work": "work"}


def _report(mode: str, verdicts: list[Verdict], all_failures: bool) -> bool:
    kinds = list(dict.fromkeys(verdict.row.kind for verdict in verdicts))
    width = max([len(kind) for kind in kinds] + [5])
    print(f"\n{mode}\n  {'class':<{width}}  rows  {_WORDS[mode]}")
    for kind in kinds:
        of_kind = [verdict for verdict in verdicts if verdict.row.kind == kind]
        right = sum(verdict.right for verdict in of_kind)
        note = ""
        if mode == "policy":
            allowed = sum(verdict.why.startswith("allow") for verdict in of_kind)
            right = len(of_kind) - allowed
            unjudged = sum(not verdict.row.judged for verdict in of_kind)
            note = f"   ({unjudged} of them not the policy's to judge)" if unjudged else ""
        elif left_open := sum(bool(verdict.left_open) for verdict in of_kind):
            right -= left_open
            note = f"   ({left_open} open without namespaces)"
        print(f"  {kind:<{width}}  {len(of_kind):>4}  {right}{note}")
    for what in _NAMESPACES_HOLD:
        if rows := [verdict.row.name for verdict in verdicts if what in verdict.left_open]:
            some = ", ".join(rows[:6]) + ", ..." * (len(rows) > 6)
            print(f"  open without namespaces: {what}: {len(rows)} rows ({some})")
    failures = [verdict for verdict in verdicts if not verdict.right]
    print(f"  {'all':<{width}}  {len(verdicts):>4}  {len(verdicts) - len(failures)} right, {len(failures)} not")
    for verdict in failures if all_failures else failures[:40]:
        command = verdict.row.command.replace("\n", "⏎")
        shown = command if len(command) <= _WORST else command[: _WORST - 1] + "…"
        print(f"    {verdict.row.name:<{width + 5}} {shown}\n    {'':<{width + 5}}   -> {verdict.why}")
    if not all_failures and len(failures) > 40:
        print(f"    ... and {len(failures) - 40} more; --all shows them")
    return not failures


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="script/attacks", description="hostile commands against orch")
    parser.add_argument("--mode", action="append", choices=MODES, help="default: all that there is a binary for")
    parser.add_argument("--orch", metavar="BIN", help="the binary; default: the newest under build/")
    parser.add_argument("--judge", metavar="BIN", help="the policy's judge; default: the newest under build/")
    parser.add_argument("--class", dest="kind", action="append", metavar="C", help="tables; default: all of them")
    parser.add_argument("--row", action="append", metavar="CLASS:LINE", help="only these")
    parser.add_argument("--jobs", type=int, default=2, metavar="N")
    parser.add_argument("--sandbox", default="landlock", help="passed on to orch run")
    parser.add_argument("--hide", action="append", default=[], metavar="PATH", help="a program not to be there")
    parser.add_argument("--fence", metavar="WORDS", help="another fence in front of `bash -c`, instead of orch run")
    parser.add_argument("--as-root", action="store_true", help="every row as root of the throw-away root")
    parser.add_argument("--all", action="store_true", help="every failing row, not the first 40")
    parser.add_argument("--log", type=Path, metavar="FILE", help="every row as a line of JSON")
    return parser.parse_args()


def _newest(name: str) -> str | None:
    found = [path for path in _REPOSITORY.glob(f"build/*/**/{name}") if path.is_file() and os.access(path, os.X_OK)]
    return str(max(found, key=lambda path: path.stat().st_mtime)) if found else None


def _stripped(binary: str, folder: str) -> str:
    """Smaller, as each root has a copy of its own."""
    copy = f"{folder}/orch"
    shutil.copy(binary, copy)
    if shutil.which("strip"):
        subprocess.run(["strip", copy], check=False)
    os.chmod(folder, 0o755)
    return copy


def _rows(options: argparse.Namespace, mode: str) -> list[Row]:
    rows = [row for row in table.all_rows() if (row.kind == table.BENIGN) == (mode == "work")]
    if options.kind:
        rows = [row for row in rows if row.kind in options.kind]
    if options.row:
        rows = [row for row in rows if row.name in options.row]
    missing = [row for row in rows if row.needs and not shutil.which(row.needs)]
    if missing:
        print(f"attacks: not run, as a program is missing here: {', '.join(row.name for row in missing)}")
    return [row for row in rows if row not in missing]


def _main() -> int:
    options = _options()
    if os.geteuid() != 0 or sys.version_info < (3, 11):
        raise root.CannotRun("root and Python 3.11 are needed to make throw-away roots")
    options.judge = options.judge or _newest("judge")
    orch = options.orch or _newest("orch")
    modes = options.mode or ["effect"] + ["policy"] * bool(options.judge) + ["fence", "undo", "work"] * bool(orch)
    right = True
    with tempfile.TemporaryDirectory(prefix="attacks-") as folder:
        options.orch = _stripped(orch, folder) if orch else None
        attacks = Attacks(options)
        attacks.probe()
        log = options.log.open("w", encoding="utf-8") if options.log else None
        for mode in modes:
            missing = not options.judge if mode == "policy" else mode != "effect" and not (orch or options.fence)
            if missing:
                raise root.CannotRun(f"{mode}: the binary is not built")
            begin = time.monotonic()
            verdicts = list(getattr(attacks, mode)(_rows(options, mode)))
            right = _report(mode, verdicts, options.all) and right
            print(f"  {time.monotonic() - begin:.0f} s")
            for verdict in verdicts if log else ():
                said = {"mode": mode, "row": verdict.row.name, "right": verdict.right, "why": verdict.why}
                said |= {"seconds": round(verdict.seconds, 3), "command": verdict.row.command}
                log.write(json.dumps(said) + "\n")
        if log:
            log.close()
    return RIGHT if right else WRONG


if __name__ == "__main__":
    try:
        sys.exit(_main())
    except root.CannotRun as error:
        print(f"attacks: cannot run here: {error}", file=sys.stderr)
        sys.exit(CANNOT_RUN)
