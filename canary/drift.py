"""What the agents drew in a run of all campaigns, held against their manifests and against what was drawn before
(drawn.json). The work is done by bench/accuracy's program `drift`, which replays the recordings."""

import json
import os
import re
import shutil
import subprocess
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from install import REPOSITORY, CannotRun
from scenarios import SCENARIOS
from told import tokens

KNOWN = REPOSITORY / "canary/drawn.json"
MANIFESTS = REPOSITORY / "src/adapters/manifests"
BUILD_TIMEOUT_S = 1800
UNDRAWN = "not drawn: "  # how a fault of a literal begins
MOST_ROWS = 20  # of each agent, that are printed
LONGEST_ROW = 160  # characters; a longer one is prose
# In these the model or the user writes what looks like the interface, so that it would count as drawn.
NOT_LOOKED_AT = ("deliveries", "sessions", "completions", "fenced", "tasks", "crews", "mcp")
IMITATING = tuple(f"-{scenario.name}-" for scenario in SCENARIOS if scenario.imitates) + ("/mixed-",)


@dataclass
class Drawing:
    """What one agent drew. `faults` are what the program `drift` says, one line each."""

    recordings: int = 0
    literals: dict[str, bool] = field(default_factory=dict)  # whether it was drawn
    faults: list[str] = field(default_factory=list)
    unknown: int = 0  # dialogs and screens that are among the faults
    rows: list[str] = field(default_factory=list)  # that match nothing and are nobody else's words
    new_rows: list[str] = field(default_factory=list)
    found_again: list[str] = field(default_factory=list)  # literals that are listed as not drawn

    @property
    def lacks_literals(self) -> bool:
        """Whether one is a fault."""
        return any(fault.startswith(UNDRAWN) for fault in self.faults)

    @property
    def undrawn(self) -> list[str]:
        return [literal for literal, drawn in self.literals.items() if not drawn]

    def lines(self, agent: str) -> list[str]:
        drawn = len(self.literals) - len(self.undrawn)
        found = [f"{agent}: {drawn} of {len(self.literals)} literals of its manifest drawn, in {self.recordings} recordings"]
        found += [f"  {fault}" for fault in self.faults]
        found += [f"  drawn again: {literal}" for literal in self.found_again]
        found += [f"  new row: {row}" for row in self.new_rows[:MOST_ROWS]]
        more = len(self.new_rows) - MOST_ROWS
        return found + ([f"  and {more} more new rows"] if more > 0 else [])

    def as_json(self) -> dict:
        return {"recordings": self.recordings, "literals": len(self.literals), "undrawn": self.undrawn,
                "faults": self.faults, "drawn_again": self.found_again, "new_rows": self.new_rows}


def find_program(orch: Path) -> Path:
    """The program `drift`: beside orch, else of another build of this work tree. It is built anew where it can be, so
    that it is that of today. Raises CannotRun."""
    builds = [orch.parent.parent, *sorted(REPOSITORY.glob("build/*"), key=lambda path: path.stat().st_mtime, reverse=True)]
    for build in builds:
        program = build / "bin/drift"
        if builds_drift(build):
            subprocess.run(["cmake", "--build", str(build), "--target", "drift"], stdin=subprocess.DEVNULL,
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=BUILD_TIMEOUT_S, check=False)
        if program.exists():
            return program
    raise CannotRun("drift is not built: cmake --preset release && cmake --build --preset release --target drift")


def builds_drift(build: Path) -> bool:
    """Whether it is a build of this work tree, with the benches."""
    cache = build / "CMakeCache.txt"
    lines = cache.read_text(encoding="utf-8").splitlines() if cache.exists() else []
    return f"CMAKE_HOME_DIRECTORY:INTERNAL={REPOSITORY}" in lines and "ORCH_BENCH:BOOL=ON" in lines


def recordings_in(folder: Path, versions: dict[str, str]) -> list[tuple[str, Path]]:
    """The agent and the path of each recording below that may be looked through."""
    found = []
    for parent, names, files in os.walk(folder):
        names[:] = sorted(name for name in names if name not in ("home", "node_modules", "drawn"))
        if "output.cast" not in files:
            continue
        path = Path(parent) / "output.cast"
        campaign = path.relative_to(folder).parts[0].partition("-")[0]
        if campaign in NOT_LOOKED_AT or any(name in f"{path}" for name in IMITATING):
            continue
        with path.open(encoding="utf-8") as file:
            file.readline()
            if is_headless(file):
                continue
        # The recording's head has no version where the agent was not known yet when it began; on a busy machine an
        # agent may say its version only after the run. Runs of another version have that in their name.
        record = json.loads((path.parent / "run.json").read_text(encoding="utf-8"))
        version = record.get("agent_version") or (None if "@" in f"{path.relative_to(folder)}" else versions.get(record["agent"]))
        if version and versions.get(record["agent"]) == version:
            found.append((record["agent"], path))
    return found


def is_headless(events: Iterable[str]) -> bool:
    """Whether the agent wrote JSON in place of drawing."""
    first = next((event[2] for event in map(json.loads, events) if event[1] == "o"), "")
    return first.startswith("{")


