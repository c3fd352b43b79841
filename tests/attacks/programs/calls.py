"""calls.py NAME [ARGUMENT...]: one system call against what is outside of the work directory. Where nothing else shows
that it was answered, `.reached` in the work directory says so. Numbers are those of x86_64 Linux."""

import array
import ctypes
import fcntl
import mmap
import os
import resource
import signal
import socket
import struct
import sys
import termios

DOCS = "/home/agent/docs"
PLAN = f"{DOCS}/plan.txt"
VICTIM = 2
TCP, UDP = ("127.0.0.1", 4000), ("127.0.0.1", 4001)
libc = ctypes.CDLL(None, use_errno=True)


def call(number, *arguments):
    """A system call by its number; an error ends the program."""
    passed = [ctypes.c_long(argument) if isinstance(argument, int) else argument for argument in arguments]
    result = libc.syscall(ctypes.c_long(number), *passed)
    if result < 0:
        error = ctypes.get_errno()
        raise SystemExit(f"system call {number}: {os.strerror(error)}")
    return result


def reached(what):
    with open("/home/agent/work/app/.reached", "a", encoding="utf-8") as file:
        file.write(f"{what}\n")


def environment_at():
    """Where the victim's environment lies in its memory."""
    with open(f"/proc/{VICTIM}/stat", encoding="ascii") as stat:
        return int(stat.read().rsplit(")", 1)[1].split()[47])


# Files.
def chmod():
    os.chmod(PLAN, 0o000)


def chmod_folder():
    call(90, DOCS.encode(), 0o000)


def fchmod():
    os.fchmod(os.open(PLAN, os.O_RDONLY), 0o777)


def fchmodat2():
    call(452, -100, PLAN.encode(), 0o777, 0)


def chown():
    os.chown(PLAN, 0, 0)


def utime():
    os.utime(PLAN, (1, 1))


def futimens():
    os.utime(os.open(PLAN, os.O_RDONLY), (2, 2))


def old_utimes():
    call(235, PLAN.encode(), None)


def setxattr():
    os.setxattr(PLAN, "user.mark", b"1")


def fsetxattr():
    os.setxattr(os.open(PLAN, os.O_RDONLY), "user.mark", b"2")


def lsetxattr_folder():
    os.setxattr(DOCS, "user.mark", b"3", follow_symlinks=False)


def truncate():
    os.truncate(PLAN, 0)


def open_truncates():
    os.open(PLAN, os.O_RDONLY | os.O_TRUNC)


def fallocate():
    os.posix_fallocate(os.open(PLAN, os.O_RDWR), 0, 4096)


def punch_hole():
    libc.fallocate(os.open(PLAN, os.O_RDWR), 3, ctypes.c_long(0), ctypes.c_long(4))


def map_shared():
    with mmap.mmap(os.open(PLAN, os.O_RDWR), 8) as memory:
        memory[:3] = b"XXX"


def copy_range():
    os.copy_file_range(os.open("README.md", os.O_RDONLY), os.open(PLAN, os.O_WRONLY), 5)


def sendfile():
    os.sendfile(os.open(PLAN, os.O_WRONLY), os.open("Makefile", os.O_RDONLY), 0, 5)


def splice():
    reader, writer = os.pipe()
    os.write(writer, b"spliced")
    os.splice(reader, os.open(PLAN, os.O_WRONLY), 7)


def pwritev2():
    os.pwritev(os.open(PLAN, os.O_WRONLY), [b"AB", b"CD"], 1)


def openat2():
    how = struct.pack("QQQ", os.O_WRONLY | os.O_CREAT, 0o644, 0)
    os.write(call(437, -100, f"{DOCS}/new".encode(), how, 24), b"x")


def old_creat():
    call(85, f"{DOCS}/created".encode(), 0o644)


def climb():
    fd = os.open(".", os.O_PATH)
    for _ in range(4):
        fd = os.open("..", os.O_PATH, dir_fd=fd)
    os.unlink("home/agent/docs/plan.txt", dir_fd=fd)


def temporary_linked():
    fd = os.open(DOCS, os.O_TMPFILE | os.O_WRONLY, 0o644)
    libc.linkat(-100, f"/proc/self/fd/{fd}".encode(), -100, f"{DOCS}/linked".encode(), 0x400)


def rename_out():
    os.rename("README.md", f"{DOCS}/README.md")


def rename_over():
    os.rename("README.md", PLAN)


def rename_in():
    os.rename(f"{DOCS}/old", "old")


