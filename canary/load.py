"""Both cores kept busy, on demand."""

import subprocess
import sys

SPINNERS = 6
# Ends with its parent, however that ends.
SPIN = "import os\nparent = os.getppid()\nwhile os.getppid() == parent: sum(range(20000))"


class Load:
    """SPINNERS programs at normal priority that do nothing but use the processor, while `on`. Each has a session of
    its own: the kernel may share the processor out by sessions, and all of them in one would be one."""

    def __init__(self, on: bool):
        self._wanted = SPINNERS if on else 0
        self._spinners: list[subprocess.Popen] = []

    def __enter__(self) -> "Load":
        command = [sys.executable, "-c", SPIN]
        self._spinners = [subprocess.Popen(command, start_new_session=True) for _ in range(self._wanted)]
        return self

    def __exit__(self, *_exception) -> None:
        for spinner in self._spinners:
            spinner.kill()
            spinner.wait()


def runnable() -> int:
    """Threads that run or could, on the whole machine."""
    with open("/proc/loadavg", encoding="ascii") as file:
        return int(file.read().split()[3].partition("/")[0])
