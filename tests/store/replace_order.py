#!/usr/bin/env python3
"""replace_order.py STORE_TEST: a file that is replaced is on the disk before it has its name, and its
name before the caller goes on. Looks, by strace, at the order of the system calls of some tests: the
new file is synced, then renamed, then its folder is synced. Exits with 77 where nothing can be traced."""
import os
import re
import shutil
import subprocess
import sys
import tempfile

# Of store_test: each of these replaces files that have to be on the disk.
TESTS = ("write_file makes a private file*", "write_file replaces the old file*",
         "output goes into a file of ours*")
CALLS = "openat,open,fsync,fdatasync,rename,renameat,renameat2,close"


def traced(program, folder):
    log = os.path.join(folder, "calls")
    run = subprocess.run(["strace", "-f", "-o", log, "-e", "trace=" + CALLS, program, ",".join(TESTS)],
                         cwd=folder, capture_output=True, text=True)
    if not os.path.exists(log) or "ptrace" in run.stderr:
        print("skipped: strace cannot trace here: " + run.stderr.strip()[:200])
        sys.exit(77)
    if run.returncode != 0:
        sys.exit("the tests themselves fail:\n" + run.stdout)
    with open(log, errors="replace") as lines:
        return lines.read().splitlines()


def steps(lines):
    """The calls as ("open", name, fd), ("sync", fd) and ("rename", old name, folder's fd)."""
    for line in lines:
        call = re.sub(r"^\d+\s+", "", line)
        if match := re.match(r'open(?:at)?\((?:\w+, )?"([^"]*)", ([A-Z_|]+).*\) = (\d+)$', call):
            yield "open", os.path.basename(match[1]), int(match[3]), match[2]
        elif match := re.match(r"f(?:data)?sync\((\d+)\)\s*= 0", call):
            yield "sync", int(match[1])
        elif match := re.match(r'renameat2?\((\d+), "([^"]*)", (\d+), .*\)\s*= 0$', call):
            yield "rename", match[2], int(match[3])
        elif re.match(r"rename\(.*= 0$", call):
            sys.exit("a file is renamed by its path, not in an open folder: " + call)


def check(lines):
    replaced, faults = 0, []
    opened, synced = {}, set()   # of names their descriptors; descriptors synced since they were opened
    waiting = None               # the folder whose entry is not on the disk yet, and the file's name
    for step in steps(lines):
        if step[0] == "open":
            opened[step[1]] = step[2]
            synced.discard(step[2])
        elif step[0] == "sync":
            synced.add(step[1])
            if waiting and waiting[0] == step[1]:
                waiting = None
        else:
            if waiting:
                faults.append(waiting[1] + ": its folder was not synced")
            if opened.get(step[1]) not in synced:
                faults.append(step[1] + ": renamed before it was synced")
            waiting = (step[2], step[1])
            replaced += 1
    if waiting:
        faults.append(waiting[1] + ": its folder was not synced")
    return replaced, faults


def main():
    if not shutil.which("strace"):
        print("skipped: strace is not installed")
        sys.exit(77)
    with tempfile.TemporaryDirectory(dir=os.getcwd()) as folder:
        replaced, faults = check(traced(os.path.abspath(sys.argv[1]), folder))
    for fault in faults:
        print(fault)
    print(f"{replaced} files replaced")
    sys.exit(1 if faults or replaced < 4 else 0)


main()
