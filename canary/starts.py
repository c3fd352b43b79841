"""script/starts: how long after its start the real CLIs send the prompt to the model, by orch and by themselves. See
canary/README.md."""

import argparse
import os
import pty
import re
import select
import shutil
import signal
import statistics
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from agents import Place
from command_line import RIGHT, WRONG, add_agents, exit_code_of, leave, new_scratch, parser_of, ready, wanted_clis
from delivery_runs import Cli
from model_server import ModelServer
from report import aligned
from script import Say
from workplace import environment, make_project, state_folder

PROMPT = "Say in a word that you have this."
PATIENCE_S = 60
# What each CLI is given to take the prompt from its command line, without a terminal and on one.
ALONE = {
    "claude": (["claude", "-p", PROMPT], ["claude", "--permission-mode", "default", PROMPT]),
    "codex": (["codex", "exec", "--skip-git-repo-check", PROMPT], ["codex", "--no-daemon", PROMPT]),
    "gemini": (["gemini", "-p", PROMPT], ["gemini", "-i", PROMPT]),
}
# What orch run may take on a terminal: so many times the CLI's own headless start, or its own start on a terminal,
# whichever is longer; and without one, so many times the CLI's own headless start.
OF_HEADLESS, OF_ARGUMENT, HEADLESS_OF_HEADLESS = 1.6, 1.1, 1.15
# Those with a policy have their calls checked, which is told and not judged.
FORMS = ("own headless", "own terminal", "orch terminal", "orch headless", "terminal, policy", "headless, policy")
# What a terminal answers to the queries of these programs' starts.
REPLIES = (
    (re.compile(rb"\x1b\[c"), b"\x1b[?62;22c"),
    (re.compile(rb"\x1b\[>0?q"), b"\x1bP>|xterm(390)\x1b\\"),
    (re.compile(rb"\x1b\[6n"), b"\x1b[1;1R"),
    (re.compile(rb"\x1b\[\?2026\$p"), b"\x1b[?2026;2$y"),
    (re.compile(rb"\x1b\]10;\?"), b"\x1b]10;rgb:d0d0/d0d0/d0d0\x1b\\"),
    (re.compile(rb"\x1b\]11;\?"), b"\x1b]11;rgb:0000/0000/0000\x1b\\"),
)


@dataclass(frozen=True)
class Start:
    cli: str
    form: str
    seconds: float | None  # from the process's start to the model's first request; None: none came


def parse_arguments() -> argparse.Namespace:
    parser = parser_of(
        "starts",
        "Starts the real agent CLIs with a prompt, by themselves and by orch run, and measures how long it takes "
        "until the model is asked. The forms take turns.",
        right="on a terminal, orch run takes at most "
        f"{OF_HEADLESS} times the CLI's own headless start, or {OF_ARGUMENT} times its own start on a terminal with "
        f"the prompt as an argument, and without one {HEADLESS_OF_HEADLESS} times the CLI's own headless start",
    )
    add_agents(parser)
    parser.add_argument("--runs", type=int, default=10, metavar="N", help="of each form; default: 10")
    parser.add_argument("--form", action="append", choices=FORMS, help="default: all")
    parser.add_argument("--keep", action="store_true", help="keep the folders of the runs")
    return parser.parse_args()


def words_of(cli: Cli, form: str, orch: Path, folder: Path) -> list[str]:
    headless, terminal = ALONE[cli.agent.name]
    if form == "own headless":
        return headless
    if form == "own terminal":
        return terminal
    words = [str(orch), "run", "1", "--agent", cli.agent.name, "--prompt", PROMPT, "--until", "idle"]
    mode = ["--mode", "headless"] if "headless" in form else []
    policy = ["--approve", "all"] if "policy" in form else []
    return [*words, *mode, *policy, "--state-dir", str(state_folder(folder))]


def answer(ours: int, drawn: bytes) -> None:
    for query, reply in REPLIES:
        if query.search(drawn):
            os.write(ours, reply)


