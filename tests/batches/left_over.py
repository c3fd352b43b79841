"""What a round left behind, by kind."""

import os
import re
import stat
import time
from pathlib import Path

import processes
from kinds import GOOD
from root import Root
from seen import Run, Seen

PATIENCE_S = 10  # the guardian of a killed host asks first, and waits for 2 s


def wait(root: Root) -> None:
    """For processes and groups to go. What a killed host left its guardian puts in order meanwhile."""
    until = time.monotonic() + PATIENCE_S
    while (_processes(root) or groups(root)) and time.monotonic() < until:
        time.sleep(0.05)


def look(root: Root, seen: Seen) -> None:
    """`seen.runs` are known."""
    half_made = _told_half_made(root)
    found = {"processes": _processes(root), "groups": groups(root), "worktrees": _worktrees(root, seen, half_made),
             "locks": [str(path) for path in (root.project / ".git").rglob("*.lock") if path.parent.name not in half_made],
             "temporary files": _temporary(root)}
    died = root.round.disturbance == "host killed"
    found["sockets"] = [] if died else _sockets(root.runtime)
    found["sessions"] = _sessions(root)
    for kind, what in found.items():
        if what:
            seen.left.setdefault(kind, []).extend(what)


def _processes(root: Root) -> list[str]:
    return [process.text for process in processes.of_round(root.token)]


def groups(root: Root) -> list[str]:
    prefix = root.round.issues[0].name.partition("x")[0] + "x"
    found = []
    for base in _group_folders():
        found += [str(path) for path in base.glob("*.orch") if f"-{prefix}" in path.name]
    return found


def clear(root: Root) -> None:
    """What was left of the machine's own is taken away once it has been told."""
    processes.kill_all(root.token)
    for group in groups(root):
        for folder, _, _ in os.walk(group, topdown=False):
            try:
                os.rmdir(folder)
            except OSError:  # it is another's now, or somebody is in it
                break


def _group_folders() -> list[Path]:
    """Where orch, started by us, makes its groups."""
    own = next((line[3:] for line in Path("/proc/self/cgroup").read_text().splitlines() if line.startswith("0::")), "/")
    mounts = [line.split() for line in Path("/proc/self/mounts").read_text().splitlines()]
    return [Path(mount[1] + own) for mount in mounts if mount[2] == "cgroup2"]


def _told_half_made(root: Root) -> set[str]:
    """Worktrees that git was at when a second signal came: orch names them, for it waits for git no more."""
    said = [root.folder / "stderr.txt", *(root.state / "orch/runs").glob("*/host.log")]
    text = "".join(path.read_text(errors="replace") for path in said if path.exists())
    return {Path(path).name for path in re.findall(r"worktree may be half made: (\S+)", text)}


def _worktrees(root: Root, seen: Seen, half_made: set[str]) -> list[str]:
    """Worktrees and branches that are there and should not be, or the other way round."""
    folder = Path(f"{root.project}.orch")
    there = {path.name for path in folder.iterdir()} if folder.exists() else set()
    branches = {line.strip("*+ ").removeprefix("orch/") for line in root.git("branch", "--list", "orch/*").splitlines()}
    listed = {Path(line.split(" ", 1)[1]).name for line in root.git("worktree", "list", "--porcelain").splitlines()
              if line.startswith("worktree ")} - {root.project.name}
    found = [f"git knows {name}, which is not there" for name in listed - there - half_made]
    found += [f"git does not know {name}" for name in there - listed - half_made]
    runs = {run.issue: run for run in seen.runs}
    for name in (there | branches | set(runs)) - half_made:
        found += _of_issue(name, runs.get(name), name in there, name in branches, root)
    return found


def _of_issue(name: str, run: Run | None, is_there: bool, has_branch: bool, root: Root) -> list[str]:
    if run is None:
        return [f"worktree or branch of {name}, which never started"]
    if run.worktree is None:
        if root.round.disturbance in ("host killed", "disk full") or not (is_there or has_branch):
            return []
        return [f"worktree or branch of {name}, of which result.json says nothing"]
    kept = run.worktree["kept"]
    found = []
    if is_there != kept:
        found.append(f"the worktree of {name} is {'there' if is_there else 'gone'}, result.json says kept: {kept}")
    if has_branch != (kept or run.worktree["branch_kept"]):
        found.append(f"the branch of {name} is {'there' if has_branch else 'gone'}, result.json says {run.worktree}")
    # What completed and was not touched leaves.
    completed = run.result is not None and run.result[0] in GOOD
    told = root.round.disturbance == "frozen" and "frozen" in (run.worktree["why"] or "")  # nothing could be started in it
    if kept and completed and not told and not root.git("-C", run.worktree["path"], "status", "--porcelain"):
        found.append(f"the worktree of {name} was kept, though nothing is in it: {run.worktree['why']}")
    return found


def _temporary(root: Root) -> list[str]:
    """Real CLIs leave files of their own."""
    names = [path.name for path in root.temporary.iterdir()]
    return [name for name in names if "orch" in name] if root.round.is_real else names


def _sockets(folder: Path) -> list[str]:
    return [str(Path(base) / name) for base, _, names in os.walk(folder) for name in names
            if stat.S_ISSOCK((Path(base) / name).lstat().st_mode)]


def _sessions(root: Root) -> list[str]:
    """No session says that it runs. Those that stay listed, because they failed in the background, `orch kill` takes
    away."""
    sessions = root.state / "orch/sessions"
    names = [path.name for path in sessions.glob("*.json")] if sessions.exists() else []
    if names and root.round.disturbance != "host killed" and not root.round.detached:
        return [f"{name} is listed after the end" for name in names]
    said = root.orch_says("sessions", "--json")
    found = ["a session says that it runs"] if said is None or '"running"' in said.stdout else []
    root.orch_says("kill", "--all", "--now")
    if sessions.exists():
        found += [f"sessions/{path.name} is there after orch kill --all" for path in sessions.iterdir()]
    return found