def gather(folder: Path, versions: dict[str, str]) -> dict[str, set[str]]:
    """Copies the recordings to FOLDER/drawn/AGENT; returns the words of others in them, by agent."""
    others: dict[str, set[str]] = {agent: set() for agent in versions}
    for agent, path in recordings_in(folder, versions):
        run = next(parent for parent in path.parents if parent.name == "state").parent
        name = ".".join((*run.relative_to(folder).parts, path.parent.name[-4:]))
        target = folder / "drawn" / agent / f"{name.replace('@', '-')}.cast"
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, target)
        others[agent] |= words_of_others(run)
    return others


def words_of_others(run: Path) -> set[str]:
    """What the model, the user and the tools said in a run, from the facts of the model's server."""
    file = run / "model.jsonl"
    words: set[str] = set()
    for line in file.read_text(encoding="utf-8").splitlines() if file.exists() else []:
        fact = json.loads(line)
        for text in (fact["text"], *fact["texts"], *fact["results"]):
            words.update(tokens(text))
    pieces = [json.loads(line)["text"] for line in file.read_text(encoding="utf-8").splitlines()] if file.exists() else []
    words.update(tokens("".join(pieces)))
    return words


def read_known() -> dict[str, dict]:
    return json.loads(KNOWN.read_text(encoding="utf-8")) if KNOWN.exists() else {}


def look(program: Path, folder: Path, versions: dict[str, str], whole: bool) -> dict[str, Drawing]:
    """By agent. Where only some campaigns ran (not `whole`), what they did not draw is no fault."""
    others = gather(folder, versions)
    drawn = folder / "drawn"
    if not drawn.exists():
        return {}
    known = read_known()
    manifests = [word for agent in versions for word in ("--manifest", str(MANIFESTS / f"{agent}.json"))]
    command = [str(program), str(drawn), "--json", "--known", str(KNOWN), *manifests]
    before = REPOSITORY / "tests/recordings"
    if before.exists():
        command += ["--before", str(before), *(word for agent in versions for word in ("--agent", agent))]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1):
        raise CannotRun(done.stderr.strip() or f"{program} ended with {done.returncode}")
    return {agent: drawing_of(told, known.get(agent, {}), others[agent], whole)
            for agent, told in json.loads(done.stdout).items()}


def drawing_of(told: dict, known: dict, others: set[str], whole: bool) -> Drawing:
    literals = {literal: moment is not None for literal, moment in told["literals"].items()}
    rows = sorted({shown for shown in map(without_paths, told["rows"]) if is_own(shown, others)})
    return Drawing(
        recordings=told["recordings"],
        literals=literals,
        faults=[fault for fault in told["faults"] if whole or not fault.startswith(UNDRAWN)],
        unknown=sum(not fault.startswith(UNDRAWN) for fault in told["faults"]),
        rows=rows,
        new_rows=[row for row in rows if row not in known.get("rows", ())],
        found_again=[literal for literal in known.get("undrawn", ()) if literals.get(literal)],
    )


def without_paths(row: str) -> str:
    return re.sub(r"[~/]\S*/\S*", "/PATH", row.rstrip())


def is_own(row: str, others: set[str]) -> bool:
    """Whether the agent itself wrote the row: it holds a word that nobody else said."""
    words = [word for word in tokens(row) if "/PATH" not in word and any(letter.isalpha() for letter in word)]
    return 0 < len(row) <= LONGEST_ROW and any(word not in others for word in words)


def update(versions: dict[str, str], drawn: dict[str, Drawing], sure: list[str]) -> None:
    """Notes what was drawn as what is known from now on, and the version as tested of those agents (`sure`) with which
    every campaign was right. Dialogs and screens that no manifest knows stay faults. A literal that is known as undrawn
    stays so: it may be drawn by chance."""
    known = read_known()
    for agent, drawing in drawn.items():
        own = known.setdefault(agent, {})  # what a person has listed in "dialogs" stays
        undrawn = {*drawing.undrawn, *(literal for literal in own.get("undrawn", ()) if literal in drawing.literals)}
        own |= {"version": versions[agent], "undrawn": sorted(undrawn), "rows": drawing.rows}
        drawing.faults = [fault for fault in drawing.faults if not fault.startswith(UNDRAWN)]
        drawing.new_rows = []
        if agent in sure and not drawing.unknown:
            set_tested(agent, versions[agent])
    KNOWN.write_text(json.dumps(known, indent=1, ensure_ascii=False, sort_keys=True) + "\n", encoding="utf-8")


def set_tested(agent: str, version: str) -> None:
    """In its manifest, and on its page of the documentation where that names the version before."""
    manifest = MANIFESTS / f"{agent}.json"
    text = manifest.read_text(encoding="utf-8")
    before = json.loads(text)["tested"]
    manifest.write_text(text.replace(f'"tested": "{before}"', f'"tested": "{version}"'), encoding="utf-8")
    page = REPOSITORY / f"docs/agents/{agent}.md"
    if page.exists():
        page.write_text(page.read_text(encoding="utf-8").replace(before, version, 1), encoding="utf-8")
