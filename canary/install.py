"""What is driven: orch as it was built, and the CLIs from npm or PyPI, each version in a folder of its own, kept for
the next time."""

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

from agents import Agent

REPOSITORY = Path(__file__).resolve().parent.parent
INSTALL_TIMEOUT_S = 900
QUERY_TIMEOUT_S = 60
# A run of all campaigns tells its parts its folder by this variable; the file in it has the versions, by agent.
RUN_VARIABLE, VERSIONS_FILE = "ORCH_CANARY_RUN", "versions.json"


class CannotRun(Exception):
    """The canary cannot run on this machine; the text is one line that says why."""


def check_tools() -> None:
    for tool in ("node", "npm", "git"):
        if shutil.which(tool) is None:
            raise CannotRun(f"{tool} is not installed")


def find_orch(given: Path | None) -> Path:
    built = sorted(REPOSITORY.glob("build/*/bin/orch"), key=lambda path: path.stat().st_mtime)
    orch = given or (built[-1] if built else None)
    if orch is None:
        raise CannotRun("orch is not built: cmake --preset release && cmake --build --preset release --target orch")
    if not os.access(orch, os.X_OK) or not orch.is_file():
        raise CannotRun(f"{orch} is not a program")
    return orch.resolve()


def scratch_folder() -> Path:
    cache = os.environ.get("XDG_CACHE_HOME", "")
    return (Path(cache) if os.path.isabs(cache) else Path.home() / ".cache") / "orch-canary"


def tested_version(agent: Agent) -> str:
    return manifest_of(agent)["tested"]


def run_folder() -> Path | None:
    """The folder of the run of all campaigns that this process is a part of (latest.py); None: of none."""
    given = os.environ.get(RUN_VARIABLE)
    return Path(given) if given else None


def driven_version(agent: Agent) -> str:
    """The version that a campaign drives when its command line names none: the newest in a run of all campaigns,
    else the tested one."""
    folder = run_folder()
    versions = json.loads((folder / VERSIONS_FILE).read_text(encoding="utf-8")) if folder else {}
    return versions.get(agent.name) or tested_version(agent)


def manifest_of(agent: Agent) -> dict:
    manifest = REPOSITORY / "src/adapters/manifests" / f"{agent.name}.json"
    return json.loads(manifest.read_text(encoding="utf-8"))


def newest_version(agent: Agent) -> str:
    if agent.python:
        listed = _run([_python(agent), "-m", "pip", "index", "versions", agent.package], QUERY_TIMEOUT_S)
        version = listed.partition("(")[2].partition(")")[0]
    else:
        version = _run(["npm", "view", agent.package, "version"], QUERY_TIMEOUT_S).strip()
    if not re.fullmatch(r"[0-9A-Za-z.+-]+", version):
        raise CannotRun(f"the newest version of {agent.package} is not known")
    return version


def install(agent: Agent, version: str) -> Path:
    """The folder that holds the CLI's program."""
    folder = scratch_folder() / ("pypi" if agent.python else "npm") / f"{agent.name}-{version}"
    programs = folder / ("bin" if agent.python else "node_modules/.bin")
    complete = folder / "installed"  # written last: a broken installation is not taken for a whole one
    if not complete.exists():
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        (_from_pypi if agent.python else _from_npm)(agent, version, folder)
        if not (programs / (agent.program or agent.name)).exists():
            raise CannotRun(f"{agent.package} {version} brings no program {agent.program or agent.name}")
        complete.touch()
    return programs


def _from_npm(agent: Agent, version: str, folder: Path) -> None:
    (folder / "package.json").write_text('{"private": true}\n', encoding="utf-8")
    packages = (f"{agent.package}@{version}", *agent.beside)
    _run(["npm", "install", "--no-audit", "--no-fund", "--prefix", str(folder), *packages], INSTALL_TIMEOUT_S)


def _from_pypi(agent: Agent, version: str, folder: Path) -> None:
    _run([_python(agent), "-m", "venv", str(folder)], INSTALL_TIMEOUT_S)
    pip = [str(folder / "bin/python"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    _run([*pip, f"{agent.package}=={version}", *agent.beside], INSTALL_TIMEOUT_S)


def _python(agent: Agent) -> str:
    found = shutil.which(agent.python)
    if found is None:
        raise CannotRun(f"{agent.python} is not installed, which {agent.name} needs")
    return found


def _run(command: list[str], timeout_s: int) -> str:
    name = f"{Path(command[0]).name} {' '.join(command[1:3])}"
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=timeout_s, stdin=subprocess.DEVNULL)
    except subprocess.TimeoutExpired:
        raise CannotRun(f"{name} took longer than {timeout_s} s; is there a network?") from None
    if done.returncode != 0:
        errors = [line for line in done.stderr.splitlines() if re.match(r"(npm error|ERROR)\b", line)]
        raise CannotRun(f"{name} failed: {errors[0] if errors else done.returncode}")
    return done.stdout
