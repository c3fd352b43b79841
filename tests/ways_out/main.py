"""script/ways-out: can an agent whose key is outside, and whose network is its model, get at the key, or out?

    script/ways-out [--orch BINARY] [--as UID] [--verbose]

An agent of its own (probe.py) tries every way that this folder knows: environments, memory, files, descriptors, requests
to the gateway that should lead elsewhere, sockets of each kind. Behind each waits a trap of this script's: a server that
says TRAPPED, another run's gateway, a session's socket, an agent of SSH. First the probe runs without orch, with the key
in its environment and an open proxy for a gateway: a way that does not lead anywhere there shows nothing, and is named.
Then it runs by `orch run --keys outside --net model`, and with Landlock alone (no bwrap along PATH), where the network
stays open and the key alone is looked for. Nothing may come through. --as does all of it as that user.
Exit 0: nothing did, 1: something did, 2: it cannot run here.
"""

import argparse
import contextlib
import hashlib
import http.server
import json
import os
import shutil
import socket
import socketserver
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

HERE = Path(__file__).resolve().parent
PYTHON = "/usr/bin/python3"  # the one that every user has
KEY = "real-" + hashlib.sha256(os.urandom(16)).hexdigest()[:24]
PATIENCE_S = 300
RIGHT, WRONG, CANNOT_RUN = 0, 1, 2


class Says(socketserver.BaseRequestHandler):
    """TRAPPED, whatever is asked."""

    def handle(self):
        with contextlib.suppress(OSError):  # whoever only looked has left
            self.request.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\nTRAPPED")
            self.request.shutdown(socket.SHUT_WR)


class SaysByDatagram(socketserver.BaseRequestHandler):
    def handle(self):
        self.request[1].sendto(b"TRAPPED", self.client_address)


class Model(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_words):
        """Nobody reads it."""

    def do_GET(self):
        body = b"the model"
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_POST = do_GET


class Ten(socketserver.ThreadingTCPServer):
    daemon_threads = True
    allow_reuse_address = True


class Six(Ten):
    address_family = socket.AF_INET6


class SixByDatagram(socketserver.ThreadingUDPServer):
    address_family = socket.AF_INET6


class ByPath(socketserver.ThreadingUnixStreamServer):
    daemon_threads = True


