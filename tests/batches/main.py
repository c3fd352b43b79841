"""script/batches: does a batch always end rightly? See README.md beside this."""

import argparse
import json
import os
import random
import shlex
import shutil
import signal
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import disturb
import figures
import processes
from carry_out import Bench, carry_out
from judge import Fault, faults_of
from kinds import DISTURBANCES
from plan import Round, Wishes, draw
from report import Totals
from root import HERE, Root

RIGHT, WRONG, CANNOT_RUN, INTERRUPTED = 0, 1, 2, 130
REPOSITORY = HERE.parent.parent
SECONDS = 60  # by default
PATIENCE = 5  # with --verdicts
TOLD = 10  # faults of a round, on standard error
GAVE_UP = 20_000  # so many numbers are drawn until --only must have been met
INSIDE = "ORCH_BATCHES_INSIDE"


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="script/batches",
        description="Rounds of batches, drawn by chance: agents and gates of every kind, in the foreground and in the "
        "background, disturbed in many ways. Each issue must end once and rightly, and nothing may be left.",
        epilog="ORCH_BATCHES_ROUNDS is --rounds, of a test too · exit: 0 all was right · 1 not so · 2 it cannot run here",
    )
    parser.add_argument("--orch", type=Path, metavar="PATH", help="the binary; default: the newest under build/")
    parser.add_argument("--seconds", type=float, metavar="N", help=f"no round begins later (default: {SECONDS})")
    parser.add_argument("--rounds", type=int, metavar="N", help="so many rounds, however long they take")
    parser.add_argument("--seed", metavar="S", help="the same seed draws the same rounds")
    parser.add_argument("--round", type=int, metavar="N", help="that round alone")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="so many rounds at a time (default: 1)")
    parser.add_argument("--only", action="append", default=[], metavar="KIND",
                        help="rounds that have this: a disturbance (" + ", ".join(DISTURBANCES) + "), demo, plain, headless, "
                        "worktrees, artifacts, fence, detached, foreground, 'no groups', 'fix turns', or an agent or gate of "
                        "kinds.py; may be given several times")
    parser.add_argument("--real", metavar="CLI,...", help="real CLIs from npm against a scripted model, in both modes: "
                        "claude, codex, gemini, opencode")
    parser.add_argument("--issues", type=int, metavar="N", help="of each batch (default: by chance)")
    parser.add_argument("--grow", nargs="?", const="100,1000,10000", metavar="N,...",
                        help="in place of rounds: one batch of so many demo issues each; time and the host's memory")
    parser.add_argument("--closing-gates", nargs="?", const=50, type=int, metavar="N",
                        help="in place of rounds: N times 24 issues whose gates close their output early; all must end "
                        "within 1.5 times the median")
    parser.add_argument("--verdicts", action="store_true", help="only verdicts count, and whether all that tells of a run says "
                        "the same: for a slow build, or a machine that does other things beside")
    parser.add_argument("--json", action="store_true", help="the figures for a script, on standard output")
    parser.add_argument("--keep", action="store_true", help="keep the folders of what was right, too")
    arguments = parser.parse_args()
    if rounds := os.environ.get("ORCH_BATCHES_ROUNDS"):
        arguments.rounds = int(rounds)
    return arguments


def newest_binary() -> Path | None:
    built = [*REPOSITORY.glob("build/*/bin/orch"), *REPOSITORY.glob("build/bin/orch")]
    return max(built, key=lambda path: path.stat().st_mtime, default=None)


def enter_own_mounts() -> None:
    """Small disks are mounted where nobody else sees them."""
    if INSIDE not in os.environ and disturb.can_mount():
        os.environ[INSIDE] = "1"
        os.execvp("unshare", ["unshare", "--mount", sys.executable, "-B", *sys.argv])


