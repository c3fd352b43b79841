#!/usr/bin/env python3
"""What orch asks of zellij, as far as its words go: a session is a folder, its pane a pseudo-terminal.

The words of every call are appended to $FAKE_ZELLIJ/calls, a JSON array a line.
"""
import fcntl
import json
import os
import pty
import select
import shutil
import signal
import struct
import sys
import termios
import time

ROOT = os.environ["FAKE_ZELLIJ"]


def folder(session):
    return os.path.join(ROOT, session)


def hold_pane(session, command):
    """The server: shows what the pane's program writes, types what comes through a pipe."""
    place = folder(session)
    if os.fork() > 0:
        os._exit(0)
    os.setsid()
    if os.fork() > 0:
        os._exit(0)
    program, terminal = pty.fork()
    if program == 0:
        os.environ["ZELLIJ_PANE_ID"] = "1"
        os.execvp(command[0], command)
    null = os.open("/dev/null", os.O_RDWR)
    for fd in (0, 1, 2):
        os.dup2(null, fd)
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 50, 0, 0))
    keys = os.open(place + "/keys", os.O_RDWR)
    with open(place + "/pid", "w") as file:
        file.write(str(os.getpid()))
    while True:
        ready, _, _ = select.select([terminal, keys], [], [], 0.05)
        if os.path.exists(place + "/size"):
            with open(place + "/size") as file:
                size = file.read().split()
            if len(size) == 2:
                os.unlink(place + "/size")
                fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", *map(int, size), 0, 0))
        if keys in ready:
            os.write(terminal, os.read(keys, 4096))
        if terminal in ready:
            try:
                shown = os.read(terminal, 4096)
            except OSError:
                os._exit(0)
            with open(place + "/screen", "ab") as file:
                file.write(shown)


def delete(session):
    try:
        with open(folder(session) + "/pid") as file:
            os.kill(int(file.read()), signal.SIGKILL)
    except (OSError, ValueError):
        pass
    shutil.rmtree(folder(session), ignore_errors=True)


def main(words):
    with open(ROOT + "/calls", "a") as calls:
        calls.write(json.dumps(words) + "\n")
    if "--create-background" in words:
        session = words[words.index("--create-background") + 1]
        os.makedirs(folder(session))
        os.mkfifo(folder(session) + "/keys")
        open(folder(session) + "/screen", "wb").close()
        hold_pane(session, words[words.index("--") + 1 :])
    elif words[0] == "attach":
        size = os.get_terminal_size(1)
        with open(folder(words[1]) + "/size", "w") as file:
            file.write(f"{size.lines} {size.columns}")
        time.sleep(60)
    elif words[0] == "--session" and words[2:4] == ["action", "write"]:
        with open(folder(words[1]) + "/keys", "wb") as keys:
            keys.write(bytes(int(word) for word in words[6:]))
    elif words[0] == "--session" and words[2:4] == ["action", "dump-screen"]:
        with open(folder(words[1]) + "/screen", "rb") as screen:
            sys.stdout.buffer.write(screen.read())
    elif words[0] == "delete-session":
        delete(words[-1])
    else:
        sys.exit(2)


main(sys.argv[1:])
