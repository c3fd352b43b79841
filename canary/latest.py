"""script/canary --latest: every campaign with the vendors' newest versions, and what they draw otherwise than before.
A campaign that is wrong is run once more before it counts, for a machine that is busy may spoil one."""

import argparse
import json
import os
import shutil
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

import drift
from agents import AGENTS, DEFAULT_AGENTS
from command_line import CANNOT_RUN, RIGHT, WRONG, ready
from delivery_runs import Cli
from install import RUN_VARIABLE, VERSIONS_FILE, CannotRun, newest_version, scratch_folder, tested_version
from load import LoadMeter, cores, load, slowness
from scenarios import MORE_SIZES, SIZES
from workplace import Programs

HERE = Path(__file__).resolve().parent
MOST_S = 2 * 3600  # of one campaign with one agent, on an idle machine
ANY = "any"
SLOWER = {"gemini": 2.5, "opencode": 5.0}  # measured: how much longer they take than claude and codex
LANES = 2  # campaigns side by side: an agent waits for its model most of the time


@dataclass(frozen=True)
class Campaign:
    """One program of this folder. `agents`: those that take part where they are driven; ANY: all that are driven; none:
    it chooses them itself. `by_name`: its --agent takes an agent, not a version of one. `log`: it keeps a log."""

    name: str
    program: str
    minutes: float  # with claude or codex, quick: measured on two busy cores, for the budget of an hour
    quick: tuple[str, ...] = ()
    full: tuple[str, ...] = ()
    agents: tuple[str, ...] = (ANY,)
    by_name: bool = False
    log: bool = False
    keep: bool = True  # it has --keep
    again: bool = True  # if it is wrong it is run again; False: it does so itself


def words_of(option: str, *values: str) -> tuple[str, ...]:
    """The option once for each value."""
    return tuple(word for value in values for word in (option, value))


CAMPAIGNS = (
    Campaign("statuses", "main.py", 2.2, ("--again", "--size", "turns"),
             ("--again", *words_of("--size", *SIZES, *MORE_SIZES)), again=False),
    Campaign("deliveries", "deliveries.py", 1.5, ("--runs", "13", "cold", "issues"), ("cold", "issues"), log=True),
    Campaign("sessions", "deliveries.py", 0.8, ("--runs", "1", "session", "openings"), ("session", "openings"), log=True),
    Campaign("words", "words.py", 3.8, ("--size", "80x24"), log=True),
    Campaign("completions", "completions.py", 2.0, ("--size", "80x24"), log=True),
    Campaign("verdicts", "verdicts.py", 0.8,
             words_of("--case", "success", "two turns", "tool", "tool refused", "401", "ends mid-tool", "nothing done",
                      "gate fails")),
    Campaign("limits", "limits.py", 0.5,
             words_of("--scenario", "end in 30 s", "session", "week", "extra usage spent", "5 hours", "day", "too long",
                      "wrong key", "no credit", "no model"),
             agents=("claude", "claude-plan", "codex", "gemini"), by_name=True),
    Campaign("fenced", "fenced.py", 0.6),
    Campaign("unasked", "unasked.py", 0.2),
    Campaign("dialogs", "dialogs.py", 1.2, agents=("claude", "codex")),
    Campaign("calls", "calls.py", 1.2, ("--only", "calls")),
    Campaign("unattended", "unattended.py", 0.8, ("--mode", "headless", *words_of("--task", "commit", "npm", "search"))),
    Campaign("attached", "attached.py", 1.0, keep=False),
    Campaign("continued", "continued.py", 0.3, keep=False),
    Campaign("tapes", "tapes.py", 1.2,
             ("--replays", "1", *words_of("--scenario", "two questions", "shell", "parallel", "429", "interrupt"))),
    Campaign("capped", "capped.py", 0.6, words_of("--scenario", "parallel", "subagent", "cap"),
             agents=("claude", "codex", "gemini", "opencode")),
    Campaign("mcp", "mcp_tools.py", 0.4, agents=()),
    Campaign("acp", "acp.py", 1.2, agents=("claude", "codex", "gemini"), by_name=True),
    Campaign("acp-turns", "acp_turns.py", 0.6, ("--turns", "8"), agents=("gemini", "opencode"), by_name=True),
    Campaign("acp-kills", "acp_kills.py", 1.0, ("--kills", "4", "--sessions", "3"), ("--kills", "20", "--sessions", "5"),
             agents=("claude", "codex"), by_name=True),
    Campaign("landed", "landed.py", 1.0, agents=("claude", "codex")),
    Campaign("crews", "crews.py", 1.0, ("--session-manager", "native"), agents=(), keep=False),
    Campaign("tasks", "tasks.py", 0.3, words_of("--case", "success", "too early", "worker: killed"),
             agents=("claude", "codex")),
)


def names() -> list[str]:
    return [campaign.name for campaign in CAMPAIGNS]


