"""Runs orch in every combination of surroundings that a parent may give it.

A cell is what stands at stdin, stdout and stderr, and how orch was started. Each one must end with
the right code, give its reader the right bytes, leave the terminal's modes as they were and no
process behind. Prints a line for each cell that does not, and a summary.
"""

import argparse
import collections
import errno
import fcntl
import itertools
import multiprocessing
import os
import random
import re
import select
import shutil
import signal
import sys
import tempfile
import termios
import time

STREAMS = ["tty", "pipe", "file", "closed", "full", "stopped"]
MODES = ["foreground", "background", "detached", "nohup", "setsid"]
LINES = [f"line {n} of the agent's words" for n in range(200)]
AGENT = 'n=0; while [ $n -lt 200 ]; do echo "line $n of the agent\'s words"; n=$((n + 1)); done'
PATIENCE_S = 60
STOPPED_S = 0.7  # so long a stopped reader reads nothing
CANNOT_WRITE = 125

Cell = collections.namedtuple("Cell", "stdin stdout stderr mode")


def expected_code(cell):
    """What docs/internals/faults.md promises: nobody hears the answer, so the run has failed."""
    return CANNOT_WRITE if cell.stdout == "full" else 0


class Terminal:
    """A pseudo-terminal, whose modes are compared at the end."""

    def __init__(self):
        self.master, self.slave = os.openpty()
        # So that writing and changing modes from the background would stop whoever does it.
        modes = termios.tcgetattr(self.slave)
        modes[3] |= termios.TOSTOP
        termios.tcsetattr(self.slave, termios.TCSANOW, modes)
        self.before = termios.tcgetattr(self.slave)

    def as_found(self):
        return termios.tcgetattr(self.slave) == self.before


def fill(pipe):
    """Fills a pipe, so that not one more byte fits. Returns how many there are."""
    fcntl.fcntl(pipe, fcntl.F_SETFL, os.O_NONBLOCK)
    count = 0
    for size in (65536, 4096, 1):
        try:
            while True:
                count += os.write(pipe, b"x" * size)
        except BlockingIOError:
            pass
    fcntl.fcntl(pipe, fcntl.F_SETFL, 0)
    return count


class Stream:
    """What stands at one of the three descriptors: `fd` for orch (None: closed), `reader` for us."""

    def __init__(self, kind, number, terminal, folder):
        self.kind = kind
        self.fd = self.reader = self.writer = None
        self.skip = 0  # bytes that were there before
        self.path = os.path.join(folder, f"stream{number}")
        if kind == "tty":
            self.fd = terminal.slave
        elif kind == "file":
            self.fd = os.open(self.path, os.O_RDWR | os.O_CREAT)
        elif kind == "full":
            self.fd = os.open("/dev/full", os.O_RDWR)
        elif kind in ("pipe", "stopped"):
            read_end, write_end = os.pipe()
            if number == 0:
                self.fd, self.writer = read_end, write_end
                if kind == "pipe":
                    os.close(write_end)
                    self.writer = None
            else:
                self.fd, self.reader = write_end, read_end
                if kind == "stopped":
                    self.skip = fill(write_end)

    def close_ours(self):
        if self.fd is not None and self.kind != "tty":
            os.close(self.fd)


def become_orch(cell, streams, argv, env):
    """In the child: puts the streams in their places and becomes orch."""
    if cell.mode == "nohup":
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
    high = [None if s.fd is None else fcntl.fcntl(s.fd, fcntl.F_DUPFD, 100) for s in streams]
    for number, fd in enumerate(high):
        if fd is None:
            try:
                os.close(number)
            except OSError:
                pass
        else:
            os.dup2(fd, number)
    os.closerange(3, 4096)
    os.execve(argv[0], argv, env)


