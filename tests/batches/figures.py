"""What is measured on one batch alone: how it grows, and whether it always takes as long."""

import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import processes

CLOSING_ISSUES, CLOSING_JOBS = 24, 8
CLOSING_GATE = "exec >/dev/null 2>&1; sleep 0.$(( $(date +%N | sed s/^0*//) % 9 + 1 ))"
PATIENCE = 1.5  # times the median
HANGS_S = 60
GROW_JOBS = 32
SAMPLE_S = 0.1


class Home:
    """A throw-away home with a repository, from construction to remove()."""

    def __init__(self):
        self.folder = Path(tempfile.mkdtemp(prefix="orch-batch-")).resolve()
        self.project = self.folder / "project"
        for folder in (self.project, self.folder / "run", self.folder / "tmp"):
            folder.mkdir(mode=0o700)
        self.env = {
            "HOME": str(self.folder), "PATH": os.environ.get("PATH", os.defpath), "LANG": "C.UTF-8",
            "XDG_STATE_HOME": str(self.folder / "state"), "XDG_RUNTIME_DIR": str(self.folder / "run"),
            "TMPDIR": str(self.folder / "tmp"), "ORCH_DEMO_SPEED": "0.05",
        }
        subprocess.run(["git", "init", "--quiet"], cwd=self.project, env=self.env, check=True)

    def start(self, orch: Path, words: list[str]) -> subprocess.Popen:
        return subprocess.Popen([str(orch), "run", *words], cwd=self.project, env=self.env, stdin=subprocess.DEVNULL,
                                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)

    def remove(self) -> None:
        processes.kill_all(self.folder.name)
        shutil.rmtree(self.folder, ignore_errors=True)


def closing_gates(orch: Path, tries: int, as_json: bool) -> int:
    """Gates that close their output before they end: where that took another session's descriptor out of the loop, the
    batch never ended."""
    issues = [str(number) for number in range(1, CLOSING_ISSUES + 1)]
    words = [*issues, "--jobs", str(CLOSING_JOBS), "--agent", "demo", "-p", "x", "--verify", CLOSING_GATE, "--output",
             "quiet", "--timeout", "20s"]
    took, wrong = [], 0
    for number in range(tries):
        home = Home()
        begun = time.monotonic()
        batch = home.start(orch, words)
        try:
            code = batch.wait(HANGS_S)
        except subprocess.TimeoutExpired:
            batch.kill()
            code = batch.wait()
        finally:
            home.remove()
        took.append(time.monotonic() - begun)
        wrong += code != 0
        if sys.stderr.isatty():
            print(f"{number + 1}: {took[-1]:.2f} s, exit {code}", file=sys.stderr, flush=True)
    median = statistics.median(took)
    within = sum(1 for seconds in took if seconds <= PATIENCE * median)
    figures = {"tries": tries, "wrong": wrong, "within": within, "median_s": round(median, 2), "max_s": round(max(took), 2)}
    print(json.dumps(figures) if as_json else
          f"{tries} tries: median {median:.2f} s, longest {max(took):.2f} s, {within} within {PATIENCE} times the median, "
          f"{wrong} with another code than 0")
    return 1 if wrong or within < tries else 0


def grow(orch: Path, counts: list[int], as_json: bool) -> int:
    rows, wrong = [], 0
    if not as_json:
        print(f"{'issues':>7} {'seconds':>8} {'ms each':>8} {'VmRSS MB':>9} {'VmHWM MB':>9} {'descriptors':>11}  exit")
    for count in counts:
        row = _one_batch(orch, count)
        rows.append(row)
        wrong += row["code"] != 0
        if not as_json:
            print(f"{count:7} {row['seconds']:8.1f} {1000 * row['seconds'] / count:8.1f} {row['rss_kb'] / 1000:9.1f} "
                  f"{row['hwm_kb'] / 1000:9.1f} {row['descriptors']:11}  {row['code']}", flush=True)
    if as_json:
        print(json.dumps(rows))
    return 1 if wrong else 0


def _one_batch(orch: Path, count: int) -> dict:
    """`rss_kb`: what the host took last, with all but the last few issues done."""
    home = Home()
    row = {"issues": count, "rss_kb": 0, "hwm_kb": 0, "descriptors": 0}
    try:
        begun = time.monotonic()
        batch = home.start(orch, [*(f"g{number}" for number in range(count)), "--jobs", str(GROW_JOBS), "--agent", "demo",
                                  "-p", "x", "--output", "quiet"])
        while (code := batch.poll()) is None:
            rss, hwm = processes.memory_of(batch.pid)
            row["rss_kb"] = rss or row["rss_kb"]
            row["hwm_kb"] = max(row["hwm_kb"], hwm)
            row["descriptors"] = max(row["descriptors"], processes.descriptors_of(batch.pid))
            time.sleep(SAMPLE_S)
        row |= {"seconds": time.monotonic() - begun, "code": code}
    finally:
        home.remove()
    return row