@dataclass(frozen=True)
class Cell:
    """A campaign with one agent; "": with those that it chooses."""

    campaign: Campaign
    agent: str

    @property
    def name(self) -> str:
        return "-".join(filter(None, (self.campaign.name, self.agent)))

    @property
    def minutes(self) -> float:
        return self.campaign.minutes * SLOWER.get(self.agent, 1)

    @property
    def log_name(self) -> str:
        return f"{self.campaign.name}.jsonl"


@dataclass
class Played:
    """How a cell ended: its exit code (None: it had to be killed), and how busy the machine was."""

    cell: Cell
    code: int | None
    folder: Path
    seconds: float
    slowness: float
    first_wrong: "Played | None" = field(default=None)

    @property
    def is_fault(self) -> bool:
        return self.code not in (RIGHT, CANNOT_RUN)

    def spoils(self, agent: str) -> bool:
        """Whether it says that something is wrong with the agent."""
        return self.is_fault and self.cell.agent.partition("-")[0] in (agent, "")

    @property
    def seconds_in_all(self) -> float:
        return self.seconds + (self.first_wrong.seconds if self.first_wrong else 0)

    @property
    def verdict(self) -> str:
        if self.code == CANNOT_RUN:
            return f"left out: {last_line(self.folder / 'stderr.txt')}"
        if self.is_fault:
            return "WRONG" if self.code is not None else f"WRONG: not done in {self.seconds:.0f} s"
        return f"right the second time, load {self.slowness:.1f} a core" if self.first_wrong else "right"


def cells_of(arguments: argparse.Namespace) -> list[Cell]:
    """The longest first, so that both lanes end together."""
    wanted = [campaign for campaign in CAMPAIGNS if not arguments.campaign or campaign.name in arguments.campaign]
    agents = arguments.agent or DEFAULT_AGENTS
    found = []
    for campaign in wanted:
        if not campaign.agents:
            found.append(Cell(campaign, ""))
        own = agents if campaign.agents == (ANY,) else campaign.agents
        found += [Cell(campaign, agent) for agent in own if agent.partition("-")[0] in agents]
    return sorted(found, key=lambda cell: -cell.minutes)


def command_of(cell: Cell, version: str, arguments: argparse.Namespace, orch: Path, folder: Path) -> list[str]:
    campaign = cell.campaign
    words = [sys.executable, "-B", str(HERE / campaign.program), "--orch", str(orch)]
    words += campaign.quick if arguments.quick else campaign.full
    if cell.agent:
        words += ["--agent", cell.agent if campaign.by_name else Cli(AGENTS[cell.agent], version).name]
    if campaign.log:
        words += ["--log", str(folder / cell.log_name)]
    return words + (["--keep"] if campaign.keep else [])


def play(
    programs: Programs, cell: Cell, versions: dict[str, str], arguments: argparse.Namespace, orch: Path, run: Path
) -> Played:
    def once(folder: Path, before: Path | None = None) -> Played:
        folder.mkdir(parents=True)
        if cell.campaign.log and before:
            keep_right(before / cell.log_name, folder / cell.log_name)
        (folder / VERSIONS_FILE).write_text(json.dumps(versions), encoding="utf-8")
        env = os.environ | {RUN_VARIABLE: str(folder)}
        command = command_of(cell, versions.get(cell.agent, ""), arguments, orch, folder)
        began = time.monotonic()
        with LoadMeter() as meter:
            code = programs.run(command, HERE, env, folder / "stdout.txt", folder / "stderr.txt",
                                MOST_S * slowness(load()))
        return Played(cell, code, folder, time.monotonic() - began, meter.slowness)

    played = once(run / cell.name)
    if played.is_fault and cell.campaign.again:
        print(f"{cell.name}: wrong at first, after {played.seconds:.0f} s; again", file=sys.stderr, flush=True)
        again = once(run / f"{cell.name}-again", played.folder)
        again.first_wrong = played
        played = again
    print(f"{cell.name}: {played.verdict}, {played.seconds:.0f} s", file=sys.stderr, flush=True)
    return played


def keep_right(log: Path, into: Path) -> None:
    """Copies the records of runs that were right, so that the campaign goes on with the others."""
    lines = log.read_text(encoding="utf-8").splitlines(keepends=True) if log.exists() else []
    records = ((line, json.loads(line)) for line in lines)
    right = [line for line, record in records if not record.get("faults") and record.get("verdict", "right") == "right"]
    into.write_text("".join(right), encoding="utf-8")


def last_line(file: Path) -> str:
    lines = file.read_text(encoding="utf-8", errors="replace").splitlines()
    return lines[-1] if lines else "it does not say why"


