#!/usr/bin/env python3
"""one_layer.py LAYER USER PROGRAM...: runs the cases "[layer]" of each test program where the fence can be made of this
layer alone (landlock or namespaces), as this user (root or nobody).

A filter of system calls takes the other layer away from everything that is started here: Landlock's calls are missing,
or new namespaces are refused. Exit 77: this machine lacks the layer, or does not let us be this user."""
import ctypes
import os
import platform
import shutil
import struct
import subprocess
import sys
import tempfile

NOBODY = 65534
UNSHARE, CLONE = {"x86_64": (272, 56), "aarch64": (97, 220)}.get(platform.machine(), (0, 0))
AUDIT = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}.get(platform.machine(), 0)
CLONE3, LANDLOCK_CREATE_RULESET = 435, 444
NEW_NAMESPACES = 0x10000000 | 0x00020000  # CLONE_NEWUSER | CLONE_NEWNS
EPERM, ENOSYS = 1, 38
NUMBER, ARCH, FIRST_ARGUMENT = 0, 4, 16  # the offsets in struct seccomp_data
LOAD, EQUAL, ANY_BIT, RETURN = 0x20, 0x15, 0x45, 0x06
ALLOW, REFUSE = 0x7FFF0000, 0x00050000
PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP, MODE_FILTER = 38, 22, 2


def refuse_if(number, error):
    return [(EQUAL, 0, 1, number), (RETURN, 0, 0, REFUSE | error)]


def program(layer):
    steps = [(LOAD, 0, 0, ARCH), (EQUAL, 1, 0, AUDIT), (RETURN, 0, 0, ALLOW), (LOAD, 0, 0, NUMBER)]
    if layer == "namespaces":
        steps += refuse_if(LANDLOCK_CREATE_RULESET, ENOSYS)
    else:
        steps += refuse_if(UNSHARE, EPERM) + refuse_if(CLONE3, ENOSYS)
        steps += [(EQUAL, 0, 3, CLONE), (LOAD, 0, 0, FIRST_ARGUMENT), (ANY_BIT, 0, 1, NEW_NAMESPACES),
                  (RETURN, 0, 0, REFUSE | EPERM)]
    return steps + [(RETURN, 0, 0, ALLOW)]


def take_away(layer):
    code = b"".join(struct.pack("HBBI", *step) for step in program(layer))
    buffer = ctypes.create_string_buffer(code)
    filter_ = ctypes.create_string_buffer(struct.pack("HxxxxxxP", len(code) // 8, ctypes.addressof(buffer)))
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) or libc.prctl(PR_SET_SECCOMP, MODE_FILTER, filter_, 0, 0):
        raise OSError(ctypes.get_errno(), "seccomp")


def skip(why):
    print(f"skipped: {why}")
    sys.exit(77)


def has(layer):
    if layer == "landlock":
        return ctypes.CDLL(None).syscall(LANDLOCK_CREATE_RULESET, None, 0, 1) > 0
    bwrap = shutil.which("bwrap")
    return bwrap and subprocess.run([bwrap, "--ro-bind", "/", "/", "true"], capture_output=True).returncode == 0


def become(user, folder):
    if (user == "root") == (os.geteuid() == 0):
        return
    if os.geteuid() != 0:
        skip("only root can be another user")
    os.chown(folder, NOBODY, NOBODY)
    os.setgroups([])
    os.setresgid(NOBODY, NOBODY, NOBODY)
    os.setresuid(NOBODY, NOBODY, NOBODY)
    os.environ.update(HOME=folder, TMPDIR=folder, PATH="/usr/local/bin:/usr/bin:/bin", USER="nobody", LOGNAME="nobody")


def main():
    layer, user, *programs = sys.argv[1:]
    if not AUDIT:
        skip("no numbers of system calls for " + platform.machine())
    with tempfile.TemporaryDirectory(prefix="one-layer-", ignore_cleanup_errors=True) as folder:
        child = os.fork()
        if child == 0:
            become(user, folder)
            os.chdir(folder)
            if not has(layer):
                skip("no " + layer + " here")
            take_away(layer)
            failed = [each for each in programs if subprocess.run([each, "[layer]"]).returncode != 0]
            sys.exit(1 if failed else 0)
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


if __name__ == "__main__":
    sys.exit(main())