def serve(kind, address, handler):
    server = kind(address, handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


def own_address() -> str:
    found = subprocess.run(["hostname", "-I"], capture_output=True, text=True, check=False).stdout.split()
    return next((one for one in found if ":" not in one), "127.0.0.1")


class Traps:
    def __init__(self, folder: Path):
        tcp, named = serve(Ten, ("0.0.0.0", 0), Says), serve(Ten, ("127.0.0.1", 0), Says)
        tcp6, udp6 = serve(Six, ("::", 0), Says), serve(SixByDatagram, ("::", 0), SaysByDatagram)
        udp = serve(socketserver.ThreadingUDPServer, ("0.0.0.0", 0), SaysByDatagram)
        abstract = f"way-{os.getpid()}"
        serve(ByPath, "\0" + abstract, Says)
        for name in ("path", "ssh"):
            serve(ByPath, str(folder / name), Says)
        self._datagrams = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._datagrams.bind(str(folder / "datagrams"))
        for name in ("path", "ssh", "datagrams"):
            (folder / name).chmod(0o777)
        self.facts = {
            "tcp": tcp.server_address[1], "named": named.server_address[1], "tcp6": tcp6.server_address[1],
            "udp": udp.server_address[1], "udp6": udp6.server_address[1], "abstract": abstract,
            "path": str(folder / "path"), "ssh": str(folder / "ssh"), "datagrams": str(folder / "datagrams"),
            "address": own_address(), "begin": KEY[:5], "length": len(KEY), "hash": hashlib.sha256(KEY.encode()).hexdigest(),
            "state": "", "orch": "", "other_port": tcp.server_address[1], "other_secret": "",
        }


class World:
    """A home with the key in a file, a project, and the agent's manifest."""

    def __init__(self, folder: Path, orch: Path, uid: int | None):
        self.folder, self.orch, self.uid = folder, orch, uid
        self.home, self.project = folder / "home", folder / "project"
        for path in (self.home / ".config/orch/adapters", self.project, folder / "state", folder / "run"):
            path.mkdir(parents=True)
        (folder / "run").chmod(0o700)
        (self.home / "notes.txt").write_text(f"key = {KEY}\n")
        shutil.copy(HERE / "probe.py", folder / "probe.py")
        subprocess.run(["git", "init", "-q", str(self.project)], check=False)
        self.model = serve(Ten, ("127.0.0.1", 0), Model).server_address[1]

    def give_away(self) -> None:
        if self.uid is not None:
            subprocess.run(["chown", "-R", f"{self.uid}:{self.uid}", str(self.folder)], check=True)

    def environment(self, path: str) -> dict[str, str]:
        return {"HOME": str(self.home), "PATH": path, "LANG": "C.UTF-8", "XDG_RUNTIME_DIR": str(self.folder / "run"),
                "OWN_KEY": KEY, "SSH_AUTH_SOCK": str(self.folder.parent / "ssh")}

    def run(self, argv: list[str], env: dict[str, str]) -> subprocess.CompletedProcess[str]:
        more = {} if self.uid is None else {"user": self.uid, "group": self.uid, "extra_groups": []}
        return subprocess.run(argv, cwd=self.project, env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              timeout=PATIENCE_S, check=False, **more)

    def write_manifest(self, name: str, facts: dict) -> None:
        (self.home / f".config/orch/adapters/{name}.json").write_text(json.dumps({
            "manifest": 1, "name": name, "title": name, "program": [PYTHON],
            "login": {"variables": ["OWN_KEY"], "files": ["$HOME/.own-login"], "how": "set OWN_KEY"},
            "gateway": {"address": "https://127.0.0.1:1", "variables": ["OWN_URL"], "env": {"OWN_URL": "{url}"},
                        "keys": [{"variable": "OWN_KEY", "header": "x-api-key"}], "dummy": {"env": {"OWN_KEY": "{secret}"}}},
            "headless": {"arguments": [str(self.folder / "probe.py"), json.dumps(facts), "{options}", "{resume}"],
                         "resume": ["--resume", "{}"],
                         "lines": [{"is": "session", "when": {"/type": "session"}, "id": "/id"},
                                   {"is": "words", "when": {"/type": "say"}, "text": "/text"},
                                   {"is": "end", "when": {"/type": "end"}}]}}))

    def ways(self) -> dict[str, list[str]]:
        file = self.project / "ways.json"
        found = json.loads(file.read_text()) if file.exists() else {"tried": [], "through": []}
        file.unlink(missing_ok=True)
        return found


def open_ways(world: World, facts: dict, path: str) -> dict[str, list[str]]:
    """Without orch, with a server for a gateway that answers every request with TRAPPED."""
    env = world.environment(path) | {"OWN_URL": f"http://127.0.0.1:{facts['tcp']}/secret"}
    holder = f"import subprocess, sys; file = open({str(world.home / 'notes.txt')!r}); subprocess.run(sys.argv[1:])"
    world.run([PYTHON, "-c", holder, PYTHON, str(world.folder / "probe.py"), json.dumps(facts), KEY], env)
    return world.ways()


def fenced_ways(world: World, path: str, words: list[str]) -> tuple[dict[str, list[str]], str]:
    done = world.run([str(world.orch), "run", "ways", "--agent", "own", "--mode", "headless", "-p", "x", "--state-dir",
                      str(world.folder / "state"), "--gateway", f"http://127.0.0.1:{world.model}", "--keys", "outside", *words],
                     world.environment(path))
    return world.ways(), done.stderr


def without_bwrap(folder: Path) -> str:
    """A PATH with all programs of this one but bwrap."""
    folder.mkdir()
    for place in os.environ["PATH"].split(":"):
        for file in sorted(Path(place).iterdir()) if Path(place).is_dir() else []:
            if file.name != "bwrap" and not os.path.lexists(folder / file.name):
                (folder / file.name).symlink_to(file)
    return str(folder)


def start_session(world: World, path: str) -> None:
    """A session of the user's, which takes whatever is typed."""
    world.run([str(world.orch), "run", "other", "--agent", "demo", "-d", "--until", "exit", "--state-dir",
               str(world.folder / "state")], world.environment(path))


def tell(what: str, found: dict[str, list[str]], said: str = "") -> bool:
    if not found["tried"]:
        print(f"{what}: did not run: {said.strip()[-300:]}")
        return False
    print(f"{what}: {len(found['through'])} of {len(found['tried'])} came through"
          + (": " + "; ".join(found["through"]) if found["through"] else ""))
    return not found["through"]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--orch", type=Path, default=HERE.parents[1] / "build/release/bin/orch")
    parser.add_argument("--as", dest="user", type=int, metavar="UID")
    arguments = parser.parse_args()
    if not arguments.orch.exists():
        print(f"script/ways-out: there is no {arguments.orch}", file=sys.stderr)
        return CANNOT_RUN
    scratch = Path(tempfile.mkdtemp(prefix="ways-", dir="/var/tmp"))
    scratch.chmod(0o755)
    traps, world = Traps(scratch), World(scratch / "world", arguments.orch.resolve(), arguments.user)
    path = os.environ["PATH"]
    try:
        facts = traps.facts | {"state": str(world.folder / "state"), "orch": str(world.orch)}
        world.write_manifest("own", facts)
        world.give_away()
        start_session(world, path)
        bare = open_ways(world, facts, path)
        closed = [name for name in bare["tried"] if name not in bare["through"]]
        print(f"without orch: {len(bare['through'])} of {len(bare['tried'])} lead somewhere; these do not: {'; '.join(closed)}")
        words = ["--sandbox", "landlock"]
        fenced, said = fenced_ways(world, path, [*words, "--net", f"model,named.localhost:{facts['named']}"])
        right = tell("with namespaces", fenced, said)
        alone, said = fenced_ways(world, without_bwrap(scratch / "bin"), words)
        keys = {kind: [name for name in names if name.startswith("key:")] for kind, names in alone.items()}
        right &= tell("with Landlock alone, the key", keys, said)
        return RIGHT if right and bare["through"] else WRONG
    finally:
        world.run([str(world.orch), "kill", "--all", "--now", "--state-dir", str(world.folder / "state")], world.environment(path))
        shutil.rmtree(scratch, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