def run(arguments: argparse.Namespace) -> int:
    """The exit code."""
    agents = arguments.agent or DEFAULT_AGENTS
    if unknown := [agent for agent in agents if agent not in AGENTS]:
        raise CannotRun(f"--latest takes no versions: {', '.join(unknown)}")
    versions = {agent: newest_version(AGENTS[agent]) for agent in agents}
    orch, _ = ready(arguments.orch, [Cli(AGENTS[agent], version) for agent, version in versions.items()])
    drift_program = drift.find_program(orch)
    folder = scratch_folder() / "latest" / f"{time.strftime('%Y%m%dT%H%M%S', time.gmtime())}-{os.getpid()}"
    folder.mkdir(parents=True)
    began = time.monotonic()
    played = play_all(cells_of(arguments), versions, arguments, orch, folder)
    drawn = look(drift_program, versions, arguments, orch, folder)
    if arguments.update:
        drift.update(versions, drawn, [agent for agent in versions if not any(one.spoils(agent) for one in played)])
    minutes = (time.monotonic() - began) / 60
    text = table(versions, played, drawn, minutes)
    (folder / "table.md").write_text(text, encoding="utf-8")
    print(as_json(versions, played, drawn, minutes) if arguments.json else text)
    print(f"table and recordings: {folder}", *newer(versions), sep="\n", file=sys.stderr)
    if not arguments.keep:
        forget(played)
    if all(one.code == CANNOT_RUN for one in played):
        return CANNOT_RUN
    wrong = any(one.is_fault for one in played) or any(drawing.faults for drawing in drawn.values())
    return WRONG if wrong else RIGHT


def look(
    program: Path, versions: dict[str, str], arguments: argparse.Namespace, orch: Path, folder: Path
) -> dict[str, drift.Drawing]:
    """What was drawn, by agent. Tips, and rows that stand for a moment, are drawn by chance: where a literal is missing,
    the statuses are played once more."""
    whole = not arguments.campaign
    drawn = drift.look(program, folder, versions, whole)
    lacking = [agent for agent, drawing in drawn.items() if drawing.lacks_literals]
    if not lacking:
        return drawn
    again = folder / "again"
    play_all([Cell(CAMPAIGNS[0], agent) for agent in lacking], versions, arguments, orch, again)
    drawn = drift.look(program, folder, versions, whole)
    if not arguments.keep:
        shutil.rmtree(again, ignore_errors=True)
    return drawn


def newer(versions: dict[str, str]) -> list[str]:
    """A line for each version that is not the tested one."""
    tested = {agent: tested_version(AGENTS[agent]) for agent in versions}
    return [f"{agent}: this was {version}; its manifest names {tested[agent]} as tested, which --quick --update changes "
            "once all is right" for agent, version in versions.items() if version != tested[agent]]


def play_all(
    cells: list[Cell], versions: dict[str, str], arguments: argparse.Namespace, orch: Path, folder: Path
) -> list[Played]:
    """An error or an interrupt ends what is under way."""
    programs = Programs()
    with ThreadPoolExecutor(arguments.jobs or lanes()) as pool:
        futures = [pool.submit(play, programs, cell, versions, arguments, orch, folder) for cell in cells]
        try:
            return [future.result() for future in futures]
        except BaseException:
            for future in futures:
                future.cancel()
            programs.stop()
            raise


def lanes() -> int:
    """How many campaigns side by side, unless the command line says so: one where others keep the cores busy."""
    return LANES if load() < cores() else 1


def forget(played: list[Played]) -> None:
    """The folders of what was right; the recordings that were looked through have copies."""
    for one in played:
        if not one.is_fault:
            shutil.rmtree(one.folder, ignore_errors=True)


def table(versions: dict[str, str], played: list[Played], drawn: dict[str, drift.Drawing], minutes: float) -> str:
    """Markdown: part of the release notes."""
    agents = [*versions]
    rows = [["campaign", *agents, "min"]]
    for campaign in dict.fromkeys(one.cell.campaign.name for one in played):
        own = [one for one in played if one.cell.campaign.name == campaign]
        cells = ["; ".join(dict.fromkeys(one.verdict for one in own if one.cell.agent.partition("-")[0] in (agent, "")))
                 for agent in agents]
        rows.append([campaign, *(cell or "-" for cell in cells), f"{sum(one.seconds_in_all for one in own) / 60:.1f}"])
    rows.insert(1, ["---"] * len(rows[0]))
    newest = ", ".join(f"{agent} {version}" for agent, version in versions.items())
    lines = [f"The newest {newest}; {minutes:.0f} minutes on {cores()} cores", ""]
    lines += ["| " + " | ".join(row) + " |" for row in rows]
    lines += ["", "```", *(f"{one.cell.name}: {one.folder}" for one in played if one.is_fault)]
    for agent, drawing in drawn.items():
        lines += drawing.lines(agent)
    return "\n".join([*lines, "```", ""])


def as_json(versions: dict[str, str], played: list[Played], drawn: dict[str, drift.Drawing], minutes: float) -> str:
    cells = [
        {"campaign": one.cell.campaign.name, "agent": one.cell.agent or None, "verdict": one.verdict, "code": one.code,
         "seconds": round(one.seconds_in_all), "slowness": round(one.slowness, 2), "folder": str(one.folder)}
        for one in played
    ]
    drawing = {agent: one.as_json() for agent, one in drawn.items()}
    return json.dumps({"versions": versions, "minutes": round(minutes, 1), "cells": cells, "drawn": drawing}, indent=2)
