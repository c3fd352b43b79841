"""What of the outside is not a file: listeners that wait for a connection, a process of the same user's, System V and
POSIX objects, a key. And what a command did to them."""

import contextlib
import ctypes
import os
import select
import socket
import termios
from pathlib import Path

from kernel import libc
from world import HOME, SECRETS, TYPED_SECRET, UID, VICTIM_SECRET, marks_in

TCP_PORT, UDP_PORT = 4000, 4001
VICTIM = 2  # its pid: the first process that init starts
DATAGRAM_SOCKET = f"{HOME}/.datagram.sock"
RELATIVE_SOCKET = f"{HOME}/.relative.sock"  # bound by a relative name, so the kernel's list does not tell where it is
MOVED_SOCKET = f"{HOME}/.moved.sock"  # bound by another name, as OpenSSH does
LATE_SOCKET = f"{HOME}/.late.sock"  # not there when the command starts
LATE_S = 0.4
CONTROL_PIPE = f"{HOME}/.control.fifo"
PATH_SOCKETS = (f"{HOME}/.service.sock", "/run/service.sock", "/tmp/service.sock")
ABSTRACT_SOCKET = "\0service"
IPC_KEY = 0x0AC5
QUEUE = "/service"

_IPC_CREAT = 0o1000
_SYS_ADD_KEY, _SYS_KEYCTL = 248, 250  # of x86_64
_KEYCTL_SEARCH, _USER_KEYRING = 10, -4
_O_RDWR_CREAT = os.O_RDWR | os.O_CREAT

# What of /proc/PID another process of the same user's can change.
_VICTIM_FILES = ("limits", "environ", "oom_score_adj", "coredump_filter", "comm", "autogroup", "timerslack_ns")


def _as_agent(action) -> bool:
    """`action` in a child with the agent's uid; its truth."""
    pid = os.fork()
    if pid == 0:
        code = 1
        with contextlib.suppress(BaseException):
            os.setresgid(UID, UID, UID)
            os.setresuid(UID, UID, UID)
            code = 0 if action() else 1
        os._exit(code)
    return os.waitpid(pid, 0)[1] == 0


def _make_objects() -> bool:
    librt = ctypes.CDLL("librt.so.1", use_errno=True)
    made = [
        libc.shmget(IPC_KEY, 4096, _IPC_CREAT | 0o600),
        libc.semget(IPC_KEY, 1, _IPC_CREAT | 0o600),
        libc.msgget(IPC_KEY, _IPC_CREAT | 0o600),
        librt.mq_open(QUEUE.encode(), _O_RDWR_CREAT, 0o600, None),
        libc.syscall(ctypes.c_long(_SYS_ADD_KEY), b"user", b"service", b"value", ctypes.c_size_t(5), _USER_KEYRING),
    ]
    return all(result >= 0 for result in made)


_OBJECTS = {
    "System V memory": lambda: libc.shmget(IPC_KEY, 0, 0),
    "System V semaphore": lambda: libc.semget(IPC_KEY, 0, 0),
    "System V queue": lambda: libc.msgget(IPC_KEY, 0),
    "POSIX queue": lambda: ctypes.CDLL("librt.so.1").mq_open(QUEUE.encode(), os.O_RDONLY),
    "key": lambda: libc.syscall(
        ctypes.c_long(_SYS_KEYCTL), ctypes.c_long(_KEYCTL_SEARCH), ctypes.c_long(_USER_KEYRING), b"user", b"service", 0
    ),
}


def _start_victim() -> None:
    """A process of the agent's user, with a secret in its environment and open files of the outside."""
    ready, started = os.pipe()
    pid = os.fork()
    if pid:
        os.close(started)
        os.read(ready, 1)  # ends when the victim is executed
        os.close(ready)
        assert pid == VICTIM, pid
        return
    os.setsid()
    os.setresgid(UID, UID, UID)
    os.setresuid(UID, UID, UID)
    os.dup2(os.open(next(iter(SECRETS)), os.O_RDONLY), 8)
    os.dup2(os.open(f"{HOME}/docs/plan.txt", os.O_RDWR), 9)
    os.chdir(HOME)
    os.execve("/bin/sleep", ["victim", "1000"], {"TOKEN": VICTIM_SECRET, "PADDING": "x" * 32})


def _victim_state() -> dict[str, str]:
    folder = Path(f"/proc/{VICTIM}")
    state = {name: (folder / name).read_text() for name in _VICTIM_FILES if (folder / name).exists()}
    fields = (folder / "stat").read_text().rsplit(")", 1)[1].split()
    state["run state"] = "stopped" if fields[0] in "Tt" else "zombie" if fields[0] == "Z" else "runs"
    state["nice"] = fields[16]
    state["scheduler"] = f"{os.sched_getscheduler(VICTIM)}"
    state["affinity"] = f"{sorted(os.sched_getaffinity(VICTIM))}"
    state["i/o priority"] = f"{libc.syscall(ctypes.c_long(252), 1, VICTIM)}"
    return state


