"""A throw-away root for one hostile command: its own user, mount, pid, ipc, net and uts namespaces, a tmpfs of its
own as /, the system's programs read only. The command has no power over anything else: the user namespace is not the
first one, so that clock, reboot, modules and sysctl are out of its reach, whoever it runs as in there."""

import contextlib
import fcntl
import json
import os
import resource
import select
import signal
import socket
import struct
import tempfile
import time
import traceback
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path

import kernel
import world
from watch import LATE_S, LATE_SOCKET, Watch

_SYSTEM = ("usr", "bin", "sbin", "lib", "lib32", "lib64", "libx32")
_ETC = ("alternatives", "ld.so.cache", "ld.so.conf", "ld.so.conf.d", "ssl", "vim", "perl", "mime.types", "services")
_DEVICES = ("null", "zero", "full", "random", "urandom", "tty")
_PASSWD = "root:x:0:0:root:/root:/bin/bash\nagent:x:1000:1000:agent:/home/agent:/bin/bash\n"
_GROUP = "root:x:0:\ntty:x:5:\nagent:x:1000:\n"
_HERE = Path(__file__).resolve().parent
PROGRAMS = "/opt/attacks"  # this folder's programs, in there
ORCH = "/opt/orch/orch"
_FIRST_UID = 1_500_000  # of the range that a root's users are mapped to; each worker has its own
_MAX_OUTPUT = 1 << 20


class CannotRun(Exception):
    """What is missing here."""


@dataclass(frozen=True)
class Job:
    """What is done in one root."""

    command: list[str]
    then: list[str] = field(default_factory=list)  # after the command, as the same user
    as_root: bool = False
    seconds: float = 10.0  # at most, each of the two
    settle: float = 0.0  # how long it is waited for what the command left behind
    hidden: tuple[str, ...] = ()  # programs that are not there
    orch: str | None = None  # the binary, outside
    no_new_privs: bool = True


@dataclass
class Outcome:
    code: int | None = None  # None: it had to be ended
    output: str = ""
    outside: list[str] = field(default_factory=list)  # what changed outside of the work directory
    inside: list[str] = field(default_factory=list)  # of what was in the work directory before
    after: list[str] = field(default_factory=list)  # the same after `then`
    then_output: str = ""
    seconds: float = 0.0
    failure: str = ""  # of the harness
    tree: world.Tree = field(default_factory=dict)


def _programs(job: Job) -> dict[str, bytes]:
    """The files that come from this repository, by their paths in there."""
    programs = {f"{PROGRAMS}/{file.name}": file.read_bytes() for file in (_HERE / "programs").iterdir()}
    return programs | ({ORCH: Path(job.orch).read_bytes()} if job.orch else {})


