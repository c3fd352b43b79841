"""A terminal for a program under test, with a window that can be changed."""

import fcntl
import os
import pty
import struct
import subprocess
import termios
import threading
from pathlib import Path
from typing import BinaryIO


class Terminal:
    """Open from construction to close(); all that the program writes is kept."""

    def __init__(self, columns: int, rows: int):
        self._ours, self._its = pty.openpty()
        self._reader: threading.Thread | None = None
        self.resize(columns, rows)

    def resize(self, columns: int, rows: int) -> None:
        """The kernel tells the program, by SIGWINCH."""
        fcntl.ioctl(self._ours, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def start(self, command: list[str], cwd: Path, env: dict[str, str], out: BinaryIO) -> subprocess.Popen:
        """Once. setsid makes it the program's controlling terminal; the process is the program's own."""
        process = subprocess.Popen(
            ["setsid", "--ctty", *command], cwd=cwd, env=env | {"TERM": "xterm-256color"}, stdin=self._its,
            stdout=self._its, stderr=self._its,
        )
        os.close(self._its)
        self._reader = threading.Thread(target=self._drain, args=(out.fileno(),), daemon=True)
        self._reader.start()
        return process

    def close(self) -> None:
        if self._reader is not None:
            self._reader.join()
        os.close(self._ours)

    def _drain(self, out: int) -> None:
        """Until the last program that has the terminal open is gone, which reads as an error."""
        out = os.dup(out)
        try:
            while piece := os.read(self._ours, 65536):
                os.write(out, piece)
        except OSError:
            pass
        finally:
            os.close(out)
