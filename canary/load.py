"""Both cores kept busy, on demand; and how busy others keep them."""

import os
import statistics
import subprocess
import sys
import threading

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


MOST_PATIENCE = 10.0  # more than that many times as slow, a machine measures nothing
SAMPLES_S = 0.2


def cores() -> int:
    return len(os.sched_getaffinity(0))


def slowness(threads: float) -> float:
    """How many times as long as on an idle machine something takes where so many threads want to run: from 1 to
    MOST_PATIENCE."""
    return min(max(1.0, threads / cores()), MOST_PATIENCE)


def load() -> float:
    """The mean of threads that want to run, over the last minute."""
    with open("/proc/loadavg", encoding="ascii") as file:
        return float(file.read().split()[0])


class LoadMeter:
    """Measures how busy the machine is while it is entered; `slowness` afterwards, of the median of what was seen, so
    that the start of an agent, which wants both cores for a moment, does not count."""

    def __enter__(self) -> "LoadMeter":
        self._seen: list[int] = []
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()
        return self

    def _watch(self) -> None:
        while not self._over.wait(SAMPLES_S):
            self._seen.append(runnable() - 1)  # without this thread

    def __exit__(self, *_exception) -> None:
        self._over.set()
        self._thread.join()

    @property
    def slowness(self) -> float:
        return slowness(statistics.median(self._seen)) if self._seen else 1.0
