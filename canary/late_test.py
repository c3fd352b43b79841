"""late.py on a terminal: what it passes on, and when."""

import os
import pty
import signal
import sys
import time
import unittest
from pathlib import Path

LATE = Path(__file__).with_name("late.py")
LATE_S = 0.5
PATIENCE_S = 60


class Late(unittest.TestCase):
    def setUp(self):
        signal.alarm(PATIENCE_S)  # ends the tests
        self.addCleanup(signal.alarm, 0)

    def start(self, script: str) -> tuple[int, int, float]:
        pid, terminal = pty.fork()
        if pid == 0:
            os.execv(sys.executable, [sys.executable, "-B", str(LATE), str(LATE_S), "sh", "-c", script])
        return pid, terminal, time.monotonic()

    def read_all(self, terminal: int) -> bytes:
        drawn = b""
        try:
            while piece := os.read(terminal, 4096):
                drawn += piece
        except OSError:
            pass
        os.close(terminal)
        return drawn

    def test_all_is_drawn_late_and_the_exit_code_is_the_programs(self):
        pid, terminal, began = self.start("echo drawn; exit 3")
        self.assertIn(b"drawn", self.read_all(terminal))
        self.assertGreaterEqual(time.monotonic() - began, LATE_S)
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), 3)

    def test_keys_reach_the_program_on_a_terminal_of_its_own(self):
        pid, terminal, _ = self.start("test -t 0 && read word && echo \"got $word\"")
        os.write(terminal, b"it\n")
        self.assertIn(b"got it", self.read_all(terminal))
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), 0)


if __name__ == "__main__":
    unittest.main()
