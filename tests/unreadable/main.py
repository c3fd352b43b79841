#!/usr/bin/env python3
"""What cannot be read is not missing: every read of orch's state fails once, with every errno, in every command.

    script/unreadable --orch build/dev/bin/orch [--only WORD] [--every N] [--errno EIO,...] [--keep] [--verbose]

A state directory is made with runs that have ended, that were undone, whose host is dead, lives, is on another
machine, or waits in a queue, with a kept failure and what was cut off. Then each command is run once as it is, and its
reads below the state directory are counted (tests/unreadable/unreadable.cc); and then again for each read and errno,
with that read failing. Afterwards
  - no file of the state has gone or become shorter, but those that the command removes or replaces by right, and these
    say the same end of a run;
  - the command has either done the same, or has named the file and the system's error;
  - no command was killed by a signal, or hung.
Each case that is not so is a line. Exit 0: none, 1: some, 2: cannot run here. `--every 7` takes every seventh read.
"""
import argparse
import errno
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

PATIENCE = 40  # seconds that no command may take
ERRNOS = ["EIO", "EMFILE", "ESTALE", "EACCES"]
LONG = {"runs --summary", "report --all", "diff"}
ONCE = {"EMFILE"}  # a shortage passes; what is broken stays so
HOLDER = """
import fcntl, struct, sys, time
held = []
for path in sys.argv[1:]:
    held.append(open(path, "a+"))
    fcntl.fcntl(held[-1], 37, struct.pack("hhqqi4x", fcntl.F_WRLCK, 0, 0, 0, 0))
print("held", flush=True)
time.sleep(100000)
"""


def commands(ids):
    """NAME: words. A name that ends with ! may change the state by right; ~ need not name what it could not read."""
    return {
        "sessions": ["sessions"],
        "sessions --json": ["sessions", "--json"],
        "top --json": ["top", "--json"],
        "runs": ["runs"],
        "runs --json": ["runs", "--json", "--all-repositories"],
        "runs --summary": ["runs", "--summary"],
        "show": ["show", ids["done"], "--json"],
        "show issue": ["show", "done"],
        "show dead": ["show", "dead"],
        "status": ["status", "done"],
        "status dead": ["status", "dead"],
        "status live": ["status", "live"],
        "status away": ["status", "away"],
        "logs": ["logs", "done"],
        "logs dead": ["logs", "dead"],
        "replay": ["replay", "done", "--statuses"],
        "explain": ["explain", "done", "--at", "0.5"],
        "shot": ["shot", "done", "--at", "0.5"],
        "report": ["report", "done", "-o", "/dev/null"],
        "report --all": ["report", "--all", "-o", "/dev/null"],
        "diff": ["diff", "prog"],
        "undo --dry-run": ["undo", ids["prog"], "--dry-run"],
        "undo --list": ["undo", "--list"],
        "undo --yes!": ["undo", ids["alone"], "--yes"],
        "undo --redo!": ["undo", ids["alone"], "--redo", "--yes"],
        "undo --no-redo!": ["undo", ids["alone"], "--only", "two", "--no-redo", "--yes"],
        "gc --dry-run": ["gc", "--older-than", "0s", "--dry-run"],
        "gc!": ["gc", "--older-than", "0s"],
        "gc --json!": ["gc", "--json"],
        "gc --forget!": ["gc", "--forget", "away"],
        "doctor --records": ["doctor", "--records"],
        "wait": ["wait", "done", "--until", "exited"],
        "wait dead": ["wait", "dead", "--until", "exited"],
        "wait kept": ["wait", "kept", "--until", "exited"],
        "send live": ["send", "live", "hello"],
        "answer live": ["answer", "live", "yes"],
        "keys dead": ["keys", "dead", "Escape"],
        "reset live": ["reset", "live"],
        "stop dead!": ["stop", "dead"],
        "stop live!": ["stop", "live"],
        "kill dead!": ["kill", "dead"],
        "kill queued!": ["kill", "queued"],
        "kill kept!": ["kill", "kept"],
        "kill away!": ["kill", "away"],
        "kill live!": ["kill", "live"],
        "run live!": ["run", "live", "--", "true"],
        "run away!": ["run", "away", "--", "true"],
        "run dead!": ["run", "dead", "--", "true"],
        "run new!": ["run", "new", "--", "true"],
        "run --require-changes!": ["run", "new", "--require-changes", "--", "sh", "-c", "echo new > two"],
        "retry!": ["retry", ids["prog"]],
        "complete runs~": ["internal", "complete", "show", ""],
        "complete sessions~": ["internal", "complete", "logs", ""],
    }


