"""A folder with a home, a state directory, agents of shell scripts, and the orch to try."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

# The end of an agent's turn: it says that it is done, and what it cost.
DONE = r"""
printf '%s\n' '{"say":"Done.\n\nLOOP_COMPLETE"}' '{"end":1,"in":90,"out":10,"usd":@USD@}'
"""
LIMIT = r"""
printf '%s\n' '{"fail":"usage limit reached"}' '{"end":1}'; exit 1
"""
RULES = {
    "lines": [
        {"is": "session", "when": {"/session": "*"}, "id": "/session"},
        {"is": "words", "when": {"/say": "*"}, "text": "/say"},
        {"is": "failure", "when": {"/fail": "*"}, "text": "/fail"},
        {"is": "end", "when": {"/end": "*"}, "usage": {"in": ["/in"], "out": ["/out"], "cost": "/usd"}},
    ],
    "resume": ["--resume", "{}"],
    "causes": [{"match": "limit", "cause": "rate_limit"}],
}


class Place:
    def __init__(self, orch: str):
        self.orch, self.folder = orch, Path(tempfile.mkdtemp(prefix="orch-landings-"))
        for name in ("home/.config/orch/adapters", "runtime", "tmp"):
            (self.folder / name).mkdir(parents=True, mode=0o700)
        self.env = {
            "HOME": str(self.folder / "home"), "PATH": os.environ["PATH"], "LANG": "C.UTF-8", "TMPDIR": str(self.folder / "tmp"),
            "XDG_RUNTIME_DIR": str(self.folder / "runtime"), "ORCH_STATE_DIR": str(self.folder / "state"),
            "GIT_AUTHOR_NAME": "user", "GIT_AUTHOR_EMAIL": "u@u", "GIT_COMMITTER_NAME": "user", "GIT_COMMITTER_EMAIL": "u@u",
        }
        (self.folder / "home/.gitconfig").write_text("[user]\n\tname = user\n\temail = u@u\n[init]\n\tdefaultBranch = main\n")

    def agent(self, name: str, script: str, usd: float = 0.0) -> None:
        """An agent whose turn is this script; its message is on the script's standard input."""
        path = self.folder / f"{name}.sh"
        path.write_text(script.replace("@USD@", f"{usd:g}"))
        headless = RULES | {"arguments": [str(path), "{resume}", "{options}"]}
        manifest = {"manifest": 1, "name": name, "title": name, "program": ["/bin/sh"], "headless": headless}
        (self.folder / f"home/.config/orch/adapters/{name}.json").write_text(json.dumps(manifest))

    def run(self, words: list[str], cwd: Path, seconds: float = 600, **env: str) -> subprocess.CompletedProcess:
        return subprocess.run([self.orch, *words], cwd=cwd, env=self.env | env, stdin=subprocess.DEVNULL, capture_output=True,
                              text=True, timeout=seconds, check=False)

    def sh(self, script: str, cwd: Path) -> str:
        done = subprocess.run(["/bin/sh", "-ec", script], cwd=cwd, env=self.env, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise AssertionError(f"{script}\n{done.stdout}{done.stderr}")
        return done.stdout

    def remove(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)


def fail(text: str) -> None:
    print(text, flush=True)
    sys.exit(1)