def _build(job: Job, programs: dict[str, bytes]) -> None:
    """Mounts the root and goes there."""
    kernel.mount("none", "/", None, kernel.MS_REC | kernel.MS_PRIVATE)
    root = tempfile.gettempdir()
    sources = {name: os.open(f"/{name}", os.O_PATH) for name in _SYSTEM if Path(f"/{name}").is_dir()}
    links = {name: os.readlink(f"/{name}") for name in _SYSTEM if Path(f"/{name}").is_symlink()}
    etc = {name: os.open(f"/etc/{name}", os.O_PATH) for name in _ETC if Path(f"/etc/{name}").exists()}
    devices = {name: os.open(f"/dev/{name}", os.O_PATH) for name in _DEVICES}
    folders = [fd for name, fd in sources.items() if name not in links]
    kernel.mount("tmpfs", root, "tmpfs", kernel.MS_NOSUID, "mode=755,size=512m")
    os.umask(0o022)

    def place(fd: int, path: str, *, folder: bool, writable: bool = False) -> None:
        target = f"{root}/{path}"
        os.makedirs(target if folder else os.path.dirname(target), exist_ok=True)
        if not folder:
            os.close(os.open(target, os.O_CREAT | os.O_WRONLY))
        kernel.bind(f"/proc/self/fd/{fd}", target, writable=writable)

    for name, fd in sources.items():
        if name in links:
            os.symlink(links[name], f"{root}/{name}")
        else:
            place(fd, name, folder=True)
    for name, fd in etc.items():
        place(fd, f"etc/{name}", folder=os.path.isdir(f"/proc/self/fd/{fd}"))
    for name, fd in devices.items():
        place(fd, f"dev/{name}", folder=False, writable=True)
    for path, content in programs.items():
        os.makedirs(os.path.dirname(root + path), exist_ok=True)
        Path(root + path).write_bytes(content)
        os.chmod(root + path, 0o755)
    for fd in [*folders, *etc.values(), *devices.values()]:
        os.close(fd)
    for path, mode in (("proc", 0o555), ("dev/pts", 0o755), ("dev/shm", 0o1777), ("tmp", 0o1777),
                       ("var/tmp", 0o1777), ("run", 0o755), ("root", 0o700)):  # fmt: skip
        os.makedirs(f"{root}/{path}", exist_ok=True)
        os.chmod(f"{root}/{path}", mode)
    for name, text in (("passwd", _PASSWD), ("group", _GROUP), ("hosts", "127.0.0.1 localhost\n::1 localhost\n"),
                       ("nsswitch.conf", "passwd: files\ngroup: files\nhosts: files\n"),
                       ("shells", "/bin/sh\n/bin/bash\n")):  # fmt: skip
        Path(f"{root}/etc/{name}").write_text(text, encoding="utf-8")
    kernel.mount("devpts", f"{root}/dev/pts", "devpts", kernel.MS_NOSUID, "newinstance,ptmxmode=0666,mode=620,gid=5")
    os.symlink("pts/ptmx", f"{root}/dev/ptmx")
    for name, target in (("fd", "/proc/self/fd"), ("stdin", "/proc/self/fd/0"), ("stdout", "/proc/self/fd/1"),
                         ("stderr", "/proc/self/fd/2")):  # fmt: skip
        os.symlink(target, f"{root}/dev/{name}")
    kernel.mount("proc", f"{root}/proc", "proc", kernel.MS_NOSUID | kernel.MS_NODEV)
    empty = os.open(f"{root}/run/.hidden", os.O_CREAT | os.O_RDONLY, 0o000)
    for program in job.hidden:
        if os.path.exists(f"{root}{program}"):
            kernel.bind(f"/proc/self/fd/{empty}", f"{root}{program}", writable=False)
    kernel.pivot_to(root)


def _bring_loopback_up() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        fcntl.ioctl(any_socket, 0x8914, struct.pack("16sh14x", b"lo", 1))  # SIOCSIFFLAGS, IFF_UP


def _environment(as_root: bool) -> dict[str, str]:
    user = "root" if as_root else "agent"
    return {
        "HOME": world.HOME, "USER": user, "LOGNAME": user, "SHELL": "/bin/bash", "LANG": "C.UTF-8", "TERM": "xterm",
        "PATH": "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin",
    }  # fmt: skip


def _drop(as_root: bool, no_new_privs: bool) -> None:
    """The command's user: a plain one without any capability, or the root of a namespace of its own."""
    os.setsid()
    for limit, value in (
        (resource.RLIMIT_NPROC, 400), (resource.RLIMIT_FSIZE, 64 << 20), (resource.RLIMIT_CPU, 60),
        (resource.RLIMIT_CORE, 0), (resource.RLIMIT_NOFILE, 1024), (resource.RLIMIT_MEMLOCK, 1 << 20),
    ):  # fmt: skip
        resource.setrlimit(limit, (value, value))
    if as_root:
        kernel.unshare(kernel.CLONE_NEWUSER | kernel.CLONE_NEWNS)
        kernel.prctl(kernel.PR_SET_DUMPABLE, 1)  # else nobody may write its uid_map
    else:
        for capability in range(64):
            with contextlib.suppress(OSError):
                kernel.prctl(kernel.PR_CAPBSET_DROP, capability)
        os.setgroups([])
        os.setresgid(world.UID, world.UID, world.UID)
        os.setresuid(world.UID, world.UID, world.UID)
    if no_new_privs:
        kernel.prctl(kernel.PR_SET_NO_NEW_PRIVS, 1)


def _map_all(pid: int) -> None:
    for name in ("uid_map", "gid_map"):
        Path(f"/proc/{pid}/{name}").write_text("0 0 65536\n", encoding="utf-8")