def identity(pid):
    stat = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return {"pid": pid, "pid_start": int(stat[19])}


class Lost(Exception):
    pass


class Place:
    """The state directory, the project, and what they were at first."""

    def __init__(self, orch, preload, base):
        self.orch, self.preload, self.base = orch, preload, base
        self.state, self.work = base / "state", base / "work"
        self.alone = base / "alone"  # another project, in which nothing is at work
        self.first_state = base / "first-state"
        self.holder = None
        self.env = {"HOME": str(base / "home"), "ORCH_STATE_DIR": str(self.state), "PATH": os.environ["PATH"],
                    "LANG": "C.UTF-8", "ORCH_DEMO_SCENARIO": "plain", "ORCH_DEMO_SPEED": "0.05"}

    def run(self, words, env=None, patience=PATIENCE):
        cwd = self.alone if any("-alone-" in word for word in words) else self.work
        process = subprocess.Popen([self.orch, *words], cwd=cwd, env=self.env | (env or {}), text=True,
                                   errors="replace", stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, start_new_session=True)
        try:
            out, err = process.communicate(timeout=patience)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            out, err = process.communicate()
            return None, out, err
        return process.returncode, out, err

    def must(self, *words, code=0, env=None):
        ended, out, err = self.run(list(words), env)
        if ended != code:
            raise Lost(f"orch {' '.join(words)} ended with {ended}: {err}")
        return out

    def session(self, issue):
        return next(self.state.glob(f"sessions/orch-{issue}@*.json"))

    def newest(self, issue):
        return max(path.name for path in self.state.glob(f"runs/*-{issue}-????"))

    def kill_host(self, issue):
        pid = json.loads(self.session(issue).read_text())["pid"]
        family = [pid] + [int(word) for word in
                          Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
        for each in family:
            try:
                os.kill(each, signal.SIGKILL)
            except ProcessLookupError:
                pass
        time.sleep(0.3)

    def copy_session(self, old, new, change):
        """Another run like that of `old`, which stands where it stood; `change` alters its session's record."""
        run = self.newest(old)
        other = re.sub(rf"-{old}-", f"-{new}-", run)
        names = lambda text: text.replace(run, other).replace(f"orch-{old}", f"orch-{new}").replace(
            f'"issue": "{old}"', f'"issue": "{new}"').replace(f'"issue":"{old}"', f'"issue":"{new}"')
        shutil.copytree(self.state / "runs" / run, self.state / "runs" / other)
        for name in ["run.json", "events.jsonl"]:
            path = self.state / "runs" / other / name
            path.write_text(names(path.read_text()))
        session = self.session(old)
        record = json.loads(names(session.read_text()))
        change(record)
        Path(names(str(session))).write_text(json.dumps(record))
        return other, record

    def make(self):
        (self.base / "home").mkdir(parents=True)
        for project in [self.work, self.alone]:
            project.mkdir()
            git = lambda *words: subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@b", *words], cwd=project,
                                                check=True, capture_output=True)
            git("init", "-q")
            (project / "one").write_text("one\n")
            (project / "two").write_text("two\n")
            git("add", "-A")
            git("commit", "-qm", "first")
        self.must("run", "x-alone-x", "--require-changes", "--", "sh", "-c", "rm one; echo 2 > two")
        alone = self.newest("x-alone-x")
        self.must("undo", alone, "--yes")
        (self.alone / "two").write_text("3\n")
        self.must("run", "done", "--agent", "demo", "-p", "hello", "--until", "idle")
        self.must("run", "keep", "--keep", "99d", "--", "true")
        self.must("run", "prog", "--require-changes", "--", "sh", "-c", "rm one; echo 2 > two")
        self.must("undo", "prog", "--yes")
        self.must("run", "later", "--require-changes", "--", "sh", "-c", "echo 3 > two")
        ids = {"done": self.newest("done"), "prog": self.newest("prog"), "alone": alone}
        self.must("run", "kept", "-d", "--agent", "demo", "-p", "hello", env={"ORCH_DEMO_SCENARIO": "crash"})
        self.run(["wait", "kept", "--until", "exited"])
        self.must("run", "dead", "-d", "--agent", "demo", "-p", "hello", env={"ORCH_DEMO_SCENARIO": "hang"})
        time.sleep(1)
        self.kill_host("dead")
        events = self.state / "runs" / self.newest("dead") / "events.jsonl"
        events.write_text(events.read_text() + '{"event":"output","text":"cut')
        self.mimic()
        for socket in self.state.glob("sockets/*"):
            socket.unlink()
        shutil.copytree(self.state, self.first_state, symlinks=True)
        for project in [self.work, self.alone]:
            shutil.copytree(project, self.base / f"first-{project.name}", symlinks=True)
        self.first = self.manifest(self.first_state)
        return ids

    def mimic(self):
        def away(record):
            record.update(boot_id="00000000-0000-0000-0000-000000000000", hostname="node17", machine="ffffffffffffffff")

        other, _ = self.copy_session("dead", "away", away)
        record = self.state / "runs" / other / "run.json"
        record.write_text(re.sub(r'"host": "[^"]*"', '"host": "7:7:7:other:node17:ffff"', record.read_text()))
        self.copy_session("dead", "live", lambda record: record.update(socket=None))

        def queued(record):
            record.update(status="queued", run="", run_dir="", socket=None)

        run, _ = self.copy_session("dead", "queued", queued)
        shutil.rmtree(self.state / "runs" / run)
        sessions = self.state / "sessions"
        key = self.session("dead").name.split("@")[1][:-len(".json")]
        (sessions / f"orch-began@{key}.lock").touch()
        (sessions / f"orch-torn@{key}.json.a1b2c3").write_text("{")
        (sessions / f"orch-live@{key}.lock").touch()
        (self.state / "undos").mkdir(exist_ok=True, mode=0o700)
        (self.state / "undos" / self.newest("later")).write_text(str(self.work))
        (self.state / "runs" / ".gone-20261121T225100123-x-0a1b").mkdir()
        begun = self.state / "runs" / "20261121T225100123-unbegun-0a1b"
        begun.mkdir()
        os.utime(begun, (1, 1))
        (self.state / "limits").mkdir(exist_ok=True, mode=0o700)
        until = time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime(time.time() + 86400))
        (self.state / "limits" / "demo@00000000.json").write_text(
            json.dumps({"agent": "demo", "config": "/x", "until": until, "run": "r"}))

    def hold(self):
        """A process that lives has the locks of the session `live`, and the queue that `queued` waits in."""
        if self.holder:
            self.holder.kill()
            self.holder.wait()
        lock = str(self.session("live"))[:-len(".json")] + ".lock"
        self.holder = subprocess.Popen([sys.executable, "-c", HOLDER, lock], stdout=subprocess.PIPE, text=True)
        self.holder.stdout.readline()
        for issue in ["live", "queued"]:
            path = self.session(issue)
            record = json.loads((self.first_state / "sessions" / path.name).read_text())
            record.update(identity(self.holder.pid))
            for where in [self.first_state, self.state]:
                (where / "sessions" / path.name).write_text(json.dumps(record))
        self.first = self.manifest(self.first_state)

    def close(self):
        if self.holder:
            self.holder.kill()
            self.holder.wait()

    @staticmethod
    def manifest(folder):
        found = {}
        for path in folder.rglob("*"):
            name = str(path.relative_to(folder))
            if path.is_symlink():
                found[name] = b"link"
            elif path.is_file():
                found[name] = path.read_bytes()
            else:
                found[name] = None
        return found

    def restore(self, now):
        """Puts the state back. Files that are the same stay, for locks are held on them."""
        first = self.first
        for name in sorted(now.keys() - first.keys(), reverse=True):
            path = self.state / name
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path, ignore_errors=True)
            elif path.is_symlink() or path.exists():
                path.unlink()
        held = self.holder.poll() is not None
        for name in sorted(first.keys()):
            path = self.state / name
            if first[name] is None:
                path.mkdir(exist_ok=True, mode=0o700)
            elif now.get(name) != first[name]:
                held = held or name.endswith(".lock") and "live" in name
                shutil.copy2(self.first_state / name, path)
        os.utime(self.state / "runs" / "20261121T225100123-unbegun-0a1b", (1, 1))
        if held:
            self.hold()

    def restore_work(self):
        for project in [self.work, self.alone]:
            for path in project.iterdir():
                shutil.rmtree(path) if path.is_dir() else path.unlink()
            shutil.copytree(self.base / f"first-{project.name}", project, symlinks=True, dirs_exist_ok=True)

    def restore_all(self, name, after):
        if after != self.first:
            self.restore(after)
        if name.endswith("!"):
            self.restore_work()

    def again(self, name, words, after, log):
        """The outcome without a fault once more, for that of some commands depends on how fast it goes."""
        self.restore_all(name, after)
        plain, _ = self.faulty(words, 0, "EIO", log)
        self.restore(self.manifest(self.state))
        return in_words(plain)

    def faulty(self, words, at, error, log):
        env = {"LD_PRELOAD": self.preload, "ORCH_UNREADABLE_BELOW": str(self.state) + "/", "ORCH_UNREADABLE_AT": str(at),
               "ORCH_UNREADABLE_ERRNO": str(getattr(errno, error)), "ORCH_UNREADABLE_LOG": str(log)}
        if error in ONCE:
            env["ORCH_UNREADABLE_ONCE"] = "1"
        log.write_text("")
        ended = self.run(words, env)
        return ended, [line.split(" ", 1) for line in log.read_text().splitlines()]