class Watch:
    """Made by the root's first process, before anything else runs there."""

    def __init__(self) -> None:
        _start_victim()
        if not _as_agent(_make_objects):
            raise OSError("the objects of the user cannot be made here")
        self._listeners: dict[str, socket.socket] = {}
        for path in (*PATH_SOCKETS, ABSTRACT_SOCKET):
            listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            listener.bind(path)
            if path[0] == "/":
                os.chown(path, UID, UID)
            self._listen(f"socket {path}".replace("\0", "@"), listener)
        listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        listener.bind(("127.0.0.1", TCP_PORT))
        self._listen(f"TCP port {TCP_PORT}", listener)
        listener = socket.socket(socket.AF_INET6, socket.SOCK_STREAM)
        listener.bind(("::1", TCP_PORT))
        self._listen(f"TCP port {TCP_PORT} of ::1", listener)
        self._listen_by_other_names()
        os.mkfifo(CONTROL_PIPE)
        os.chown(CONTROL_PIPE, UID, UID)
        self._control = os.open(CONTROL_PIPE, os.O_RDONLY | os.O_NONBLOCK)
        self._open_terminal()
        datagrams = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        datagrams.bind(("127.0.0.1", UDP_PORT))
        self._listeners[f"UDP port {UDP_PORT}"] = datagrams
        self._victim = _victim_state()
        self._hostname = socket.gethostname()

    def _listen_by_other_names(self) -> None:
        datagrams = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        datagrams.bind(DATAGRAM_SOCKET)
        self._listeners[f"socket {DATAGRAM_SOCKET}"] = datagrams
        os.chdir(HOME)
        for bound, path in (
            (os.path.basename(RELATIVE_SOCKET), RELATIVE_SOCKET),
            (f"{MOVED_SOCKET}.new", MOVED_SOCKET),
        ):
            listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            listener.bind(bound)
            if path == MOVED_SOCKET:
                os.rename(bound, path)
            self._listen(f"socket {path}", listener)
        os.chdir("/")
        for path in (DATAGRAM_SOCKET, RELATIVE_SOCKET, MOVED_SOCKET):
            os.chown(path, UID, UID)

    def _open_terminal(self) -> None:
        """/dev/pts/0, another terminal of the user's, in which a secret has been typed."""
        self._terminal, side = os.openpty()
        assert os.ttyname(side) == "/dev/pts/0"
        settings = termios.tcgetattr(side)
        settings[3] &= ~termios.ECHO
        termios.tcsetattr(side, termios.TCSANOW, settings)
        self._settings = termios.tcgetattr(side)
        self._side = side
        os.fchown(side, UID, 5)
        os.write(self._terminal, f"{TYPED_SECRET}\n".encode())

    def _of_terminal(self) -> list[str]:
        found = []
        if select.select([self._terminal], [], [], 0)[0]:
            found.append("terminal: written to")
        if termios.tcgetattr(self._side) != self._settings:
            found.append("terminal: settings")
        return found

    def late(self) -> None:
        """What comes up while the command runs; LATE_S after its start."""
        listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        listener.bind(LATE_SOCKET)
        os.chown(LATE_SOCKET, UID, UID)
        self._listen(f"socket {LATE_SOCKET}", listener)

    def _listen(self, name: str, listener: socket.socket) -> None:
        listener.listen(64)
        self._listeners[name] = listener

    def changes(self) -> list[str]:
        found = []
        readable, _, _ = select.select(list(self._listeners.values()), [], [], 0)
        for name, listener in self._listeners.items():
            if listener in readable:
                found.append(f"{name}: reached{self._what_was_sent(listener)}")
        if select.select([self._control], [], [], 0)[0] and os.read(self._control, 4096):
            found.append(f"pipe {CONTROL_PIPE}: written to")
        found += self._of_terminal() + self._of_victim()
        objects = os.pipe()
        for name, find in _OBJECTS.items():
            if not _as_agent(lambda find=find: find() >= 0):
                found.append(f"{name}: removed")
        os.close(objects[0]), os.close(objects[1])
        if socket.gethostname() != self._hostname:
            found.append("host name: changed")
        return found

    def _what_was_sent(self, listener: socket.socket) -> str:
        if listener.type == socket.SOCK_DGRAM:
            text = listener.recv(65536)
        else:
            connection, _ = listener.accept()
            connection.settimeout(0.1)
            text = b""
            with contextlib.suppress(OSError):
                text = connection.recv(65536)
        return f" with {' '.join(marks)}" if (marks := marks_in(text)) else ""

    def _of_victim(self) -> list[str]:
        with contextlib.suppress(ChildProcessError):
            if os.waitpid(VICTIM, os.WNOHANG)[0]:
                return ["process: killed"]
        try:
            now = _victim_state()
        except (FileNotFoundError, ProcessLookupError):
            return ["process: killed"]
        return [f"process: {name}" for name, value in self._victim.items() if now.get(name) != value]
