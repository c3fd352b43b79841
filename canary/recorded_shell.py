"""A shell that gets commands typed as a person types them, and the recording of its terminal."""

import fcntl
import json
import os
import pty
import select
import struct
import subprocess
import sys
import termios
import time


class Shell:
    """A shell on a terminal, whose output is recorded as an asciicast."""

    def __init__(self, folder, env, cols=80, rows=24):
        self.cols, self.rows = cols, rows
        self.master, terminal = pty.openpty()
        fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", rows, cols, 0, 0))

        def own_terminal():
            os.setsid()
            fcntl.ioctl(terminal, termios.TIOCSCTTY, 0)

        env = dict(env, TERM="xterm-256color", PS1="$ ")
        self.process = subprocess.Popen(["bash", "--norc", "--noprofile"], stdin=terminal, stdout=terminal,
                                        stderr=terminal, cwd=folder, preexec_fn=own_terminal, env=env)
        os.close(terminal)
        self.begin = time.monotonic()
        self.events = []
        self.shown = ""
        self.wait_for("$ ")

    def read(self, seconds):
        """Records what comes within so many seconds."""
        due = self.begin + self.now() + seconds
        while (left := due - time.monotonic()) > 0:
            if not select.select([self.master], [], [], left)[0]:
                return
            try:
                text = os.read(self.master, 65536).decode("utf-8", "replace")
            except OSError:
                return
            self.shown += text
            self.events.append((self.now(), text))

    def now(self):
        return time.monotonic() - self.begin

    def type(self, text):
        for letter in text:
            os.write(self.master, letter.encode())
            self.read(0.06)
        self.read(0.4)

    def enter(self):
        self.press(b"\r")

    def press(self, keys):
        os.write(self.master, keys)

    def wait_for(self, text, patience=60):
        """Waits until the text was shown since the last wait; ends the script if it never is."""
        until = self.now() + patience
        while text not in self.shown:
            if self.now() > until:
                sys.exit(f"{text!r} was not shown within {patience} s; the terminal shows\n{self.shown[-2000:]}")
            self.read(0.2)
        self.shown = self.shown.split(text, 1)[1]

    def end(self, patience=30):
        """Types Ctrl-D until the shell is gone: a program that is just ending may take one."""
        until = self.now() + patience
        while self.process.poll() is None and self.now() < until:
            self.press(b"\x04")
            self.read(0.5)
            time.sleep(0.1)
        self.process.wait(timeout=1)
        os.close(self.master)

    def save(self, path):
        with open(path, "w", encoding="utf-8") as out:
            out.write(json.dumps({"version": 2, "width": self.cols, "height": self.rows}) + "\n")
            for seconds, text in self.events:
                out.write(json.dumps([round(seconds, 3), "o", text]) + "\n")
