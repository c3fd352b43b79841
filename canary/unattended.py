"""script/unattended: do ordinary tasks end as before, now that each call is read? See canary/README.md."""

import argparse
import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from agents import Agent, Place
from call_list import edit, shell, write
from calls import Scene, Script, decided_of, dialogs_alone
from checks import Checks, conclude
from command_line import add_agents, exit_code_of, new_scratch, parser_of, ready, wanted_clis
from install import manifest_of
from script import Say, ToolCall, Use
from workplace import result_of

MODES = ("interactive", "headless")
TEST = "import unittest\nfrom sum import add\n\n\nclass Sums(unittest.TestCase):\n    def test_sum(self):\n" \
       "        self.assertEqual(add([1, 2]), 4)\n\n\nif __name__ == '__main__':\n    unittest.main()\n"
PACKAGE = json.dumps({"name": "demo", "version": "1.0.0", "scripts": {"test": "node --test", "build": "node build.js"}}, indent=2)
GIT = "git -c user.name=Me -c user.email=me@example.org"


@dataclass(frozen=True)
class Task:
    """What an agent does for an ordinary task: commands, and files that it writes (`NAME: TEXT`) or changes (`~NAME`)."""

    name: str
    steps: tuple[str, ...]


# Twenty-five; each agent does each once in each mode.
TASKS = (
    Task("look around", ("ls -la", "cat sum.py", "grep -rn TOTAL .", "wc -l *.py")),
    Task("run the tests", ("python3 -m unittest -v", "python3 -m unittest discover")),
    Task("change and test", ("~plan.txt", "python3 -m unittest", "git diff --stat")),
    Task("commit", ("note.md: # Note\n", "git add -A", f"{GIT} commit -q -m 'docs: a note'", "git log --oneline -n 3")),
    Task("branch", ("git checkout -q -b work", "git status --short", "git branch --list")),
    Task("history", ("git log --stat -n 2", "git show --stat HEAD", "git blame sum.py | head -n 3")),
    Task("npm test", ("cat package.json", "npm test", "npm run build")),
    Task("search", ("grep -n 'def ' *.py | head", "find . -name '*.py' -not -path './.git/*'", "sed -n '1,5p' sum.py")),
    Task("new module", ("mkdir -p lib", "lib/__init__.py: \n", "lib/words.py: WORDS = ['a']\n", "python3 -m compileall -q lib")),
    Task("edit in place", ("sed -i 's/old/newer/' plan.txt", "cat plan.txt", "git diff plan.txt")),
    Task("one-liner", ("python3 -c 'import sum; print(sum.add([1, 2]))'", "python3 -c \"print(1 + 1)\"")),
    Task("script", ("tool.py: print('hello')\n", "python3 tool.py", "chmod +x tool.py")),
    Task("make", ("Makefile: all:\n\techo done\n", "make", "make -n all")),
    Task("count", ("ls | wc -l", "sort plan.txt | uniq -c", "du -sh . 2>/dev/null || true", "head -n 3 sum.py; tail -n 3 sum.py")),
    Task("move", ("git mv plan.txt plans.txt", "git status --short", "cp sum.py sums.py", "mv sums.py sums_old.py")),
    Task("clean up", ("mkdir -p build && touch build/x.o", "rm -rf build", "rm -f *.pyc", "git status --porcelain")),
    Task("here document", ("cat > notes.txt <<'EOF'\na line\nanother line\nEOF", "cat notes.txt")),
    Task("loop", ("for f in *.py; do echo \"$f\"; done", "test -f sum.py && echo there", "[ -d .git ] && git rev-parse HEAD")),
    Task("stash", ("~plan.txt", "git stash list", "git diff HEAD", "git restore plan.txt")),
    Task("types", ("python3 --version", "node --version", "which python3 git node", "env | sort | head -n 3; pwd; date")),
    Task("long output", ("seq 1 400", "python3 - <<'EOF'\nfor i in range(200):\n    print(i)\nEOF")),
    Task("background", ("(sleep 1; echo done > later.txt) & wait", "cat later.txt")),
    Task("json", ("node -e 'console.log(JSON.parse(require(\"fs\").readFileSync(\"package.json\")).name)'",
                  "python3 -m json.tool package.json")),
    Task("long command", ("printf '%s\\n' " + " ".join(f"word-{n}" for n in range(120)) + " > words.txt", "wc -w words.txt")),
    Task("whole change", ("~plan.txt", "fix.md: Fixed.\n", "python3 -m unittest", "git add -A",
                          f"{GIT} commit -q -m 'fix: the plan'", "git show --stat")),
)