def start_on_terminal(words: list[str], project: Path, env: dict[str, str], model: ModelServer) -> bool:
    """Whether the model was asked."""
    pid, ours = pty.fork()
    if pid == 0:
        os.chdir(project)
        os.execvpe(words[0], words, env | {"TERM": "xterm-256color", "COLORTERM": "truecolor"})
    end = time.monotonic() + PATIENCE_S
    asked = False
    while not asked and time.monotonic() < end:
        if select.select([ours], [], [], 0.02)[0]:
            try:
                answer(ours, os.read(ours, 65536))
            except OSError:
                break
        asked = model.wait_for_request(0)
    os.killpg(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    os.close(ours)
    return asked


def start_without(words: list[str], project: Path, env: dict[str, str], model: ModelServer, own: bool) -> bool:
    process = subprocess.Popen(
        words, cwd=project, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    asked = model.wait_for_request(PATIENCE_S)
    if own or not asked:
        os.killpg(process.pid, signal.SIGKILL)
    try:
        process.wait(PATIENCE_S)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    return asked


def measure(cli: Cli, form: str, orch: Path, programs: Path, folder: Path) -> Start:
    project = make_project(folder)
    model = ModelServer(((Say("ok"),),), cli.agent.tools, folder / "model.jsonl")
    place = Place(project.parent, project, model.port)
    cli.agent.configure(place, "ready")
    env = environment(cli.agent, place, programs)
    words = words_of(cli, form, orch, folder)
    began = time.time()
    if form == "own terminal":
        asked = start_on_terminal([shutil.which(words[0], path=env["PATH"]) or words[0], *words[1:]], project, env, model)
    else:
        asked = start_without(words, project, env, model, form.startswith("own"))
    facts = [fact.time for fact in model.close() if fact.kind == "arrived"]
    return Start(cli.name, form, facts[0] - began if asked and facts else None)


def median(starts: list[Start], cli: str, form: str) -> float | None:
    times = [s.seconds for s in starts if (s.cli, s.form) == (cli, form)]
    known = [t for t in times if t is not None]
    return statistics.median(known) if known and len(known) == len(times) else None


def bounds(own_headless: float | None, own_terminal: float | None) -> dict[str, float]:
    """How long orch may take, by the form."""
    limits = [factor * own for factor, own in ((OF_HEADLESS, own_headless), (OF_ARGUMENT, own_terminal)) if own]
    may_take = {"orch terminal": max(limits)} if limits else {}
    return may_take | ({"orch headless": HEADLESS_OF_HEADLESS * own_headless} if own_headless else {})


def conclude(starts: list[Start], clis: list[Cli]) -> int:
    rows = [["seconds, medians", *FORMS, "may take", "right"]]
    all_right = True
    for cli in clis:
        medians = {form: median(starts, cli.name, form) for form in FORMS}
        limits = bounds(medians["own headless"], medians["own terminal"])
        right = all((medians[form] or 0) <= limit for form, limit in limits.items())
        missing = any(s.seconds is None for s in starts if s.cli == cli.name)
        all_right = all_right and right and not missing
        cells = [f"{m:.2f}" if m is not None else "-" for m in medians.values()]
        rows.append([cli.name, *cells, ", ".join(f"{limit:.2f}" for limit in limits.values()), "no request" if missing else "yes" if right else "no"])
    print(aligned(rows))
    return RIGHT if all_right else WRONG


def main() -> int:
    arguments = parse_arguments()
    clis = [cli for cli in wanted_clis(arguments) if cli.agent.name in ALONE]
    orch, programs_of = ready(arguments.orch, clis)
    scratch = new_scratch("starts")
    starts = []
    for number in range(arguments.runs):
        for cli in clis:
            for form in arguments.form or FORMS:
                folder = scratch / f"{cli.name}-{form.replace(' ', '-')}-{number}"
                start = measure(cli, form, orch, programs_of[cli.name], folder)
                starts.append(start)
                told = f"{start.seconds:.2f} s" if start.seconds is not None else "no request"
                print(f"{cli.name:16} {form:14} {told}", file=sys.stderr, flush=True)
                if start.seconds is not None:
                    leave(folder, arguments.keep)
    leave(scratch, arguments.keep or any(start.seconds is None for start in starts))
    return conclude(starts, clis)


if __name__ == "__main__":
    sys.exit(exit_code_of("starts", main))