def in_words(ended):
    """The outcome without what differs from one time to the next."""
    code, out, err = ended
    err = re.sub(r"orch: containers of .*\n", "", err)  # a daemon answers or does not
    # Hosts that other tests have just killed leave theirs.
    out = re.sub(r"folder for temporary files .*\n", "", out)
    out = re.sub(r'\{[^{}]*"folder for temporary files"[^{}]*\},?', "", out)
    err = re.sub(r", [0-9]+ other leftovers of killed hosts", "", err)
    return code, re.sub(r"[0-9][0-9a-f]*", "N", out), re.sub(r"[0-9][0-9a-f]*", "N", err)


def end_of(text):
    try:
        record = json.loads(text)
    except (ValueError, TypeError):
        return "torn"
    verdict = record.get("verdict") or record
    return verdict.get("reason")


def losses(first, after, by_right):
    for name, before in first.items():
        if before is None:
            if name not in after and name in by_right:
                yield f"{name}/ is gone"
            continue
        now = after.get(name)
        if now is not None and now.startswith(before):
            continue
        right = by_right.get(name)  # the host's death is recorded before a run is removed
        if name in by_right and (right == before or now is None):
            yield f"{name} is gone" if now is None else f"{name} has changed"
        elif name.endswith(("events.jsonl", "transcript.txt", "output.cast")):
            if now is not None and not now.startswith(before[:before.rfind(b"\n") + 1]):
                yield f"{name} was cut: {before.count(10)} lines, now {now.count(10)}"
        elif name.endswith(("run.json", "result.json")) and now is not None:
            if end_of(now) not in (end_of(before), end_of(right), "internal"):
                yield f"{name} tells another end: {end_of(now)}"