def start(cell, streams, terminal, argv, env):
    """Starts a shell-like parent, which starts orch. Returns the pid, the pipe that will tell how
    orch ended, and the pid of orch."""
    told, tell = os.pipe()
    shell = os.fork()
    if shell == 0:
        try:
            os.setsid()
            signal.signal(signal.SIGTTOU, signal.SIG_IGN)
            if cell.mode != "setsid":
                fcntl.ioctl(terminal.slave, termios.TIOCSCTTY, 0)
            child = os.fork()
            if child == 0:
                if cell.mode == "setsid":
                    os.setsid()
                else:
                    os.setpgid(0, 0)
                    if cell.mode != "background":
                        os.tcsetpgrp(terminal.slave, os.getpid())
                signal.signal(signal.SIGTTOU, signal.SIG_DFL)
                become_orch(cell, streams, argv, env)
            for stream in streams:
                stream.close_ours()
                for fd in (stream.reader, stream.writer):
                    if fd is not None:
                        os.close(fd)
            os.write(tell, b"%d\n" % child)
            while True:
                _, status = os.waitpid(child, os.WUNTRACED)
                if not os.WIFSTOPPED(status):
                    break
                os.write(tell, b"stopped by signal %d\n" % os.WSTOPSIG(status))
                os.kill(child, signal.SIGKILL)
            if cell.mode != "setsid":
                os.tcsetpgrp(terminal.slave, os.getpgrp())
            os.write(tell, b"%d\n" % os.waitstatus_to_exitcode(status))
            time.sleep(0.05 if cell.mode == "detached" else 0)
        finally:
            os._exit(0)
    os.close(tell)
    return shell, told


def read_all(fds, told, streams, until):
    """Reads what comes until orch has ended and its outputs are at their ends. `fds`: by number."""
    seen = {number: b"" for number in fds}
    report = b""
    open_fds = dict(fds)
    begun = time.monotonic()
    ended_at = None
    while time.monotonic() < until:
        now = time.monotonic()
        waits = now - begun < STOPPED_S
        readable = [
            fd for number, fd in open_fds.items()
            if not (waits and number in streams and streams[number].kind == "stopped")
        ]
        if told is not None:
            readable.append(told)
        elif not [n for n in open_fds if n in streams] or now - ended_at > 5:
            return seen, report
        ready, _, _ = select.select(readable, [], [], 0.05)
        for fd in ready:
            try:
                data = os.read(fd, 65536)
            except OSError as error:
                if error.errno != errno.EIO:
                    raise
                data = b""
            if fd == told:
                report += data
                if not data:
                    told = None
                    ended_at = time.monotonic()
                continue
            number = next(n for n, other in open_fds.items() if other == fd)
            seen[number] += data
            if not data:
                del open_fds[number]
    return seen, report


