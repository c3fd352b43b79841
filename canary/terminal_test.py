"""python3 -m unittest discover -s canary -p '*_test.py'"""

import os
import tempfile
import time
import unittest
from pathlib import Path

from terminal import Terminal

PATIENCE_S = 10
PROGRAM = """trap 'stty size; exit' WINCH
stty size
echo ready >/dev/tty
while :; do sleep 0.05; done"""


class TerminalTest(unittest.TestCase):
    def test_a_program_has_it_as_its_terminal_and_is_told_of_another_size(self):
        terminal = Terminal(100, 30)
        with tempfile.NamedTemporaryFile() as out:
            process = terminal.start(["sh", "-c", PROGRAM], Path("/"), dict(os.environ), out)
            until = time.monotonic() + PATIENCE_S
            while b"ready" not in Path(out.name).read_bytes() and time.monotonic() < until:
                time.sleep(0.01)
            terminal.resize(80, 24)
            process.wait(PATIENCE_S)
            terminal.close()
            self.assertEqual(Path(out.name).read_bytes().split(), [b"30", b"100", b"ready", b"24", b"80"])


if __name__ == "__main__":
    unittest.main()