def is_named(call, path, error, ended):
    text = ended[1] + ended[2]
    if os.strerror(getattr(errno, error)) not in text:
        return False
    names = [name.removeprefix(".gone-") for name in Path(path).parts]  # as gc renames what it removes
    return any(len(name) > 4 and name in text for name in names[-3:])


def judge(place, name, words, error, at, plain, by_right, log):
    ended, failed = place.faulty(words, at, error, log)
    after = place.manifest(place.state)
    found = []
    if not failed:
        found = None  # this time it did not read so often
    else:
        call, path = failed[0]
        if ended[0] is None:
            found.append("hangs")
        elif ended[0] < 0 and ended[0] != plain[0]:
            found.append(f"dies of signal {-ended[0]}")
        found += list(losses(place.first, after, by_right))
        differs = in_words(ended) != in_words(plain) and not name.endswith("~")
        if differs and not is_named(call, path, error, ended) and in_words(ended) != place.again(name, words, after, log):
            found.append(f"is silent of it (exit {ended[0]}, else {plain[0]}): {ended[2].strip()[-200:]!r}")
        found = [f"{name} [{error} at {at}: {call} {Path(path).relative_to(place.state)}]: {line}" for line in found]
    place.restore_all(name, after)
    return found, ended


def campaign(place, chosen, args, log):
    faults, counts = [], {"commands": 0, "reads": 0, "cases": 0}
    for name, words in chosen.items():
        before = place.manifest(place.state)
        if before != place.first:
            place.restore(before)
        start = time.monotonic()
        plain, reads = place.faulty(words, 0, "EIO", log)
        took = time.monotonic() - start
        by_right = place.manifest(place.state)
        place.restore(by_right)
        place.restore_work()
        counts["commands"] += 1
        counts["reads"] += len(reads)
        if plain[0] is None:
            faults.append(f"{name}: hangs as it is")
            continue
        cases = 0
        for error in args.errno.split(","):
            for at in range(1, len(reads) + 1, args.every):
                found, ended = judge(place, name, words, error, at, plain, by_right, log)
                if found is None:
                    break  # EMFILE has fewer
                cases += 1
                for line in found:
                    print(line, flush=True)
                    if args.verbose:
                        print("   ", ended[1][-300:], ended[2][-600:], flush=True)
                faults += found
        counts["cases"] += cases
        print(f"{name}: exit {plain[0]}, {len(reads)} reads, {cases} cases, {took:.2f} s each", file=sys.stderr, flush=True)
    return faults, counts


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--orch", required=True)
    parser.add_argument("--preload", help="unreadable.so; else it is compiled")
    parser.add_argument("--only", action="append", help="commands whose name has this")
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--short", action="store_true", help="without the commands that read thousands of times")
    parser.add_argument("--errno", default=",".join(ERRNOS))
    parser.add_argument("--keep", action="store_true")
    parser.add_argument("--verbose", action="store_true")
    args = parser.parse_args()
    orch = str(Path(args.orch).resolve())
    base = Path(tempfile.mkdtemp(prefix="unreadable-"))
    preload = args.preload and str(Path(args.preload).resolve())
    if not preload:
        preload = str(base / "unreadable.so")
        source = Path(__file__).resolve().parent / "unreadable.cc"
        compiler = shutil.which("c++") or shutil.which("g++") or shutil.which("clang++")
        if not compiler or subprocess.run([compiler, "-std=c++20", "-shared", "-fPIC", "-O1", "-o", preload, str(source), "-ldl"]
                                          ).returncode != 0:
            print("unreadable: cannot run here: no compiler for the preloaded library", file=sys.stderr)
            return 2
    place = Place(orch, preload, base)
    try:
        ids = place.make()
        place.hold()
        chosen = commands(ids)
        if args.short:
            chosen = {name: words for name, words in chosen.items() if name not in LONG}
        if args.only:
            chosen = {name: words for name, words in chosen.items() if any(only in name for only in args.only)}
        faults, counts = campaign(place, chosen, args, base / "log")
        if not counts["reads"]:
            raise Lost("no read was seen: is it the right preloaded library?")
    except Lost as lost:
        print(f"unreadable: {lost}", file=sys.stderr)
        return 2
    finally:
        place.close()
        if args.keep:
            print(f"kept: {base}", file=sys.stderr)
        else:
            shutil.rmtree(base, ignore_errors=True)
    print(f"{counts['commands']} commands, {counts['reads']} reads, {counts['cases']} cases: {len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