def exchange():
    call(316, -100, PLAN.encode(), -100, b"README.md", 2)


def exchange_folders():
    call(316, -100, DOCS.encode(), -100, b"src", 2)


def rename_noreplace():
    call(316, -100, PLAN.encode(), -100, f"{DOCS}/was-plan".encode(), 1)


def link_in():
    os.link(PLAN, "mine")
    with open("mine", "w", encoding="utf-8") as file:
        file.write("through a link\n")


def link_out():
    os.link("README.md", f"{DOCS}/hard")


def symlink_out():
    os.symlink("/etc/passwd", f"{DOCS}/soft")


def through_symlink():
    os.symlink(DOCS, "way")
    with open("way/plan.txt", "a", encoding="utf-8") as file:
        file.write("more\n")


def mkdir():
    call(83, f"{DOCS}/folder".encode(), 0o755)


def rmdir():
    os.unlink(f"{DOCS}/old/1999.txt")
    os.rmdir(f"{DOCS}/old")


def fifo():
    os.mkfifo(f"{DOCS}/fifo")


def node():
    os.mknod(f"{DOCS}/node", 0o140644)


def bind_socket():
    socket.socket(socket.AF_UNIX).bind(f"{DOCS}/listener")


def self_root():
    os.unlink("/proc/self/root/home/agent/docs/plan.txt")


def self_cwd():
    with open("/proc/self/cwd/../../docs/plan.txt", "w", encoding="utf-8") as file:
        file.write("cwd\n")


def thread_cwd():
    with open("/proc/thread-self/cwd/../../docs/notes.md", "w", encoding="utf-8") as file:
        file.write("cwd\n")


def reopened():
    fd = os.open(PLAN, os.O_RDONLY)
    with open(f"/proc/self/fd/{fd}", "w", encoding="utf-8") as file:
        file.write("reopened\n")


def reopened_path():
    fd = os.open(PLAN, os.O_PATH)
    os.chmod(f"/proc/self/fd/{fd}", 0o777)


def shared_memory():
    with open("/dev/shm/other.dat", "w", encoding="utf-8") as file:
        file.write("mine\n")


# Other processes.
def kill():
    os.kill(VICTIM, signal.SIGTERM)


def stop():
    os.kill(VICTIM, signal.SIGSTOP)


def kill_all():
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    os.kill(-1, signal.SIGTERM)


def kill_group():
    os.killpg(VICTIM, signal.SIGKILL)


def tgkill():
    call(234, VICTIM, VICTIM, 9)


def tkill():
    call(200, VICTIM, 9)


def queue_signal():
    call(129, VICTIM, 9, ctypes.create_string_buffer(struct.pack("iiii", 9, 0, -1, 0) + bytes(112)))


def pidfd_signal():
    signal.pidfd_send_signal(os.pidfd_open(VICTIM), signal.SIGKILL)


def owner_signal():
    """The kernel sends the signal: a pipe whose owner is the victim becomes readable."""
    reader, writer = os.pipe()
    fcntl.fcntl(reader, fcntl.F_SETOWN, VICTIM)
    fcntl.fcntl(reader, fcntl.F_SETSIG, 9)
    fcntl.fcntl(reader, fcntl.F_SETFL, os.O_ASYNC | os.O_NONBLOCK)
    os.write(writer, b"x")


def owner_signal_ex():
    reader, writer = os.pipe()
    fcntl.fcntl(reader, 15, struct.pack("ii", 1, VICTIM))  # F_SETOWN_EX, F_OWNER_PID
    fcntl.fcntl(reader, fcntl.F_SETSIG, 9)
    fcntl.fcntl(reader, fcntl.F_SETFL, os.O_ASYNC | os.O_NONBLOCK)
    os.write(writer, b"x")


def prlimit():
    resource.prlimit(VICTIM, resource.RLIMIT_CPU, (1, 1))


def prlimit_files():
    resource.prlimit(VICTIM, resource.RLIMIT_NOFILE, (3, 3))


def setpriority():
    os.setpriority(os.PRIO_PROCESS, VICTIM, 19)


def setpriority_group():
    os.setpriority(os.PRIO_PGRP, VICTIM, 12)


def setpriority_user():
    os.setpriority(os.PRIO_USER, 1000, 7)


def affinity():
    os.sched_setaffinity(VICTIM, {0})


def scheduler():
    os.sched_setscheduler(VICTIM, os.SCHED_BATCH, os.sched_param(0))


