"""script/continued: going on with a run whose orch was killed in the middle of it. See canary/README.md."""

import argparse
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from agents import Place
from deliveries import CANNOT_RUN, RIGHT, WRONG, all_clis
from delivery_runs import Cli
from install import CannotRun, check_tools, find_orch, install
from model_server import ModelServer
from report import aligned
from script import Say
from workplace import environment, make_project, state_folder

PATIENCE_S = 90
ISSUE = "continued"
FIRST, SECOND, THIRD = "Remember the word PLUM.", "Which word was it?", "And how many letters has it?"
ANSWERS = (
    (Say("I keep it in mind."),),  # without the keyword: orch asks the agent to go on
    (Say("Now I work for long. " * 20, rest_at=60, rest_s=PATIENCE_S),),  # orch is killed meanwhile
    (Say("It was PLUM.\n\nLOOP_COMPLETE\n"),),
    # The screen shows the keyword of before, and this answer takes its time.
    (Say("I count: P, L, U, M. " * 4 + "\n\nFour.\n\nLOOP_COMPLETE\n", rest_at=20, rest_s=6),),
)


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="script/continued",
        description="Kills orch (SIGKILL) while each real agent CLI is at work. The run must be listed as failed, and "
        "orch continue must go on in a new run with all that was said, which the model server sees; twice, for the "
        "words of before that stand on the screen anew may not complete a run.",
        epilog="exit: 0 all was right · 1 not so · 2 it cannot run here",
    )
    parser.add_argument("--agent", action="append", choices=[cli.name for cli in all_clis()], help="default: all")
    parser.add_argument("--orch", type=Path, metavar="PATH", help="the binary; default: the newest under build/")
    return parser.parse_args()


class Scene:
    """A project, a scripted model and orch's runs in it."""

    def __init__(self, orch: Path, cli: Cli, programs: Path, folder: Path):
        self.orch, self.cli, self.folder = orch, cli, folder
        self.project = make_project(folder)
        self.checks: dict[str, bool] = {}
        self.server = ModelServer(ANSWERS, {}, folder / "model.jsonl")
        place = Place(self.project.parent, self.project, self.server.port)
        cli.agent.configure(place, "ready")
        self.env = environment(cli.agent, place, programs) | {"ORCH_STATE_DIR": str(state_folder(folder))}

    def orch_says(self, *words: str) -> subprocess.CompletedProcess:
        said = subprocess.run([self.orch, *words], cwd=self.project, env=self.env, capture_output=True, text=True,
                              timeout=PATIENCE_S * 2, check=False)
        (self.folder / "orch.txt").open("a").write(f"$ orch {words}\n{said.stdout}{said.stderr}[{said.returncode}]\n")
        return said

    def facts(self, kind: str) -> list[dict]:
        file = self.folder / "model.jsonl"
        lines = file.read_text(encoding="utf-8").splitlines() if file.exists() else []
        return [fact for fact in map(json.loads, lines) if fact["kind"] == kind]

    def wait_for(self, holds) -> bool:
        until = time.monotonic() + PATIENCE_S
        while time.monotonic() < until:
            if holds():
                return True
            time.sleep(0.2)
        return False

    def newest(self) -> dict:
        runs = json.loads(self.orch_says("runs", "--json").stdout or "[]")
        return runs[0] if runs else {}

    def has_heard(self, request: int, *texts: str) -> bool:
        """The model got all of these as words of the user in one request."""
        asked = [fact for fact in self.facts("arrived") if fact["request"] == request]
        heard = "\n".join("\n".join(fact["texts"]) for fact in asked)
        return all(text in heard for text in texts)

    def play(self) -> dict[str, bool]:
        checks = self.checks
        started = self.orch_says("run", ISSUE, "-d", "--agent", self.cli.agent.name, "--prompt", FIRST)
        at_work = self.wait_for(lambda: any(fact["request"] == 1 for fact in self.facts("said")))
        if started.returncode != 0 or not at_work:
            return checks | {"at work": False}
        checks["own session known"] = self.wait_for(lambda: bool(self.newest()["agent_session"]))
        killed = self.newest()
        status = json.loads(self.orch_says("status", ISSUE, "--json").stdout)
        os.kill(status["pid"], signal.SIGKILL)
        checks["failed"] = self.newest()["status"] == "failed"
        self.wait_for(lambda: self.newest()["ended"])  # its guardian has ended the agent

        again = self.orch_says("continue", killed["id"], SECOND, "--output", "json")
        run = self.newest()
        checks["continued"] = again.returncode == 0 and self.has_heard(2, FIRST, SECOND)
        checks["parent"] = run["parent"] == killed["id"] and run["status"] == "completed"
        checks["same session"] = run["agent_session"] == killed["agent_session"]

        third = self.orch_says("continue", ISSUE, THIRD, "--output", "json")
        answered = [fact["request"] for fact in self.facts("answered")]
        checks["not by old words"] = third.returncode == 0 and 3 in answered
        checks["all remembered"] = self.has_heard(3, FIRST, SECOND, THIRD)
        return checks

    def close(self) -> None:
        self.orch_says("kill", "--all", "--now")
        self.server.close()


def main() -> int:
    arguments = parse_arguments()
    clis = [cli for cli in all_clis() if not arguments.agent or cli.name in arguments.agent]
    try:
        check_tools()
        orch = find_orch(arguments.orch)
        programs = {cli.name: install(cli.agent, cli.version) for cli in clis}
    except (CannotRun, OSError) as error:
        print(f"continued: cannot run here: {error}", file=sys.stderr)
        return CANNOT_RUN
    scratch = Path(tempfile.mkdtemp(prefix="continued-", dir=Path.home() / ".cache"))
    rows, all_right = [["agent", "right", "wrong"]], True
    for cli in clis:
        scene = Scene(orch, cli, programs[cli.name], scratch / cli.name)
        try:
            checks = scene.play()
        finally:
            scene.close()
        wrong = [name for name, right in checks.items() if not right]
        rows.append([cli.name, ", ".join(name for name, right in checks.items() if right), ", ".join(wrong)])
        all_right = all_right and not wrong
    print(aligned(rows))
    if all_right:
        shutil.rmtree(scratch, ignore_errors=True)
    else:
        print(f"kept in {scratch}", file=sys.stderr)
    return RIGHT if all_right else WRONG


if __name__ == "__main__":
    sys.exit(main())