class Rounds:
    """Carries rounds out, a few at a time, and tells what was wrong as it comes."""

    def __init__(self, arguments: argparse.Namespace, orch: Path, wishes: Wishes, bench: Bench, real):
        self.totals = Totals()
        self.kept: list[str] = []
        self._arguments, self._orch, self._wishes, self._bench, self._real = arguments, orch, wishes, bench, real
        self._seed = arguments.seed or f"{random.randrange(10**6)}"
        self._lock = threading.Lock()
        self._until = time.monotonic() + (arguments.seconds or SECONDS)
        self._over = False
        self._number = 0
        self._begun = 0
        self._living: set[str] = set()

    @property
    def seed(self) -> str:
        return self._seed

    def run(self) -> None:
        if self._arguments.round is not None:
            a_round = self._draw(self._arguments.round)
            if a_round is not None:
                self._carry_out(a_round)
            return
        with ThreadPoolExecutor(self._arguments.jobs) as pool:
            works = [pool.submit(self._work) for _ in range(self._arguments.jobs)]
            try:
                for work in works:
                    work.result()
            finally:
                self._end()

    def _end(self) -> None:
        """After an interrupt rounds are under way."""
        self._over = True
        for token in list(self._living):
            processes.kill_all(token)

    def _work(self) -> None:
        while (a_round := self._next()) is not None:
            self._carry_out(a_round)

    def _next(self) -> Round | None:
        with self._lock:
            wanted = self._arguments.rounds
            enough = self._begun == wanted if wanted is not None else time.monotonic() > self._until
            if self._over or enough:
                return None
            for _ in range(GAVE_UP):
                number, self._number = self._number, self._number + 1
                if (a_round := self._draw(number)) is not None:
                    self._begun += 1
                    return a_round
        return None

    def _draw(self, number: int) -> Round | None:
        a_round = draw(self._seed, number, self._wishes)
        return replace(a_round, patience=PATIENCE) if a_round and self._arguments.verdicts else a_round

    def _carry_out(self, a_round: Round) -> None:
        root = self._real.root(a_round, self._orch) if self._real else Root(a_round, self._orch)
        self._living.add(root.token)
        faults = [Fault("verdict", "the round was not carried out")]
        try:
            seen = carry_out(root, self._bench)
            faults = [] if self._over else faults_of(a_round, seen)
            if self._arguments.verdicts:
                faults = [fault for fault in faults if fault.kind in ("verdict", "hung")]
        finally:
            root.remove(keep=bool(faults) or self._arguments.keep)
            self._living.discard(root.token)
        if self._over:
            return
        with self._lock:
            self.totals.add(a_round, seen, faults)
            self._tell(a_round, root, seen.took_s, faults)

    def _tell(self, a_round: Round, root: Root, took_s: float, faults: list[Fault]) -> None:
        if sys.stderr.isatty() or faults:
            print(f"{a_round.number:4} {'WRONG' if faults else 'right'} {took_s:5.1f} s  {a_round.text}",
                  file=sys.stderr, flush=True)
        for fault in faults[:TOLD]:
            print(f"       {fault.kind}: {fault.text}", file=sys.stderr)
        if len(faults) > TOLD:
            print(f"       and {len(faults) - TOLD} more: faults.txt", file=sys.stderr)
        if faults:
            (root.folder / "faults.txt").write_text("".join(f"{fault.kind}: {fault.text}\n" for fault in faults))
            print(f"       kept in {root.folder}; again: {self._again(a_round)}", file=sys.stderr, flush=True)

    def _again(self, a_round: Round) -> str:
        words = ["script/batches", "--orch", str(self._orch), "--seed", self._seed, "--round", str(a_round.number)]
        for name in ("real", "issues"):
            if getattr(self._arguments, name) is not None:
                words += [f"--{name}", str(getattr(self._arguments, name))]
        return shlex.join(words)


def main() -> int:
    arguments = parse_arguments()
    orch = arguments.orch or newest_binary()
    if orch is None or not os.access(orch, os.X_OK):
        print(f"batches: cannot run here: {orch or 'orch'} is not built", file=sys.stderr)
        return CANNOT_RUN
    orch = orch.resolve()
    enter_own_mounts()
    signal.signal(signal.SIGTERM, signal.getsignal(signal.SIGINT))
    if arguments.closing_gates is not None:
        return figures.closing_gates(orch, arguments.closing_gates, arguments.json)
    if arguments.grow is not None:
        return figures.grow(orch, [int(count) for count in arguments.grow.split(",")], arguments.json)
    scratch = Path(tempfile.mkdtemp(prefix="orch-batches-"))
    try:
        return run_rounds(arguments, orch, scratch)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def run_rounds(arguments: argparse.Namespace, orch: Path, scratch: Path) -> int:
    preload = disturb.slow_fsync(orch, scratch)
    missing = ([] if INSIDE in os.environ else ["disk full"]) + ([] if preload else ["slow disk"])
    real = None
    possible = tuple(name for name in DISTURBANCES if name not in missing)
    without_groups, fence = disturb.can_hide_groups(), disturb.can_fence(orch)
    if arguments.real:
        import real as real_clis  # what it needs is not there everywhere

        try:
            real = real_clis.Real(arguments.real.split(","))
        except real_clis.CannotRun as error:
            print(f"batches: cannot run here: {error}", file=sys.stderr)
            return CANNOT_RUN
        wishes = real.wishes(arguments.issues, tuple(arguments.only))
    else:
        wishes = Wishes(disturbances=possible, issues=arguments.issues, without_groups=without_groups,
                        fence=fence, only=tuple(arguments.only))
    left_out = missing + ["no groups"] * (not without_groups) + ["fence"] * (not fence)
    if left_out and not arguments.real:
        print(f"batches: cannot be made here, left out: {', '.join(left_out)}", file=sys.stderr)
    rounds = Rounds(arguments, orch, wishes, Bench(orch, preload), real)
    print(f"batches: seed {rounds.seed}, {orch}", file=sys.stderr, flush=True)
    try:
        rounds.run()
    except KeyboardInterrupt:
        print(rounds.totals.table())
        return INTERRUPTED
    totals = rounds.totals
    if totals.all.rounds == 0:
        print("batches: cannot run here: no round is of all the kinds of --only", file=sys.stderr)
        return CANNOT_RUN
    if arguments.json:
        print(json.dumps(totals.as_json() | {"seed": rounds.seed}))
    else:
        print(totals.table())
    return WRONG if totals.all.wrong_rounds else RIGHT


if __name__ == "__main__":
    sys.exit(main())
