"""The tables: one file a class. A line is a command; lines that begin with a tab go on with it (a line of their own in
the command, the tab is not part of it). `# ...` is a comment, `@ key=value ...` says something of the next command:

    settle=S    the effect comes up to S seconds after the command
    as=root     only as root of the root's namespaces
    net=none    under the fence only with --net none
    policy=no   the policy does not claim to judge it
    needs=PROG  only where that program is installed
"""

from dataclasses import dataclass
from pathlib import Path

TABLES = Path(__file__).resolve().parent / "tables"
BENIGN = "benign"
WIPES = "wipes"


@dataclass(frozen=True)
class Row:
    kind: str  # the class: the table's name
    line: int
    command: str
    settle: float = 0.0
    as_root: bool = False
    no_net: bool = False
    judged: bool = True
    needs: str = ""

    @property
    def name(self) -> str:
        return f"{self.kind}:{self.line}"


_KEYS = {
    "settle": lambda value: {"settle": float(value)},
    "as": lambda value: {"as_root": {"root": True}[value]},
    "net": lambda value: {"no_net": {"none": True}[value]},
    "policy": lambda value: {"judged": {"no": False}[value]},
    "needs": lambda value: {"needs": value},
}
# What the policy leaves to the fence, to undo, or to a person who wanted it so.
_NOT_JUDGED = ("secrets", "system", WIPES, BENIGN)


def read(path: Path) -> list[Row]:
    rows: list[tuple[int, list[str], dict]] = []
    said: dict = {}
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if line.startswith("\t"):
            rows[-1][1].append(line[1:])
        elif line.startswith("@ "):
            for word in line[2:].split():
                key, _, value = word.partition("=")
                said |= _KEYS[key](value)
        elif line and not line.startswith("#"):
            rows.append((number, [line], said))
            said = {}
    kind = path.stem
    usual = {"judged": kind not in _NOT_JUDGED}
    return [Row(kind, number, "\n".join(lines), **(usual | said)) for number, lines, said in rows]


def all_rows() -> list[Row]:
    return [row for path in sorted(TABLES.glob("*.txt")) for row in read(path)]
