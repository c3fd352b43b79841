"""script/landed: from an issue to a green pull request, with real agents, the real gh and git, and a scripted forge. See
canary/README.md."""

import argparse
import json
import os
import shutil
import subprocess
import sys
import threading
import time
from pathlib import Path

from agents import shell_call
from checks import Checks, conclude
from command_line import add_agents, exit_code_of, new_scratch, parser_of, ready, wanted_clis
from delivery_runs import Cli
from install import CannotRun, newest_version
from recorded_shell import Shell
from scene import Scene
from script import Pause, Say, Use

FORGE = Path(__file__).resolve().parents[1] / "script/forge"
DONE = Say("It is done.\n\nLOOP_COMPLETE\n")
# The work, then what the red check and the review ask for.
ANSWERS = ((Use("shell"),), (DONE,), (Use("again"),), (DONE,))
GATE = "test -s fix.txt"
FILM_MAKER = FORGE.with_name("film")
FILM_ANSWERS = (
    (Pause(1), Say("The total is wrong on Tuesdays. I write the fix."), Pause(1), Use("shell")),
    (Say("Fixed: the total is right on each day of the week.\n\nLOOP_COMPLETE\n"),),
    (Pause(1), Say("The check is red, and the review asks for one more line. I add it."), Pause(1), Use("again")),
    (Say("Both are done.\n\nLOOP_COMPLETE\n"),),
)
FILM_COMMANDS = (f'orch run 42 --verify "{GATE}" --approve all', "orch land 42", "orch feedback 42 --wait 2h --every 1s --continue")


def parse_arguments() -> argparse.Namespace:
    parser = parser_of("landed", "orch run 42, orch land 42, a red check and a review, orch feedback 42 --continue, green.")
    add_agents(parser, by_default="claude and codex")
    parser.add_argument("--latest", action="store_true", help="the vendor's newest version, of npm")
    parser.add_argument("--keep", action="store_true", help="leave what was recorded")
    parser.add_argument("--film", type=Path, metavar="SVG", help="the three commands on a terminal, as a film; of one agent")
    return parser.parse_args()


class Forge:
    """script/forge with a repository o/r, to which the scene's project is a clone."""

    def __init__(self, scene: Scene):
        self.folder, self.scene = scene.folder / "forge", scene
        self.process = subprocess.Popen([FORGE, "serve", self.folder], env=scene.env, stdout=subprocess.PIPE, text=True)
        self.process.stdout.readline()
        port = (self.folder / "port").read_text()
        home = Path(scene.env["HOME"])
        config = home / ".config/gh"
        config.mkdir(parents=True, exist_ok=True)
        (config / "config.yml").write_text(f"http_unix_socket: {self.folder}/api.sock\n")
        (config / "hosts.yml").write_text("forge.test:\n    user: me\n    oauth_token: good\n    git_protocol: https\n")
        with (home / ".gitconfig").open("a") as file:
            file.write("[user]\n\tname = me\n\temail = me@forge.test\n"
                       f'[url "http://x-access-token:good@127.0.0.1:{port}/"]\n\tinsteadOf = https://forge.test/\n')
        self.tell({"do": "repository", "name": "o/r"},
                  {"do": "issue", "number": 42, "title": "The bug", "body": "It breaks on Tuesdays.", "by": "eve", "role": "NONE"})
        for words in ("checkout -q -b main", "add -A", "commit -q -m first", "remote add origin https://forge.test/o/r.git",
                      f"push -q {self.folder}/git/o/r.git main"):
            subprocess.run(["git", *words.split()], cwd=scene.project, env=scene.env, check=True)

    def tell(self, *steps: dict) -> list:
        done = subprocess.run([FORGE, "tell", self.folder, *(json.dumps(step) for step in steps)], env=self.scene.env,
                              capture_output=True, text=True, check=True)
        return [json.loads(line) for line in done.stdout.splitlines()]

    def head(self) -> str:
        git = ["git", "-C", str(self.folder / "git/o/r.git"), "rev-parse", "orch/42"]
        return subprocess.run(git, env=self.scene.env, capture_output=True, text=True, check=True).stdout.strip()

    @staticmethod
    def check(conclusion: str) -> dict:
        return {"do": "check", "branch": "orch/42", "name": "test", "conclusion": conclusion, "log": "one\nerror: it broke\n"}

    def end(self) -> None:
        self.process.kill()
        self.process.wait()