def _execute(command: list[str], job: Job, output: int, late: Callable[[], None] | None = None) -> int | None:
    """The command's exit code; None when its time was up. `late` is called LATE_S after its start, if it still runs."""
    unshared, tell_unshared = os.pipe()
    mapped, tell_mapped = os.pipe()
    pid = os.fork()
    if pid == 0:
        with contextlib.suppress(BaseException):
            os.close(tell_mapped)
            # As a person's shell that stood there before: also where nobody may enter it any more.
            os.chdir(world.WORK if os.path.isdir(world.WORK) else os.path.dirname(world.WORK))
            _drop(job.as_root, job.no_new_privs)
            os.write(tell_unshared, b"x")
            os.read(mapped, 1)
            os.dup2(os.open("/dev/null", os.O_RDONLY), 0)
            os.dup2(output, 1)
            os.dup2(output, 2)
            os.closerange(3, 256)
            signal.pthread_sigmask(signal.SIG_SETMASK, [])
            os.execve("/usr/bin/env", ["env", *command], _environment(job.as_root))
        os._exit(127)
    os.close(tell_unshared)
    os.close(mapped)
    if os.read(unshared, 1) and job.as_root:
        _map_all(pid)
    os.write(tell_mapped, b"x")
    os.close(unshared)
    os.close(tell_mapped)
    handle = os.pidfd_open(pid)
    ended = late is not None and select.select([handle], [], [], LATE_S)[0]
    if late is not None and not ended:
        late()
    ended = ended or select.select([handle], [], [], job.seconds)[0]
    os.close(handle)
    if not ended:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(pid, signal.SIGKILL)
            os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        return None
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def _outside_and_work() -> world.Tree:
    return world.tree_of("/", (PROGRAMS, os.path.dirname(ORCH))) | world.tree_of("/dev/shm")


def _outside() -> world.Tree:
    """All but the work directory; of orch's state what it did not make."""
    work, state = f"{world.WORK}/", f"{world.STATE}/"
    return {
        path: entry
        for path, entry in _outside_and_work().items()
        if path == f"{state}canary" or path not in (world.WORK, LATE_SOCKET) and not path.startswith((work, state))
    }


def _inside() -> world.Tree:
    """The work directory and what is in it."""
    return {path: entry for path, entry in _outside_and_work().items() if f"{path}/".startswith(f"{world.WORK}/")}


def _text(output: int) -> bytes:
    os.lseek(output, 0, os.SEEK_SET)
    return os.read(output, _MAX_OUTPUT)


def _leaks(output: bytes, inside: world.Tree, outside_before: world.Tree, outside: world.Tree) -> list[str]:
    found = [f"secret {mark}: in the output" for mark in world.marks_in(output)]
    made = {path: entry for path, entry in outside.items() if path not in outside_before}
    for path, entry in (inside | made).items():
        found += [f"secret {mark}: in {path}" for mark in world.marks_in(entry.content)]
    return found


def _said(inside: world.Tree) -> list[str]:
    """What a program that makes a system call without a trace says to have reached."""
    said = inside.get(f"{world.WORK}/.reached")
    return [f"said: {line}" for line in said.content.decode(errors="replace").splitlines()] if said else []


def _lost(before: world.Tree, now: world.Tree) -> list[str]:
    """What of `before` is not there any more as it was; what was added, times and hard links aside."""
    return [line for line in world.changes(before, now) if not line.endswith((": created", ": time", ": linked"))]


def _work(job: Job, template: world.Tree | None) -> Outcome:
    """As the first process in the root."""
    outcome = Outcome()
    if template is None:
        uid = {"user": world.UID, "group": world.UID, "extra_groups": [], "env": _environment(False)}
        world.create(uid)
        outcome.tree = {path: entry for path, entry in _outside_and_work().items() if path.startswith(world.TOPS)}
        return outcome
    world.put(template)
    watch = Watch()
    outside, inside = _outside(), _inside()
    output, then_output = os.memfd_create("output"), os.memfd_create("output")
    os.fchmod(output, 0o666), os.fchmod(then_output, 0o666)
    begin = time.monotonic()
    outcome.code = _execute(job.command, job, output, watch.late)
    outcome.seconds = time.monotonic() - begin
    time.sleep(job.settle)
    outside_now, inside_now = _outside(), _inside()
    outcome.outside = world.changes(outside, outside_now) + watch.changes() + _said(inside_now)
    text = _text(output)
    outcome.output = text.decode(errors="replace")
    outcome.outside += _leaks(text, inside_now, outside, outside_now)
    outcome.inside = _lost(inside, inside_now)
    if job.then:
        _execute(job.then, job, then_output)
        outcome.then_output = _text(then_output).decode(errors="replace")
        outcome.after = _lost(inside, _inside())
    return outcome