def marked(mark):
    """The processes whose environment holds the mark."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/environ", "rb") as file:
                if mark in file.read():
                    with open(f"/proc/{pid}/cmdline", "rb") as line:
                        found.append(f"{pid} {line.read()[:60]!r}")
        except OSError:
            pass
    return found


def check_text(text, cell, wrong):
    """`text` is what a reader of stdout got."""
    if cell.mode == "detached":
        if text != "orch-7\n":
            wrong.append(f"stdout of -d is {text[:80]!r}")
        return
    expected = "".join(line + "\n" for line in LINES)
    if text != expected:
        wrong.append(f"stdout differs: {len(text)} bytes for {len(expected)}: {text[:80]!r}")


def run_cell(job):
    cell, orch = job
    wrong = []
    folder = tempfile.mkdtemp(prefix="orch-surroundings-")
    mark = f"ORCH_CELL={os.path.basename(folder)}".encode()
    terminal = Terminal()
    streams = [
        Stream(kind, number, terminal, folder)
        for number, kind in enumerate((cell.stdin, cell.stdout, cell.stderr))
    ]
    env = {
        "PATH": os.environ["PATH"], "HOME": folder, "TERM": "xterm-256color",
        "ORCH_STATE_DIR": folder + "/state", "ORCH_CELL": os.path.basename(folder),
    }
    argv = [orch, "run", "7", "--cwd", folder]
    if cell.mode == "detached":
        argv.append("-d")
    argv += ["--", "sh", "-c", AGENT]
    shell, told = start(cell, streams, terminal, argv, env)
    for stream in streams:
        stream.close_ours()
    fds = {n: s.reader for n, s in enumerate(streams) if s.reader is not None}
    fds["tty"] = terminal.master
    try:
        seen, report = read_all(fds, told, dict(enumerate(streams)), time.monotonic() + PATIENCE_S)
        check(cell, streams, seen, report.decode().split("\n"), terminal, folder, wrong)
        left = marked(mark)
        patience = time.monotonic() + 10
        while left and time.monotonic() < patience:
            time.sleep(0.05)
            left = marked(mark)
        if left:
            wrong.append(f"left behind: {left}")
        if cell.mode == "detached" and not wrong and expected_code(cell) == 0:
            check_detached(folder, wrong)
    finally:
        for pid in [p.split()[0] for p in marked(mark)] + [str(shell)]:
            try:
                os.kill(int(pid), signal.SIGKILL)
            except OSError:
                pass
        os.waitpid(shell, 0)
        for fd in list(fds.values()) + [terminal.slave, told]:
            os.close(fd)
        for stream in streams:
            if stream.writer is not None:
                os.close(stream.writer)
        shutil.rmtree(folder, ignore_errors=True)
    return cell, wrong


def check(cell, streams, seen, report, terminal, folder, wrong):
    ended = [line for line in report[1:] if line]
    if len(ended) != 1:
        wrong.append(f"did not end as it should: {ended}")
        return
    if int(ended[0]) != expected_code(cell):
        wrong.append(f"code {ended[0]} instead of {expected_code(cell)}")
    if not terminal.as_found():
        wrong.append("the terminal's modes are changed")
    on_terminal = seen["tty"].decode(errors="replace")
    ours = cell.mode in ("foreground", "nohup") and cell.stdout == "tty" and cell.stderr == "tty"
    if not ours and "\x1b" in on_terminal:
        wrong.append(f"draws on a terminal that is not its own: {on_terminal[:80]!r}")
    if cell.stdout == "tty" and cell.stderr != "tty":
        check_text(on_terminal.replace("\r\n", "\n"), cell, wrong)
    elif cell.stdout == "tty" and cell.mode != "detached":
        plain = re.sub(r"\x1b(\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(\x07|\x1b\\)|.)", "", on_terminal)
        # Rows of the agent's live screen are drawn below the words and erased again: each word is there in order, and
        # some are drawn more than once.
        words = [line for line in re.split(r"[\r\n]+", plain) if line in set(LINES)]
        drawn = iter(words)
        missing = [line for line in LINES if line not in drawn]
        if missing:
            wrong.append(f"of the words {len(missing)} lines are not on the terminal, the first of them {missing[0]!r}")
    elif cell.stdout == "file":
        with open(streams[1].path, encoding="utf-8", errors="replace") as file:
            check_text(file.read(), cell, wrong)
    elif cell.stdout in ("pipe", "stopped"):
        text = seen[1][streams[1].skip:].decode(errors="replace")
        check_text(text, cell, wrong)
    error = None
    if cell.stderr == "file":
        with open(streams[2].path, encoding="utf-8", errors="replace") as file:
            error = file.read()
    elif cell.stderr in ("pipe", "stopped"):
        error = seen[2][streams[2].skip:].decode(errors="replace")
    if error is None:
        return
    if "\x1b" in error:
        wrong.append(f"escape sequences on stderr: {error[:80]!r}")
    if cell.stdout == "full" and "No space left" not in error:
        wrong.append(f"stderr does not say what failed: {error[:200]!r}")


def check_detached(folder, wrong):
    """A session in the background has done its work."""
    runs = os.path.join(folder, "state", "runs")
    for run in os.listdir(runs):
        with open(os.path.join(runs, run, "transcript.txt"), encoding="utf-8") as file:
            if file.read().splitlines() != LINES:
                wrong.append("the transcript is not whole")
        with open(os.path.join(runs, run, "result.json"), encoding="utf-8") as file:
            if '"code": 0' not in file.read():
                wrong.append("the run did not end with 0")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("orch", help="the program")
    parser.add_argument("--part", type=int, default=1, metavar="N",
                        help="one Nth of the cells, by chance")
    parser.add_argument("--jobs", type=int, default=4, help="so many cells at a time")
    parser.add_argument("--only", default="", help="cells whose description holds this text")
    options = parser.parse_args()
    cells = [Cell(*c) for c in itertools.product(STREAMS, STREAMS, STREAMS, MODES)]
    cells = [c for c in cells if options.only in " ".join(c)]
    cells = random.sample(cells, -(-len(cells) // options.part))
    orch = os.path.abspath(options.orch)
    begun = time.monotonic()
    failures = collections.Counter()
    with multiprocessing.Pool(options.jobs) as pool:
        for cell, wrong in pool.imap_unordered(run_cell, [(c, orch) for c in cells]):
            if wrong:
                failures[cell.mode] += 1
                print(f"stdin {cell.stdin}, stdout {cell.stdout}, stderr {cell.stderr}, "
                      f"{cell.mode}: {'; '.join(wrong)}", flush=True)
    bad = sum(failures.values())
    print(f"{len(cells) - bad} of {len(cells)} cells right, {time.monotonic() - begun:.0f} s"
          + "".join(f"; {mode}: {count} wrong" for mode, count in failures.items()))
    return 1 if bad or not cells else 0


if __name__ == "__main__":
    sys.exit(main())
