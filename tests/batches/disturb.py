"""What disturbs a round while it runs, and what it is started with."""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path

import left_over
import processes
from plan import Round
from root import HERE, Root
from seen import Seen

sys.path.append(str(HERE.parent.parent / "canary"))
from load import Load  # noqa: E402

SLOW_FSYNC = HERE.parent / "soak/slow_fsync.cc"


class Disturber:
    """Disturbs from begin() to end(). `hosts` tells the pids of the batch's hosts."""

    def __init__(self, root: Root, seen: Seen, hosts: Callable[[], set[int]], preload: Path | None):
        self._root, self._seen, self._hosts, self._preload = root, seen, hosts, preload
        self._round: Round = root.round
        self._chance = root.round.chance
        self._over = threading.Event()
        self._load = Load(self._round.disturbance == "load")
        does = {
            "signals": self._signal_agents, "frozen": self._freeze, "host killed": self._kill_host, "stopped": self._stop,
            "kill --all": self._kill_sessions, "replaced": self._replace, "host stands still": self._stand_still,
        }.get(self._round.disturbance)
        self._thread = threading.Thread(target=does, daemon=True) if does else None

    def prepare(self) -> tuple[list[str], dict[str, str]]:
        """Words before the command, and more environment."""
        kind = self._round.disturbance
        if kind == "few descriptors":
            return ["sh", "-c", f'ulimit -n {self._chance.randint(160, 256)}; exec "$@"', "sh"], {}
        if kind == "disk full":
            self._root.mount_small_state(self._chance.randint(300, 3000))
        elif kind == "replaced":
            self._root.copy_binary()
        elif kind == "slow disk" and self._preload:
            return [], {"LD_PRELOAD": str(self._preload), "ORCH_FSYNC_MS": str(self._chance.choice((100, 400, 1500))),
                        "ASAN_OPTIONS": "verify_asan_link_order=0"}
        return [], {}

    def begin(self) -> None:
        self._load.__enter__()
        if self._thread:
            self._thread.start()

    def end(self) -> None:
        self._over.set()
        if self._thread:
            self._thread.join()
        self._load.__exit__()

    def _pause(self, seconds: float) -> bool:
        """False: the round is over."""
        return not self._over.wait(seconds)

    def _some_moment(self) -> bool:
        """Sometime while the batch runs, or shortly after."""
        a_round = self._round
        alone = sum(issue.behaviour.seconds + sum(gate.seconds for gate in issue.gates) for issue in a_round.issues)
        return self._pause(self._chance.uniform(0.05, 1.5 + 1.5 * alone / a_round.jobs))

    def _signal_agents(self) -> None:
        while self._pause(self._chance.uniform(0.05, 0.4)):
            # orch's own helpers belong to the host, git to them.
            targets = [p for p in processes.of_round(self._root.token)
                       if p.run and Path(p.program).name != "git"
                       and (Path(p.program).name != "orch" or p.words[1:2] == ("demo-agent",))]
            if not targets:
                continue
            target = self._chance.choice(targets)
            if self._chance.random() < 0.4:
                # Beforehand: its end may be told before this goes on.
                self._seen.killed.add(target.run.split("-", 1)[1].rpartition("-")[0])
                processes.signal_one(target.pid, signal.SIGKILL)
            elif processes.signal_one(target.pid, signal.SIGSTOP):
                self._pause(self._chance.uniform(0.02, 0.6))
                processes.signal_one(target.pid, signal.SIGCONT)

    def _freeze(self) -> None:
        """What is frozen goes on when it is thawed, as if nothing had been."""
        while self._pause(self._chance.uniform(0.05, 0.6)):
            groups = left_over.groups(self._root)
            if not groups:
                continue
            freezer = Path(self._chance.choice(groups), "cgroup.freeze")
            try:
                freezer.write_text("1")
                self._pause(self._chance.uniform(0.1, 2))
                freezer.write_text("0")
            except OSError:  # its run has ended
                pass

    def _kill_host(self) -> None:
        if self._some_moment():
            for host in self._hosts():
                processes.signal_one(host, signal.SIGKILL)

    def _stop(self) -> None:
        if not self._some_moment():
            return
        # A host in the background is told by SIGTERM.
        number = signal.SIGTERM if self._round.detached else self._chance.choice((signal.SIGINT, signal.SIGTERM))
        for _ in range(self._chance.choice((1, 1, 2))):
            for host in self._hosts():
                processes.signal_one(host, number)
            if not self._pause(self._chance.uniform(0.05, 1)):
                return

    def _kill_sessions(self) -> None:
        if not self._some_moment():
            return
        listed = self._root.orch_says("sessions", "--json")
        said = self._root.orch_says("kill", "--all", *self._chance.choice(([], ["--now"])))
        if listed is not None and listed.returncode == 0 and said is not None and said.returncode == 0:
            # A batch that is just starting puts its issues into the queue a few at a time.
            self._seen.listed = {session["issue"] for session in json.loads(listed.stdout)}
            self._seen.queue_emptied = time.time()

    def _replace(self) -> None:
        if not self._some_moment():
            return
        new = self._root.orch.with_suffix(".new")
        shutil.copy2(self._root.installed, new)
        if self._chance.random() < 0.5:
            self._root.orch.unlink()
            self._pause(self._chance.uniform(0.1, 1))
        new.rename(self._root.orch)

    def _stand_still(self) -> None:
        while self._pause(self._chance.uniform(0.2, 2)):
            hosts = self._hosts()
            for host in hosts:
                processes.signal_one(host, signal.SIGSTOP)
            time.sleep(self._chance.uniform(0.5, 4.5))
            for host in hosts:
                processes.signal_one(host, signal.SIGCONT)


def can_mount() -> bool:
    return os.geteuid() == 0 and subprocess.run(
        ["unshare", "--mount", "sh", "-c", "mount -t tmpfs none /mnt"], capture_output=True, check=False).returncode == 0


def can_fence(orch: Path) -> bool:
    """Tries it."""
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder, "work")
        work.mkdir()
        words = [str(orch), "run", "fence", "--output", "quiet", "--sandbox", "landlock", "--", "true"]
        return subprocess.run(words, cwd=work, env={"HOME": folder, "PATH": os.environ.get("PATH", os.defpath)},
                              stdin=subprocess.DEVNULL, capture_output=True, check=False).returncode == 0


def can_hide_groups() -> bool:
    script = HERE.parent / "soak/without_groups.sh"
    return subprocess.run([str(script), "true"], capture_output=True, check=False).returncode == 0


def slow_fsync(orch: Path, scratch: Path) -> Path | None:
    """The library that makes a disk slow: the build's own, or one made here; None: there is no compiler."""
    for built in orch.resolve().parent.parent.rglob("libslow_fsync.so"):
        return built
    library = scratch / "libslow_fsync.so"
    for compiler in ("c++", "g++", "clang++"):
        if shutil.which(compiler):
            words = [compiler, "-shared", "-fPIC", "-o", str(library), str(SLOW_FSYNC), "-ldl"]
            if subprocess.run(words, capture_output=True, check=False).returncode == 0:
                return library
    return None
