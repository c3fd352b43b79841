"""A project, a scripted model, and orch's commands in that project with one real CLI."""

import json
import subprocess
import time
from pathlib import Path

from agents import Place
from delivery_runs import Cli
from meta_script import MetaScript
from model_server import Fact, ModelServer
from runner import in_project
from script import Answer, ToolCall
from workplace import environment, make_project, state_folder

PATIENCE_S = 90


class Scene:
    """Lives from construction to close()."""

    def __init__(self, orch: Path, cli: Cli, programs: Path, folder: Path, answers: tuple[Answer, ...],
                 tools: dict[str, ToolCall] | None = None, meta: MetaScript | None = None, seen_at: str | None = None):
        """`seen_at`: where the agent has the project, in a container."""
        self.orch, self.cli, self.folder = orch, cli, folder
        self.project = make_project(folder)
        tools = {name: in_project(call, Path(seen_at or self.project)) for name, call in (tools or cli.agent.tools).items()}
        self.server = ModelServer(answers, tools, folder / "model.jsonl", meta)
        place = Place(self.project.parent, self.project, self.server.port)
        cli.agent.configure(place, "ready")
        self.env = environment(cli.agent, place, programs) | {"ORCH_STATE_DIR": str(state_folder(folder))}

    def orch_says(self, *words: str, patience_s: float = PATIENCE_S * 2) -> subprocess.CompletedProcess:
        said = subprocess.run([self.orch, *words], cwd=self.project, env=self.env, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=patience_s, check=False)
        with (self.folder / "orch.txt").open("a") as out:
            out.write(f"$ orch {words}\n{said.stdout}{said.stderr}[{said.returncode}]\n")
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

    def close(self) -> list[Fact]:
        self.orch_says("kill", "--all", "--now")
        return self.server.close()