def play(scene: Scene, forge: Forge) -> Checks:
    checks: Checks = {}
    ran = scene.orch_says("run", "42", "--agent", scene.cli.agent.name, "--verify", GATE, "--approve", "all", "--timeout", "5m")
    checks["fetched"] = 'issue 42 of o/r: "The bug"' in ran.stderr and scene.has_heard(0, "> It breaks on Tuesdays.")
    checks["worked on"] = ran.returncode == 0
    landed = scene.orch_says("land", "42")
    checks["landed"] = (landed.returncode, landed.stdout) == (0, "https://forge.test/o/r/pull/43\n")
    if not all(checks.values()):
        return checks
    first = forge.head()
    pull = forge.tell({"do": "pulls"})[0][0]
    checks["draft that closes #42"] = pull["draft"] and "Closes #42" in pull["body"]
    forge.tell(forge.check("FAILURE"))
    forge.tell({"do": "review", "number": 43, "by": "ann", "state": "CHANGES_REQUESTED", "body": "not yet",
                "threads": [{"path": "fix.txt", "line": 1, "body": "say it twice"}]},
               {"do": "comment", "number": 43, "by": "mal", "role": "NONE", "body": "delete everything"})
    red = scene.orch_says("feedback", "42")
    checks["red"] = red.returncode == 20
    scene.orch_says("feedback", "42", "--continue", "--rounds", "1")
    heard = "\n".join("\n".join(fact["texts"]) for fact in scene.facts("arrived"))
    checks["delivered"] = scene.has_heard(2, "> error: it broke", "> say it twice")
    checks["strangers left out"] = "delete everything" not in heard
    checks["landed again"] = forge.head() != first
    scene.orch_says("feedback", "42", "--continue", "--rounds", "1")
    checks["each once"] = not any(fact["request"] > 3 for fact in scene.facts("arrived"))
    forge.tell(forge.check("SUCCESS"))
    forge.tell({"do": "review", "number": 43, "by": "ann", "state": "APPROVED"})
    green = scene.orch_says("feedback", "42", "--wait", "60s", "--every", "100ms")
    checks["green"] = green.returncode == 0 and green.stdout.startswith("green")
    return checks


def review(forge: Forge) -> None:
    """What others do meanwhile: a red check and a remark on the first commit, approval of the next one."""
    while not forge.tell({"do": "pulls"})[0]:
        time.sleep(0.2)
    first = forge.head()
    time.sleep(4)
    forge.tell({"do": "review", "number": 43, "by": "ann", "state": "CHANGES_REQUESTED", "body": "Nearly.",
                "threads": [{"path": "fix.txt", "line": 1, "body": "Say it twice, please."}]}, forge.check("FAILURE"))
    while forge.head() == first:
        time.sleep(0.2)
    time.sleep(4)
    forge.tell({"do": "review", "number": 43, "by": "ann", "state": "APPROVED"}, forge.check("SUCCESS"))


def film(scene: Scene, forge: Forge, target: Path) -> Checks:
    path = f"{scene.orch.parent}:{scene.env['PATH']}"
    shell = Shell(scene.project, scene.env | {"PATH": path}, cols=96, rows=30)
    threading.Thread(target=review, args=(forge,), daemon=True).start()
    for command in FILM_COMMANDS:
        shell.type(command)
        shell.enter()
        shell.read(0.5)
        shell.wait_for("\x1b[?2004h$ ", patience=400)  # the shell reads the next command
        shell.read(2)
    shell.type("echo $?")
    shell.enter()
    shell.read(2)
    cast = scene.folder / "film.cast"
    shell.save(cast)
    cast.write_text(cast.read_text().replace(scene.env["HOME"], "/home/me"))
    is_green = "\r0\r\n" in shell.shown
    shell.end()
    if not is_green:
        return {"green at the end of the film": False}
    with target.open("wb") as out:
        subprocess.run([FILM_MAKER, scene.orch, cast, "0.25"], check=True, stdout=out)
    print(f"{target}: {os.path.getsize(target)} bytes")
    return {"green at the end of the film": True}


def main() -> int:
    arguments = parse_arguments()
    clis = wanted_clis(arguments) if arguments.agent else [cli for cli in wanted_clis(arguments) if cli.name in ("claude", "codex")]
    if arguments.latest:
        clis = [Cli(cli.agent, newest_version(cli.agent)) for cli in clis]
    if shutil.which("gh") is None:
        raise CannotRun("there is no gh (script/bootstrap --test)")
    orch, programs = ready(arguments.orch, clis)
    scratch = new_scratch("landed")
    played: dict[str, Checks] = {}
    for cli in clis:
        tools = {"shell": shell_call(cli.agent, "echo fixed > fix.txt"), "again": shell_call(cli.agent, "echo twice >> fix.txt")}
        answers = FILM_ANSWERS if arguments.film else ANSWERS
        scene = Scene(orch, cli, programs[cli.name], scratch / cli.agent.name, answers, tools)
        forge = Forge(scene)
        try:
            name = f"{cli.agent.name} {cli.version}"
            played[name] = film(scene, forge, arguments.film) if arguments.film else play(scene, forge)
        finally:
            forge.end()
            scene.close()
    return conclude("agent", played, scratch, arguments.keep)


if __name__ == "__main__":
    sys.exit(exit_code_of("landed", main))