def prepare(project: Path) -> None:
    for name, text in (("test_sum.py", TEST), ("package.json", PACKAGE), ("build.js", "console.log('built')\n"),
                       ("plan.txt", "old\n"), ("one.test.js", "require('node:test')('one', () => {})\n")):
        (project / name).write_text(text)
    words = ["git", "-c", "user.name=Me", "-c", "user.email=me@example.org"]
    subprocess.run([*words, "add", "-A"], cwd=project, check=True)
    subprocess.run([*words, "commit", "--quiet", "-m", "begin"], cwd=project, check=True)


def tools_of(agent: Agent, step: str) -> list[ToolCall]:
    if step.startswith("~"):
        first, change = edit(agent, step[1:])
        return [first, change] if first else [change]
    name, colon, text = step.partition(": ")
    if colon and " " not in name and "\n" not in name and text.endswith("\n"):
        if agent.name == "codex":
            lines = "".join(f"+{line}\n" for line in text.splitlines())
            return [ToolCall("apply_patch", f"*** Begin Patch\n*** Add File: {name}\n{lines}*** End Patch\n")]
        return [write(agent, name, text)]
    return [shell(agent, step)]


def script_of(agent: Agent, task: Task) -> Script:
    calls = [tool for step in task.steps for tool in tools_of(agent, step)]
    tools = {f"call {n}": tool for n, tool in enumerate(calls)}
    return Script(tuple((Say("On."), Use(name)) for name in tools), tools)


def nothing(_agent: Agent, _place: Place) -> None:
    """The agent as it is."""


def play(scene: Scene, folder: Path, task: Task, by_dialogs: bool) -> Checks:
    agent = scene.cli.agent
    played = scene.play(folder, script_of(agent, task), dialogs_alone if by_dialogs else nothing, prepare=prepare, approve="all")
    result = result_of(folder) or {}
    reason = result.get("reason", "nothing")
    refused = [f"{one['decided']} by {one['by']}: {one['input'][:80]!r}" for one in decided_of(folder) if one["decided"] != "allow"]
    said = f"ended {reason}" + (f" ({result.get('detail', '')[:120]}; {refused})" if reason != "idle" or refused else "")
    return {said: reason == "idle" and not refused}


def parse_arguments() -> argparse.Namespace:
    parser = parser_of("unattended", "Has real agent CLIs do ordinary tasks under --approve all with nobody there: what ends "
                                     "otherwise than well is played once more with the agent's dialogs alone.",
                       right="every task ended well, or ended the same way without the call check")
    add_agents(parser)
    parser.add_argument("--mode", action="append", choices=MODES, help="default: both")
    parser.add_argument("--task", action="append", metavar="WORDS", help="only tasks whose name has these words")
    parser.add_argument("--keep", action="store_true", help="keep the folders of the runs")
    return parser.parse_args()


def main() -> int:
    arguments = parse_arguments()
    clis = [cli for cli in wanted_clis(arguments) if cli.name == cli.agent.name]
    orch, programs = ready(arguments.orch, clis)
    scratch = new_scratch("unattended")
    played: dict[str, Checks] = {}
    well = 0
    wanted = [task for task in TASKS if not arguments.task or any(words in task.name for words in arguments.task)]
    for cli in clis:
        for mode in arguments.mode or MODES:
            if mode == "headless" and "headless" not in manifest_of(cli.agent):
                continue
            scene = Scene(orch, cli, programs[cli.name], mode)
            for task in wanted:
                name = f"{cli.name} {mode}: {task.name}"
                folder = scratch / name.replace(" ", "-").replace(":", "")
                checks = play(scene, folder, task, False)
                print(f"{name}: {checks}", file=sys.stderr, flush=True)
                if all(checks.values()):
                    well += 1
                    continue
                before = play(scene, Path(f"{folder}-before"), task, True)
                print(f"{name}, by dialogs alone: {before}", file=sys.stderr, flush=True)
                same = not all(before.values())
                played[name] = {f"{said}; before: {', '.join(before)}": same for said in checks}
    played[f"{well} of {well + len(played)} tasks"] = {"ended well": True}
    return conclude("unattended", played, scratch, arguments.keep)


if __name__ == "__main__":
    sys.exit(exit_code_of("unattended", main))
