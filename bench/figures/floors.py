"""What figures may be: bench/floors.json, and what figures are held against it.

The file names for each bench the figures it has to tell, each with its bounds, if it has any:
    {"live_idle": {"idle.wakeups": {"at_most": 0},
                   "idle.memory_per_session": {"at_most": 300, "holds": "release"}}}
`holds` says where a bound does: "everywhere" (where it does not say), in a "release" build (g++ -O3, without sanitizers),
or for one on a "quiet" machine, at full size (script/figures alone)."""

import json
from dataclasses import dataclass, field
from pathlib import Path

from figure import Figure, why_unmeasured

PLACES = ["everywhere", "release", "quiet"]  # each has the bounds of those before it
KEYS = {"at_most", "at_least", "holds"}


class Unusable(Exception):
    """The file is not as it should be."""


@dataclass(frozen=True)
class Bound:
    at_least: float | None = None
    at_most: float | None = None
    holds: str = "everywhere"

    def __str__(self) -> str:
        parts = [("at least", self.at_least), ("at most", self.at_most)]
        return ", ".join(f"{word} {value:g}" for word, value in parts if value is not None)

    def allows(self, value: float) -> bool:
        return (self.at_least is None or value >= self.at_least) and (self.at_most is None or value <= self.at_most)


Floors = dict[str, dict[str, Bound]]  # by bench, by figure


def bound_of(where: str, entry: dict) -> Bound:
    if not isinstance(entry, dict) or not set(entry) <= KEYS or entry.get("holds", "everywhere") not in PLACES:
        raise Unusable(f"{where}: {entry!r}: at_least, at_most, and holds: {', '.join(PLACES)}")
    return Bound(**entry)


def read(path: Path) -> Floors:
    benches = json.loads(path.read_text())
    benches.pop("", None)  # what is to be said of the file
    return {
        bench: {name: bound_of(f"{path}: {bench}: {name}", entry) for name, entry in figures.items()}
        for bench, figures in benches.items()
    }


@dataclass
class Comparison:
    lines: list[str] = field(default_factory=list)  # one for each figure
    failures: list[str] = field(default_factory=list)
    not_compared: list[str] = field(default_factory=list)  # names, since their bounds do not hold here


def number(value: float) -> str:
    return f"{value:.0f}" if abs(value) >= 100 or value == int(value) else f"{value:.3g}"


def compare(bench: str, figures: list[Figure], floors: Floors, place: str) -> Comparison:
    """Of one bench: each figure must tell something, none that the file names may be missing, and all bounds hold."""
    result = Comparison()
    if bench not in floors:
        result.failures.append(f"{bench}: bench/floors.json does not name its figures")
    expected = floors.get(bench, {})
    for name in expected.keys() - {figure.name for figure in figures}:
        result.failures.append(f"{name}: missing")
    for figure in figures:
        if why := why_unmeasured(figure):
            result.failures.append(f"{figure.name}: {why}")
            continue
        text = f"{figure.name}: {number(figure.value)} {figure.unit}".rstrip()
        bound = expected.get(figure.name, Bound())
        if not str(bound):
            result.lines.append(text)
        elif PLACES.index(bound.holds) > PLACES.index(place):
            result.lines.append(text)
            result.not_compared.append(figure.name)
        elif bound.allows(figure.value):
            result.lines.append(f"{text} ({bound})")
        else:
            result.failures.append(f"{text} ({bound})")
    return result