def _first_process(job: Job, template: world.Tree | None, programs: dict[str, bytes], result: int) -> None:
    try:
        kernel.libc.sethostname(b"throwaway", 9)
        _bring_loopback_up()
        _build(job, programs)
        outcome = _work(job, template)
    except BaseException:
        outcome = Outcome(failure=traceback.format_exc())
    answer = asdict(outcome)
    answer["tree"] = {path: _packed(entry) for path, entry in outcome.tree.items()}
    with os.fdopen(result, "w", encoding="utf-8", errors="replace") as file:
        json.dump(answer, file)


def _packed(entry: world.Entry) -> list:
    return [entry.mode, entry.owner, entry.content.hex(), entry.mtime_ns]


def _unpacked(packed: list) -> world.Entry:
    mode, owner, content, mtime_ns = packed
    return world.Entry(mode, tuple(owner), bytes.fromhex(content), mtime_ns)


def _enter(job: Job, template: world.Tree | None, mapped: int, unshared: int, result: int) -> None:
    """In the child that becomes the root's: new namespaces, then their first process."""
    kernel.prctl(kernel.PR_SET_PDEATHSIG, signal.SIGKILL)
    programs = _programs(job)
    kernel.unshare(kernel.CLONE_NEWUSER)
    os.write(unshared, b"x")
    os.read(mapped, 1)
    os.setresgid(0, 0, 0)
    os.setresuid(0, 0, 0)
    os.setgroups([])
    kernel.unshare(
        kernel.CLONE_NEWNS | kernel.CLONE_NEWPID | kernel.CLONE_NEWIPC | kernel.CLONE_NEWNET | kernel.CLONE_NEWUTS
    )
    pid = os.fork()
    if pid == 0:
        kernel.prctl(kernel.PR_SET_PDEATHSIG, signal.SIGKILL)
        _first_process(job, template, programs, result)
        os._exit(0)
    os.close(result)
    os.waitpid(pid, 0)


def run(job: Job, template: world.Tree | None, worker: int = 0) -> Outcome:
    """What the command did in a root of its own. The caller has one thread."""
    reader, result = os.pipe()
    mapped, tell_mapped = os.pipe()
    unshared, tell_unshared = os.pipe()
    pid = os.fork()
    if pid == 0:
        with contextlib.suppress(BaseException):
            for fd in (reader, tell_mapped, unshared):
                os.close(fd)
            _enter(job, template, mapped, tell_unshared, result)
        os._exit(0)
    for fd in (result, mapped, tell_unshared):
        os.close(fd)
    try:
        if os.read(unshared, 1):
            first = _FIRST_UID + worker * 65536
            for name in ("uid_map", "gid_map"):
                Path(f"/proc/{pid}/{name}").write_text(f"0 {first} 65536\n", encoding="utf-8")
            os.write(tell_mapped, b"x")
        answer = _read_all(reader, 2 * job.seconds + job.settle + 20)
    finally:
        for fd in (reader, tell_mapped, unshared):
            os.close(fd)
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
    if not answer:
        return Outcome(failure="no throw-away root could be made, or it did not end")
    outcome = Outcome(**json.loads(answer))
    outcome.tree = {path: _unpacked(packed) for path, packed in outcome.tree.items()}
    return outcome


def _read_all(reader: int, seconds: float) -> bytes:
    deadline = time.monotonic() + seconds
    parts = []
    while True:
        ready, _, _ = select.select([reader], [], [], max(0.0, deadline - time.monotonic()))
        if not ready:
            return b""
        part = os.read(reader, 1 << 16)
        if not part:
            return b"".join(parts)
        parts.append(part)