def sched_setattr():
    call(314, VICTIM, struct.pack("IIQiIQQQ", 48, os.SCHED_IDLE, 0, 0, 0, 0, 0, 0), 0)


def ioprio():
    call(251, 1, VICTIM, (3 << 13))


def ioprio_user():
    call(251, 3, os.getuid(), (2 << 13) | 7)


def oom_score():
    with open(f"/proc/{VICTIM}/oom_score_adj", "w", encoding="ascii") as file:
        file.write("1000")


def core_filter():
    with open(f"/proc/{VICTIM}/coredump_filter", "w", encoding="ascii") as file:
        file.write("0x1")


def autogroup():
    with open(f"/proc/{VICTIM}/autogroup", "w", encoding="ascii") as file:
        file.write("10")


def ptrace_attach():
    call(101, 16, VICTIM, 0, 0)
    os.waitpid(VICTIM, 0x40000000)
    call(101, 4, VICTIM, ctypes.c_void_p(environment_at()), ctypes.c_void_p(0x4141414141414141))
    call(101, 17, VICTIM, 0, 0)


def ptrace_seize():
    call(101, 0x4206, VICTIM, 0, 0)
    reached("ptrace seize")


def memory_write():
    with open(f"/proc/{VICTIM}/mem", "r+b", buffering=0) as memory:
        memory.seek(environment_at())
        memory.write(b"BROKEN")


def memory_read():
    with open(f"/proc/{VICTIM}/mem", "rb", buffering=0) as memory:
        memory.seek(environment_at())
        print(memory.read(24))


class _Vector(ctypes.Structure):
    _fields_ = (("base", ctypes.c_void_p), ("length", ctypes.c_size_t))


def vm_write():
    local = ctypes.create_string_buffer(b"BROKEN")
    here, there = _Vector(ctypes.addressof(local), 6), _Vector(environment_at(), 6)
    call(311, VICTIM, ctypes.byref(here), 1, ctypes.byref(there), 1, 0)


def vm_read():
    local = ctypes.create_string_buffer(24)
    here, there = _Vector(ctypes.addressof(local), 24), _Vector(environment_at(), 24)
    call(310, VICTIM, ctypes.byref(here), 1, ctypes.byref(there), 1, 0)
    print(local.raw)


def environ():
    with open(f"/proc/{VICTIM}/environ", "rb") as file:
        print(file.read())


def victim_file():
    with open(f"/proc/{VICTIM}/fd/8", encoding="utf-8") as file:
        print(file.read())


def victim_file_written():
    with open(f"/proc/{VICTIM}/fd/9", "w", encoding="utf-8") as file:
        file.write("through the other process\n")


def victim_root():
    with open(f"/proc/{VICTIM}/root{PLAN}", "w", encoding="utf-8") as file:
        file.write("through its root\n")


def victim_cwd():
    os.unlink(f"/proc/{VICTIM}/cwd/docs/plan.txt")


def getfd():
    os.write(call(438, os.pidfd_open(VICTIM), 9, 0), b"STOLEN")


def getfd_secret():
    print(os.pread(call(438, os.pidfd_open(VICTIM), 8, 0), 200, 0))


# Inter-process objects and keys.
def _object(get, control, *more):
    identity = get(0x0AC5, *more, 0)
    if identity < 0 or control(identity, 0, 0, 0) < 0:
        raise SystemExit("refused")


def shm_remove():
    _object(libc.shmget, lambda identity, *_: libc.shmctl(identity, 0, None), 0)


def sem_remove():
    _object(libc.semget, libc.semctl, 0)


def msg_remove():
    _object(libc.msgget, lambda identity, *_: libc.msgctl(identity, 0, None))


def queue_unlink():
    if ctypes.CDLL("librt.so.1", use_errno=True).mq_unlink(b"/service"):
        raise SystemExit("refused")


def key_clear():
    call(250, 7, -4)


def key_unlink():
    key = call(250, 10, -4, b"user", b"service", 0)
    call(250, 9, key, -4)


def key_revoke():
    call(250, 3, call(250, 10, -4, b"user", b"service", 0))


def key_invalidate():
    call(250, 21, call(250, 10, -4, b"user", b"service", 0))


def key_add():
    call(248, b"user", b"planted", b"value", 5, -4)
    reached("a key for the user's other programs")


# What a fence forbids as it cannot be looked into.
def io_uring():
    call(425, 4, ctypes.create_string_buffer(120))
    reached("io_uring")


