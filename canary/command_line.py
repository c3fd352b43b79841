"""What the command lines of the canary's programs share: the words that they all take, what has to be there before
anything runs, their folder, and how they exit."""

import argparse
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path

from agents import AGENTS
from delivery_runs import Cli
from install import CannotRun, check_tools, driven_version, find_orch, install, run_folder
from more_agents import ALL_AGENTS

RIGHT, WRONG, CANNOT_RUN, INTERRUPTED = 0, 1, 2, 130


def all_clis() -> list[Cli]:
    return [
        Cli(agent, version)
        for agent in ALL_AGENTS.values() for version in dict.fromkeys((driven_version(agent), *agent.also))
    ]


def parser_of(name: str, description: str, right: str = "all was right", wrong: str = "not so") -> argparse.ArgumentParser:
    """Of script/NAME, with --orch."""
    parser = argparse.ArgumentParser(prog=f"script/{name}", description=description,
                                     epilog=f"exit: 0 {right} · 1 {wrong} · 2 it cannot run here")
    parser.add_argument("--orch", type=Path, metavar="PATH", help="the binary; default: the newest under build/")
    return parser


def add_agents(parser: argparse.ArgumentParser, by_default: str = "all") -> None:
    parser.add_argument("--agent", action="append", choices=[cli.name for cli in all_clis()], help=f"default: {by_default}")


def wanted_clis(arguments: argparse.Namespace) -> list[Cli]:
    """Those of --agent; all of agents.py where it is not given."""
    chosen = arguments.agent or [cli.name for cli in all_clis() if cli.agent.name in AGENTS]
    return [cli for cli in all_clis() if cli.name in chosen]


def ready(orch: Path | None, clis: Iterable[Cli]) -> tuple[Path, dict[str, Path]]:
    """orch, and the folder of programs of each CLI, by its name: built, installed. Raises CannotRun."""
    try:
        check_tools()
        return find_orch(orch), {cli.name: install(cli.agent, cli.version) for cli in clis}
    except OSError as error:
        raise CannotRun(str(error)) from error


def exit_code_of(name: str, main: Callable[[], int]) -> int:
    """That of `main`; where it cannot run here, one line says why."""
    try:
        return main()
    except CannotRun as error:
        print(f"{name}: cannot run here: {error}", file=sys.stderr)
        return CANNOT_RUN


def new_scratch(name: str) -> Path:
    parent = run_folder() or Path.home() / ".cache"
    return Path(tempfile.mkdtemp(prefix=f"{name}-", dir=parent))


def leave(scratch: Path, keep: bool) -> None:
    """In a run of all campaigns everything is kept: its recordings are looked through at the end."""
    if keep or run_folder():
        print(f"kept in {scratch}", file=sys.stderr)
    else:
        shutil.rmtree(scratch, ignore_errors=True)
