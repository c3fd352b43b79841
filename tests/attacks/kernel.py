"""The system calls that Python 3.11 has no name for."""

import ctypes
import os
import platform

CLONE_NEWNS, CLONE_NEWUTS, CLONE_NEWIPC = 0x00020000, 0x04000000, 0x08000000
CLONE_NEWUSER, CLONE_NEWPID, CLONE_NEWNET = 0x10000000, 0x20000000, 0x40000000

MS_RDONLY, MS_NOSUID, MS_NODEV, MS_BIND = 0x1, 0x2, 0x4, 0x1000
MS_REC, MS_PRIVATE = 0x4000, 0x40000
MNT_DETACH = 2

PR_SET_PDEATHSIG, PR_CAPBSET_DROP, PR_SET_NO_NEW_PRIVS = 1, 24, 38
PR_SET_DUMPABLE = 4

_SYS_PIVOT_ROOT = {"x86_64": 155, "aarch64": 41}.get(platform.machine())
_SYS_MOUNT_SETATTR = 442
_AT_FDCWD, _AT_RECURSIVE, _MOUNT_ATTR_RDONLY, _MOUNT_ATTR_NOSUID = -100, 0x8000, 0x1, 0x2

libc = ctypes.CDLL(None, use_errno=True)


def check(result: int, what: str) -> int:
    """`result`, unless it is an error."""
    if result < 0:
        error = ctypes.get_errno()
        raise OSError(error, f"{what}: {os.strerror(error)}")
    return result


def unshare(flags: int) -> None:
    check(libc.unshare(flags), "unshare")


def mount(source: str, target: str, kind: str | None, flags: int, data: str | None = None) -> None:
    def encoded(text: str | None) -> bytes | None:
        return None if text is None else text.encode()

    result = libc.mount(encoded(source), encoded(target), encoded(kind), ctypes.c_ulong(flags), encoded(data))
    check(result, f"mount {source} on {target}")


def bind(source: str, target: str, *, writable: bool) -> None:
    """Everything mounted below `source` too."""
    mount(source, target, None, MS_BIND | MS_REC)
    if writable:
        return
    attributes = (ctypes.c_uint64 * 4)(_MOUNT_ATTR_RDONLY | _MOUNT_ATTR_NOSUID, 0, 0, 0)
    result = libc.syscall(
        ctypes.c_long(_SYS_MOUNT_SETATTR), _AT_FDCWD, target.encode(), _AT_RECURSIVE,
        ctypes.byref(attributes), ctypes.c_size_t(ctypes.sizeof(attributes)),
    )  # fmt: skip
    check(result, f"make {target} read only")


def pivot_to(root: str) -> None:
    """`root`, a mount, becomes / and what was / is gone."""
    os.chdir(root)
    check(libc.syscall(ctypes.c_long(_SYS_PIVOT_ROOT), b".", b"."), "pivot_root")
    check(libc.umount2(b".", MNT_DETACH), "umount the old root")
    os.chdir("/")


def prctl(option: int, value: int) -> None:
    check(libc.prctl(option, ctypes.c_ulong(value), 0, 0, 0), f"prctl {option}")