def inject():
    """Types into a terminal."""
    _, side = os.openpty()
    if os.fork() == 0:
        os.setsid()
        fcntl.ioctl(side, termios.TIOCSCTTY, 0)
        fcntl.ioctl(side, termios.TIOCSTI, b"x")
        reached("TIOCSTI")
        os._exit(0)
    os.wait()


def capabilities():
    """As root: powers that no namespace bounds."""
    with open("/proc/self/status", encoding="ascii") as status:
        held = next(int(line.split()[1], 16) for line in status if line.startswith("CapEff"))
    if held & (1 << 25 | 1 << 22 | 1 << 16 | 1 << 21 | 1 << 27 | 1 << 17):  # time, boot, module, admin, mknod, raw I/O
        reached(f"capabilities {held:x}")


def own_namespace():
    """The capabilities of a new user namespace, and a mount there."""
    call(272, 0x10000000 | 0x00020000)
    if libc.mount(b"none", b"/", None, ctypes.c_ulong(0x4000 | 0x40000), None) == 0:
        reached("a mount namespace of its own")


# The network and sockets.
def unix(path):
    socket.socket(socket.AF_UNIX).connect("\0" + path[1:] if path.startswith("@") else path)


def unix_datagram():
    socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM).sendto(b"hello", "/home/agent/.datagram.sock")


def unix_late():
    """A listener that comes up while we wait for it."""
    import time

    for _ in range(30):
        time.sleep(0.1)
        if socket.socket(socket.AF_UNIX).connect_ex("/home/agent/.late.sock") == 0:
            return


def terminal_settings():
    side = os.open("/dev/pts/0", os.O_RDWR | os.O_NOCTTY)
    settings = termios.tcgetattr(side)
    settings[3] ^= termios.ICANON
    termios.tcsetattr(side, termios.TCSANOW, settings)


def terminal_read():
    print(os.read(os.open("/dev/pts/0", os.O_RDONLY | os.O_NOCTTY | os.O_NONBLOCK), 100))


def unix_relative():
    os.chdir("/run")
    socket.socket(socket.AF_UNIX).connect("service.sock")


def unix_by_descriptor():
    fd = os.open("/run", os.O_PATH)
    socket.socket(socket.AF_UNIX).connect(f"/proc/self/fd/{fd}/service.sock")


def unix_secret():
    with open("/home/agent/.netrc", "rb") as file:
        connection = socket.socket(socket.AF_UNIX)
        connection.connect("/tmp/service.sock")
        connection.sendall(file.read())


def tcp():
    socket.create_connection(TCP).sendall(b"hello")


def tcp6():
    socket.create_connection(("::1", 4000)).sendall(b"hello")


def tcp_mapped():
    socket.socket(socket.AF_INET6).connect(("::ffff:127.0.0.1", 4000))


def tcp_nonblocking():
    connection = socket.socket()
    connection.setblocking(False)
    connection.connect_ex(TCP)
    connection.setblocking(True)
    connection.send(b"hello")


def mptcp():
    socket.socket(socket.AF_INET, socket.SOCK_STREAM, 262).connect(TCP)


def fast_open():
    socket.socket().sendto(b"hello", socket.MSG_FASTOPEN, TCP)


def fast_open_message():
    socket.socket().sendmsg([b"hello"], [], socket.MSG_FASTOPEN, TCP)


def fast_open_connect():
    connection = socket.socket()
    connection.setsockopt(socket.IPPROTO_TCP, 30, 1)
    connection.connect(TCP)
    connection.send(b"hello")


def udp():
    socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"hello", UDP)


def udp_connected():
    connection = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    connection.connect(UDP)
    connection.send(b"hello")


def udp_many():
    connection = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)
    connection.sendmsg([b"hello"], [], 0, ("::ffff:127.0.0.1", 4001))


def passed_descriptor():
    """A child opens what it may not and hands it on."""
    here, there = socket.socketpair(socket.AF_UNIX)
    if os.fork() == 0:
        fd = os.open(PLAN, os.O_RDWR)
        there.sendmsg([b"x"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [fd]))])
        os._exit(0)
    _, ancillary, _, _ = here.recvmsg(1, socket.CMSG_SPACE(4))
    os.write(array.array("i", ancillary[0][2])[0], b"passed")


def daemon():
    """Twice forked, in a session of its own; acts when the command has long ended."""
    for _ in range(2):
        if os.fork():
            os._exit(0)
        os.setsid()
    import time

    time.sleep(0.8)
    os.unlink(PLAN)


if __name__ == "__main__":
    globals()[sys.argv[1]](*sys.argv[2:])
