#!/usr/bin/env python3
"""completions.py ORCH: types into real shells, each on a terminal of its own, and sees what Tab makes of it with the
script that `orch completion` prints, at the place where the shell itself looks for it. A shell that is not there is
skipped. Exits 1 if one completed something else."""
import os
import pty
import re
import select
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

PATIENCE_S = 60
# What is typed, and what stands in the line after Tab.
CASES = [
    ("orch ans", "orch answer"),
    ("orch run --mode h", "orch run --mode headless"),
    ("orch crew nu", "orch crew nudge"),
    ("orch replay ./a-rec", "orch replay ./a-recording.cast"),
]
READY = "ready-to-type"
CONTROL = re.compile(r"\x1b\[[?>=0-9;]*[a-zA-Z]")


class Shell:
    """A shell on a terminal: what is typed, and all that it has written since."""

    def __init__(self, argv, env, folder):
        child, self.terminal = pty.fork()
        if child == 0:
            os.chdir(folder)
            os.execvpe(argv[0], argv, env)
        self.child = child
        self.seen = ""

    def type(self, text):
        os.write(self.terminal, text.encode())

    def wait_for(self, text):
        """Whether it is written before the patience ends; what was written before is forgotten."""
        end = time.monotonic() + PATIENCE_S
        while text not in CONTROL.sub("", self.seen) and time.monotonic() < end:
            if select.select([self.terminal], [], [], 0.2)[0]:
                try:
                    output = os.read(self.terminal, 65536).decode(errors="replace")
                except OSError:  # it has ended
                    break
                # A terminal that is asked who it is, as fish asks.
                if "\x1b[c" in output or "\x1b[0c" in output:
                    self.type("\x1b[?62c")
                self.seen += output
        found = text in CONTROL.sub("", self.seen)
        self.seen = ""
        return found

    def end(self):
        os.close(self.terminal)
        os.waitpid(self.child, 0)


def prepare(name, folder, orch):
    """Puts orch and its completion script where the shell finds them; returns how the shell is started."""
    script = subprocess.run([orch, "completion", name], capture_output=True, text=True, check=True).stdout
    (folder / "bin").mkdir()
    (folder / "bin/orch").symlink_to(orch)
    (folder / "a-recording.cast").touch()
    env = {"HOME": str(folder), "PATH": f"{folder}/bin:{os.environ['PATH']}", "TERM": "dumb", "LANG": "C.UTF-8",
           "PS1": "$ ", "XDG_STATE_HOME": str(folder / "state"), "XDG_DATA_DIRS": f"{folder}/share:/usr/share"}
    places = {"bash": "share/bash-completion/completions/orch", "zsh": "share/zsh/site-functions/_orch",
              "fish": "share/fish/vendor_completions.d/orch.fish"}
    place = folder / places[name]
    place.parent.mkdir(parents=True)
    place.write_text(script)
    if name == "bash":
        (folder / "rc").write_text(f"source {place}\n")
        return ["bash", "--noprofile", "--rcfile", str(folder / "rc"), "-i"], env
    if name == "zsh":
        (folder / ".zshrc").write_text(f"fpath=({place.parent} $fpath)\nautoload -U compinit; compinit -u\n"
                                       "bindkey -e\n")
        return ["zsh", "-d", "-i"], env
    return ["fish", "-i"], env


def check(name, orch):
    """The number of cases that went wrong."""
    wrong = 0
    with tempfile.TemporaryDirectory() as path:
        folder = Path(path)
        argv, env = prepare(name, folder, orch)
        shell = Shell(argv, env, folder)
        shell.type("echo ready-to-''type\r")
        if not shell.wait_for(READY):
            print(f"FAILED: {name} did not start")
            wrong += 1
        for typed, wanted in CASES:
            # The beginning of the line afterwards (Ctrl-A), so that the shell itself says what stands in it.
            shell.type(typed + "\t")
            shell.type("\x01echo got: \r")
            if shell.wait_for(f"\ngot: {wanted}"):
                print(f"ok: {name}: {typed} -> {wanted}")
            else:
                print(f"FAILED: {name}: {typed} does not become {wanted}")
                wrong += 1
        shell.end()
    return wrong


def main(orch):
    wrong = 0
    for name in ("bash", "zsh", "fish"):
        if shutil.which(name) is None:
            print(f"skipped: no {name} to complete in")
        else:
            wrong += check(name, orch)
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main(os.path.abspath(sys.argv[1])))
