"""One round, from its start to what it left."""

import json
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

import evidence
import left_over
import processes
import seen as records
import surfaces
from disturb import Disturber
from root import Root
from sampler import Sampler
from seen import Seen

START_S = 60  # of a batch in the background
LEAVE_S = 10  # a host has so long once its last run has ended


@dataclass(frozen=True)
class Bench:
    """What all rounds are made with."""

    orch: Path
    preload: Path | None  # makes the disk slow


def carry_out(root: Root, bench: Bench) -> Seen:
    seen = Seen()
    begun = time.monotonic()
    sampler = Sampler(root, seen)
    disturber = Disturber(root, seen, sampler.hosts, bench.preload)
    before, more_env = disturber.prepare()
    try:
        sampler.begin()
        _run(root, seen, sampler, disturber, before, more_env)
    finally:
        sampler.end()
    seen.took_s = time.monotonic() - begun
    left_over.wait(root)
    read_records(root, seen)
    left_over.look(root, seen)
    left_over.clear(root)
    return seen


def _run(root: Root, seen: Seen, sampler: Sampler, disturber: Disturber, before: list[str], more_env: dict[str, str]) -> None:
    command, env = root.command(before), root.env | more_env
    root.write_command(command, env)
    until = time.monotonic() + root.round.bound_s
    with (root.folder / "stdout.txt").open("wb") as out, (root.folder / "stderr.txt").open("wb") as errors:
        batch = subprocess.Popen(command, cwd=root.project, env=env, stdin=subprocess.DEVNULL, stdout=out, stderr=errors,
                                 start_new_session=True)
        disturber.begin()
        try:
            seen.code = batch.wait(START_S * root.round.patience if root.round.detached else root.round.bound_s)
            if root.round.detached and seen.code <= 0:  # who started it may have been met by a signal of ours
                seen.code = _wait(root, sampler, until)
        except subprocess.TimeoutExpired:
            seen.code = None
        finally:
            disturber.end()
            if seen.code is None:
                evidence.save(root.token, root.folder / "evidence", str(root.orch))
                processes.kill_all(root.token)
                batch.kill()
                batch.wait()


def _wait(root: Root, sampler: Sampler, until: float) -> int | None:
    """For a batch in the background. None: it did not end."""
    issues = [issue.name for issue in root.round.issues]
    said = root.orch_says("wait", "--until", "exited", *issues, patience_s=max(1, until - time.monotonic()))
    if said is None:
        return None
    (root.folder / "wait.txt").write_text(f"{said.stdout}{said.stderr}[{said.returncode}]\n")
    # A host that has told the last end still has to go; who did not hear of a queue came too early.
    leave = until if said.returncode == 4 else time.monotonic() + LEAVE_S * root.round.patience
    while sampler.hosts():
        if time.monotonic() > leave:
            return None
        time.sleep(0.05)
    return said.returncode


def read_records(root: Root, seen: Seen) -> None:
    runs = root.state / "orch/runs"
    folders = sorted(runs.iterdir()) if runs.exists() else []
    if root.round.disturbance == "host killed":  # between a run's folder and its first file: `orch gc` takes it away
        folders = [folder for folder in folders if any(folder.iterdir())]
    seen.runs = [records.run_in(folder) for folder in folders]
    output = [root.folder / "stderr.txt", *(folder / "host.log" for folder in folders)]
    seen.told = records.verdicts_told("\n".join(_text(path) for path in output))
    summaries = [*root.artifacts.glob("summary.json"), *root.state.glob("orch/summaries/*/summary.json")]
    read = [summary for path in summaries if (summary := records.summary_in(path))]
    if read:
        seen.summary_code, seen.summary = read[0]
        if any(summary != read[0] for summary in read):
            seen.left["two truths"] = [f"summaries: {read}"]
    _compare_surfaces(root, seen)
    log = _text(root.log)
    seen.late_ms, seen.lost = records.late_turns(log), records.lost_wake_ups(log)


def _compare_surfaces(root: Root, seen: Seen) -> None:
    a_round, printed, annotated = root.round, {}, {}
    last_words = not a_round.detached and a_round.disturbance != "host killed"
    if last_words and a_round.output == "json":
        printed = surfaces.printed_exits(_text(root.folder / "stdout.txt"))
    if last_words and a_round.output == "github":
        annotated = surfaces.annotations(_text(root.folder / "stdout.txt"))
    said = root.orch_says("runs", "--json", "--all-repositories")
    listed = {one["run"]: one for one in json.loads(said.stdout)} if said and said.returncode == 0 else {}
    for run in seen.runs:
        if run.result is None or run.record is None or run.troubles:
            continue  # the judge says so
        folder = root.state / "orch/runs" / run.folder
        artifacts = root.artifacts / run.issue
        status = root.orch_says("status", run.issue, "--json")
        waited = root.orch_says("wait", run.issue, "--until", "exited")
        told = surfaces.Surfaces(
            result=json.loads(_text(folder / "result.json")),
            record=json.loads(_text(folder / "run.json")),
            events=None if a_round.disturbance == "disk full" else surfaces.events_in(folder / "events.jsonl"),
            listed=listed.get(run.folder, {}),
            status=json.loads(status.stdout) if status and status.returncode == 0 else {},
            waited=waited.returncode if waited else -1,
            artifact=json.loads(_text(artifacts / "result.json")) if (artifacts / "result.json").exists() else None,
            junit=_text(artifacts / "junit.xml") if (artifacts / "junit.xml").exists() else None,
            printed=printed.get(run.issue, []) if last_words and a_round.output == "json" else None,
            annotated=annotated.get(run.issue, []) if last_words and a_round.output == "github" else None,
        )
        if a_round.artifacts and last_words and None in (told.artifact, told.junit):
            run.differences.append("its artifacts are missing")
        run.differences += surfaces.differences(told)


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
