"""Batches of the real CLIs from npm, against a scripted model: canary/README.md."""

import subprocess
import sys
import threading
from pathlib import Path

from kinds import DISTURBANCES, Behaviour
from plan import Round, Wishes
from root import HERE, Root

sys.path.append(str(HERE.parent.parent / "canary"))
from agents import AGENTS, Agent, Place  # noqa: E402
from install import CannotRun, check_tools, install, tested_version  # noqa: E402
from model_server import ModelServer  # noqa: E402
from runner import in_project  # noqa: E402
from script import Answer, Pause, Say, Use  # noqa: E402
from workplace import environment  # noqa: E402

__all__ = ["CannotRun", "Real"]

DONE = Say("All is done.\n\nLOOP_COMPLETE\n")
ANSWERS: dict[str, tuple[Answer, ...]] = {  # an issue's first ones; from then on all is done
    "says that it is done": (),
    "thinks for a while": ((Pause(2), DONE),),
    "makes a file": ((Say("I make it."), Use("shell")),),
    "stops halfway": ((Say("The first half is done."),),),
}
SECONDS = {"opencode": 30}  # one issue, some beside it on two cores
DEFAULT_SECONDS = 15
# Several that begin at once in a new home fail in making their database there.
FIRST_ALONE = {"opencode": ("session", "list")}
FIRST_S = 60


class Model:
    """Answers each issue by its own script: every prompt begins with its issue's name."""

    def __init__(self, a_round: Round):
        self._left = {issue.name: list(ANSWERS[issue.behaviour.name]) for issue in a_round.issues}
        self._lock = threading.Lock()

    def answer_to(self, texts: list[str]) -> Answer:
        said = "\n".join(texts)
        with self._lock:
            # Longest first: b12x1 is the beginning of b12x10.
            for name in sorted(self._left, key=len, reverse=True):
                if f"issue {name}" in said:
                    return self._left[name].pop(0) if self._left[name] else (DONE,)
        return (DONE,)


class RealRoot(Root):
    def __init__(self, a_round: Round, orch: Path, agent: Agent, programs: Path):
        super().__init__(a_round, orch)
        self.write_prompts({issue.name: f"Work on issue {issue.name}: do what is to be done.\n" for issue in a_round.issues})
        tools = agent.tools
        if a_round.headless:  # codex cannot ask for more than its sandbox allows there
            tools = tools | {"shell": tools.get("shell unasked", tools["shell"])}
        tools = {name: in_project(call, self.project) for name, call in tools.items()}
        self._server = ModelServer((), tools, self.folder / "model.jsonl", choose=Model(a_round).answer_to)
        place = Place(self.home, self.project, self._server.port)
        agent.configure(place, "ready")
        self.env = self.env | environment(agent, place, programs)
        if agent.name in FIRST_ALONE:
            subprocess.run([str(programs / agent.name), *FIRST_ALONE[agent.name]], cwd=self.project, env=self.env,
                           stdin=subprocess.DEVNULL, capture_output=True, timeout=FIRST_S, check=False)

    def remove(self, keep: bool) -> None:
        self._server.close()
        super().remove(keep)


class Real:
    """The CLIs, installed."""

    def __init__(self, names: list[str]):
        unknown = [name for name in names if name not in AGENTS]
        if unknown:
            raise CannotRun(f"no CLI {', '.join(unknown)}; there are {', '.join(AGENTS)}")
        check_tools()
        self._programs = {name: install(AGENTS[name], tested_version(AGENTS[name])) for name in names}

    def wishes(self, issues: int | None, only: tuple[str, ...]) -> Wishes:
        behaviours = {
            name: tuple(Behaviour(name, answers, "", "complete", SECONDS.get(name, DEFAULT_SECONDS)) for answers in ANSWERS)
            for name in self._programs}
        # Undisturbed, unless --only asks for something else.
        disturbances = tuple(name for name in only if name in DISTURBANCES) or ("calm",)
        return Wishes(tuple(self._programs), disturbances, behaviours, issues, only=only)

    def root(self, a_round: Round, orch: Path) -> RealRoot:
        return RealRoot(a_round, orch, AGENTS[a_round.family], self._programs[a_round.family])
