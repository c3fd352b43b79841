"""The tables of figures of README and docs/internals/figures.md: each stands between "<!-- figures:NAME -->" and "<!-- /figures -->", and is
made of figures."""

import re
from collections.abc import Callable

from figure import Figure

Figures = dict[str, Figure]  # by name

AGENTS = ["claude", "codex", "gemini", "opencode", "copilot", "qwen"]
COUNT_WORDS = ["no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]
STREAMS = ["claude", "codex", "copilot", "gemini", "opencode", "qwen", "mix", "plain", "coloured", "repaint", "cjk+emoji"]
BLOCK = re.compile(r"<!-- figures:(\w+) -->\n(.*?)<!-- /figures -->\n", re.DOTALL)


class Unusable(Exception):
    """A page's markers are not as they should be."""


def grouped(value: float) -> str:
    return f"{round(value):,}"


def small(value: float) -> str:
    """Two figures that count."""
    return f"{value:.0f}" if value >= 10 else f"{value:.1f}" if value >= 1 else f"{value:.2f}"


def table(head: list[str], rows: list[list[str]]) -> str:
    lines = [head, ["---"] + ["---:"] * (len(head) - 1), *rows]
    texts = ["| " + " | ".join(cells) + " |" for cells in lines]
    texts[0], texts[1] = texts[0].replace("|  |", "| |"), "|" + "|".join(lines[1]) + "|"
    return "".join(text + "\n" for text in texts)


def agents_of(figures: Figures, bench: str) -> list[str]:
    found = {name.split(".")[1] for name in figures if name.startswith(f"{bench}.")}
    return [agent for agent in AGENTS if agent in found] + sorted(found - set(AGENTS))


def counted(count: int) -> str:
    return COUNT_WORDS[count] if count < len(COUNT_WORDS) else str(count)


def accuracy(figures: Figures) -> str:
    agents = agents_of(figures, "accuracy")

    def of(what: str) -> list[float]:
        return [figures[f"accuracy.{agent}.{what}"].value for agent in agents]

    p50s, p95s = of("latency.p50"), of("latency.p95")
    return (
        f"On {grouped(sum(of('recordings')))} recordings of {counted(len(agents))} agents, "
        f"{grouped(sum(of('scored')))} scored seconds:\n\n"
    ) + table(
        ["", *agents],
        [
            ["right, % of the time", *(f"{value:.1f}" for value in of("right"))],
            ["turned idle in the middle of work", *(f"{value:.0f}" for value in of("falsely_idle"))],
            ["states never reached", *(f"{value:.0f}" for value in of("never_reached"))],
            ["latency p50 / p95, ms", *(f"{p50:.0f} / {p95:.0f}" for p50, p95 in zip(p50s, p95s, strict=True))],
        ],
    )


def summary(figures: Figures) -> str:
    """What README tells of them, in 80 columns."""
    agents = agents_of(figures, "accuracy")

    def row(title: str, what: str, form: str) -> list[str]:
        return [title, *(format(figures[f"accuracy.{agent}.{what}"].value, form) for agent in agents)]

    return table(
        ["", *agents],
        [
            row("right, % of the time", "right", ".1f"),
            row("false idle", "falsely_idle", ".0f"),
            row("median delay, ms", "latency.p50", ".0f"),
        ],
    )


def words(figures: Figures) -> str:
    agents = agents_of(figures, "words")

    def of(what: str) -> list[float]:
        return [figures[f"words.{agent}.{what}"].value for agent in agents]

    return f"On {grouped(sum(of('recordings')))} recordings:\n\n" + table(
        ["", *agents],
        [
            ["words printed of those said, %", *(f"{value:.1f}" for value in of("told"))],
            ["lines printed twice", *(f"{value:.0f}" for value in of("twice"))],
            ["lines printed before they were whole", *(f"{value:.0f}" for value in of("partial"))],
        ],
    )


def speed(figures: Figures) -> str:
    rows = []
    for stream in (stream for stream in STREAMS if f"speed.{stream}.ratio" in figures):
        values = {
            name: figures[f"speed.{stream}.{name}"].value
            for name in ("orch+detect", "libvterm", "ratio", "bare scan", "RE2 strip")
        }
        rows.append(
            [stream.replace("+", " and ")]
            + [f"{values[name]:.0f}" for name in ("orch+detect", "libvterm")]
            + [f"{values['ratio']:.1f}"]
            + [f"{values[name]:.0f}" for name in ("bare scan", "RE2 strip")]
        )
    added = [figure.value for name, figure in figures.items() if name.startswith("speed.") and name.endswith(".detection")]
    share = max(figure.value for name, figure in figures.items() if name.startswith("speed.") and name.endswith(".real_time"))
    part = round(1e6 / share, -3 if share < 200 else -2)
    head = ["MB/s", "orch", "libvterm 0.1.4", "orch / libvterm", "scan for control bytes", "RE2 strip"]
    return table(head, rows) + (
        f"\nWithout detection it is {min(added):+.0f} to {max(added):+.0f} % faster: rounds differ, too. An agent in real "
        f"time takes a {grouped(part)}th part of a core, or less.\n"
    )


def live(figures: Figures) -> str:
    def of(name: str) -> float:
        return figures[name].value

    sessions, seconds = figures["idle.wakeups"].n, of("idle.seconds")
    rows = [
        ["CPU to read a stream from a pty and watch it, of that to read and discard it", f"{of('pty.watch.ratio'):.1f}"],
        ["... the whole run, recorded and reported", f"{of('run.ratio'):.1f}"],
        [
            "a byte to `working` on standard output after quiet, p50 / p99",
            f"{small(of('latency.turns.p50'))} / {small(of('latency.turns.p99'))} ms",
        ],
        ["... inside a flood of four agents", f"{small(of('latency.flood.p50'))} / {small(of('latency.flood.p99'))} ms"],
        [
            f"{sessions} idle sessions in one host: wake-ups in {seconds:.0f} s / memory of each",
            f"{of('idle.wakeups'):.0f} / {of('idle.memory_per_session'):.0f} KB",
        ],
        [
            "a spinner and a clock, drawn four times a second: wake-ups / CPU for each",
            f"{of('frames.wakeups'):.1f} / {of('frames.cpu'):.0f} µs",
        ],
        ["a spawn with 512 MB resident, p50 / p99", f"{small(of('spawn.512mb.p50'))} / {small(of('spawn.512mb.p99'))} ms"],
    ]
    return table(["a live session", ""], rows)


LOOKS = {"runs": "runs -n 0", "runs_json": "runs -n 0 --json", "newest": "runs", "status": "status, show, wait, logs"}


def times_of(figures: Figures) -> dict[str, list[tuple[float, float]]]:
    """Of each command that looks: with so many records, so many milliseconds."""
    found: dict[str, list[tuple[float, float]]] = {}
    for name, figure in figures.items():
        command, _, rest = name.partition(".")
        records, _, what = rest.partition(".")
        if command in LOOKS and what == "median":
            found.setdefault(f"orch {LOOKS[command]}", []).append((int(records), figure.value))
    return found


def records(figures: Figures) -> str:
    times = times_of(figures)
    counts = sorted({count for line in times.values() for count, _ in line})
    rows = [[f"`{name}`", *(grouped(dict(line)[count]) for count in counts)] for name, line in times.items()]
    return table(["ms, with so many runs on record", *(grouped(count) for count in counts)], rows)


GROWTH = {  # by figure of bench/growth_cost: what it is
    "rest.cpu": "host's CPU, agents at rest, % of a core",
    "work.cpu": "... each drawing four times a second",
    "rest.memory": "host's own memory, MB",
    "rest.descriptors": "host's descriptors",
    "rest.start": "all have begun, ms",
    "rest.end": "all have ended, ms",
    "work.status.p99": "`orch status`, p99, ms",
    "work.send.p99": "`orch send`, p99, ms",
    "work.sessions.p50": "`orch sessions`, ms",
    "work.top.p50": "`orch top --json`, ms",
}


def growth_of(figures: Figures) -> dict[str, dict[int, float]]:
    """Of each figure of GROWTH: its values by the number of sessions."""
    found: dict[str, dict[int, float]] = {what: {} for what in GROWTH}
    for name, figure in figures.items():
        bench, _, rest = name.partition(".")
        sessions, _, what = rest.partition(".")
        if bench == "growth" and what in found:
            found[what][int(sessions)] = figure.value
    return found


def growth(figures: Figures) -> str:
    values = growth_of(figures)
    counts = sorted({count for line in values.values() for count in line})
    rows = [[title, *(grouped(values[what][count]) if values[what][count] >= 10 else small(values[what][count]) for count in counts)]
            for what, title in GROWTH.items()]
    return table(["sessions of one host", *(grouped(count) for count in counts)], rows)


def growth_lines(figures: Figures) -> dict[str, list[tuple[float, float]]]:
    """For the plot: what nobody can see is left out."""
    names = {"rest.memory": "memory, MB", "work.cpu": "CPU, %", "work.sessions.p50": "orch sessions, ms",
             "work.top.p50": "orch top, ms", "work.status.p99": "status p99, ms"}
    values = growth_of(figures)
    lines = {title: [(float(count), value) for count, value in values[what].items() if value > 0] for what, title in names.items()}
    return {title: line for title, line in lines.items() if line}


PEER_NAMES = {"orch": "orch: detected, recorded, reported", "tmux": "tmux", "tmux+capture": "tmux, each pane captured once a second",
              "script": "`script -f`: recorded"}


def peers(figures: Figures) -> str:
    def of(sessions: int, name: str, what: str) -> str:
        figure = figures.get(f"peers.{sessions}.{name}.{what}")
        return small(figure.value) if figure else "-"

    counts = sorted({int(name.split(".")[1]) for name in figures if name.startswith("peers.")})
    rows = [[title, *(f"{of(count, name, 'cpu')} / {of(count, name, 'memory')}" for count in counts)]
            for name, title in PEER_NAMES.items() if f"peers.{counts[0]}.{name}.cpu" in figures]
    return table(["% of a core / MB, with so many sessions", *(grouped(count) for count in counts)], rows)


BLOCKS: dict[str, tuple[Callable[[Figures], str], list[str]]] = {  # what makes them, of which benches
    "summary": (summary, ["accuracy"]),
    "accuracy": (accuracy, ["accuracy"]),
    "words": (words, ["words"]),
    "speed": (speed, ["speed"]),
    "records": (records, ["records_cost"]),
    "growth": (growth, ["growth_cost"]),
    "peers": (peers, ["peers_cost"]),
    "live": (live, ["live_pty", "live_turns", "live_flood", "live_idle", "live_frames", "live_spawn"]),
}
PAGES = {"README.md": ["summary"], "docs/internals/figures.md": ["accuracy", "words", "speed", "live", "growth", "peers", "records"]}  # where they stand


def blocks_in(page: str, text: str) -> dict[str, str]:
    """The blocks of a page of PAGES, by name."""
    found = {match[1]: match[2] for match in BLOCK.finditer(text)}
    if sorted(found) != sorted(PAGES[page]) or len(BLOCK.findall(text)) != len(found):
        raise Unusable(f"{page} has the figures {sorted(found)}, and not each of {sorted(PAGES[page])} once")
    return found


def replaced(text: str, made: dict[str, str]) -> str:
    def block(match: re.Match) -> str:
        return f"<!-- figures:{match[1]} -->\n{made.get(match[1], match[2])}<!-- /figures -->\n"

    return BLOCK.sub(block, text)


def cells(block: str) -> dict[str, str]:
    """The cells of a table, by row and column; other lines by their number."""
    found, head, text = {}, [], 0
    for line in filter(None, block.splitlines()):
        if not line.startswith("|"):
            text += 1
            found[f"line {text} of text"] = line
            continue
        row = [cell.strip() for cell in line.strip("|").split("|")]
        if not head:
            head = row
        elif not line.startswith("|---"):
            for column, cell in zip(head[1:], row[1:], strict=False):
                found[f"{row[0]}, {column}" if column else row[0]] = cell
    return found


def moved(old: str, new: str) -> list[str]:
    """A line for each cell that is not what it was."""
    before, now = cells(old), cells(new)
    lines = [f"{name}: {before.get(name, '-')} → {cell}{change(before.get(name), cell)}" for name, cell in now.items() if before.get(name) != cell]
    return lines + [f"{name}: {cell} → gone" for name, cell in before.items() if name not in now]


def change(old: str | None, new: str) -> str:
    try:
        before, now = float((old or "").replace(",", "")), float(new.replace(",", ""))
    except ValueError:
        return ""
    return f" ({100 * (now / before - 1):+.1f} %)" if before else ""
