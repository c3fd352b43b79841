"""Is this root cut off from the machine? Harmless questions only: every call has arguments that do nothing where the
capability is there. Prints what is not cut off; nothing when all is.

    probe.py CANARY USER_NAMESPACE   a file that must not be reachable; the user namespace this must not be
"""

import ctypes
import errno
import os
import socket
import struct
import sys

libc = ctypes.CDLL(None, use_errno=True)


def refused(result: int) -> bool:
    return result == -1 and ctypes.get_errno() in (errno.EPERM, errno.ENOSYS)


def writable(path: str) -> bool:
    try:
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT))
        return True
    except OSError:
        return False


canary, user_namespace = sys.argv[1:]
if os.readlink("/proc/self/ns/user") == user_namespace:
    print("the user namespace is the harness's own")
if os.path.exists(canary) or any(os.path.exists(f"/proc/{pid}/root{canary}") for pid in os.listdir("/proc")):
    print("the machine's files can be reached")
if writable("/usr/bin/attacks-canary") or writable("/etc/ld.so.cache"):
    print("the machine's files can be written to")
if [name for _, name in socket.if_nameindex()] != ["lo"]:
    print("there is a network")
if len([name for name in os.listdir("/proc") if name.isdigit()]) > 10:
    print("the machine's processes can be seen")
# Loading a module, ending swap, steering the clock: each asks for the capability before it looks at its arguments.
if not refused(libc.syscall(ctypes.c_long(175 if os.uname().machine == "x86_64" else 105), None, 0, None)):
    print("modules can be loaded")
if not refused(libc.swapoff(None)):
    print("swap can be ended")
timex = ctypes.create_string_buffer(struct.pack("I4x", 0x4000) + b"\xff" * 8 * 12 + bytes(256))  # ADJ_TICK, no tick
if not refused(libc.adjtimex(timex)):
    print("the clock can be set")
if os.getuid() != 0:
    with open("/proc/self/status", encoding="ascii") as status:
        if any(line.startswith("Cap") and int(line.split()[1], 16) for line in status):
            print("there are capabilities")
