"""What a model said against what orch told of it: word by word, in order, the signs of markdown aside. Pure."""

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise

# What markdown is written with, what the CLIs draw for it, and the dashes that both may change.
# Those within a line stand at words without a blank.
SIGNS = str.maketrans({sign: "" for sign in "*_`"} | {sign: " " for sign in "#>|▌•◦●⏺✦▎│┃┌┬┐├┼┤└┴┘╭╮╰╯─━═╌-–—"})
# A row may end anywhere between two of these, without a blank.
WIDE = r"[\u3000-\u30ff\u3400-\u9fff\uac00-\ud7af\uff00-\uffef]"
TOKEN = re.compile(rf"{WIDE}|(?:(?!{WIDE})\S)+")
NUMBER = re.compile(r"^(\s*\d+)\.(?=\s)", re.MULTILINE)  # aider draws that of a list without its point
FENCE = re.compile(r"^\s*(```|~~~)\s*\w*\s*$", re.MULTILINE)
# Signs of the interfaces: boxes, rules, key hints, footers.
CHROME = re.compile(
    r"[╭╮╰╯│┃╹▀▄█▌▐]|(esc|ctrl\+\w|shift\+tab|enter) to |\? for shortcuts|\btokens\b.*\bused|context left|/help"
    r"|tab to cycle|no sandbox|YOLO|^\s*[─━═]{8,}\s*$",
    re.IGNORECASE,
)
LONG_LINE = 12  # characters; a shorter line may well be said twice
SHORTEST_BEGINNING = 4  # characters
NEIGHBOURS = 6  # words on either side of a gap by which it is found on a screen
FIRST_WORDS = 4


def tokens(text: str) -> list[str]:
    plain = NUMBER.sub(r"\1", FENCE.sub("", text))
    return TOKEN.findall(unicodedata.normalize("NFC", plain).translate(SIGNS))


@dataclass(frozen=True)
class Comparison:
    """`words` had to be told, `told` of them were, in order. `repeats`: lines told more often than they were said;
    `partial`: lines told before they were whole; `chrome`: lines of the interface; `strange`: words told that
    the model did not say there, or not so often, bare numbers aside (gemini numbers the rows of code), and where the
    run was cut the last word, which may have been half a word. `taken_back`: words that the agent erased, see
    taken_back(); they are not among `words`. `missing` are the first words that were not told, and where."""

    words: int
    told: int
    repeats: int
    partial: int
    chrome: int
    strange: int
    taken_back: int = 0
    missing: str = ""

    def faults(self) -> list[str]:
        names = {"repeats": self.repeats, "partial": self.partial, "chrome": self.chrome, "strange words": self.strange}
        faults = [f"{count} {name}" for name, count in names.items() if count]
        if self.told < self.words:
            faults.insert(0, f"{self.words - self.told} of {self.words} words not told: {self.missing}")
        return faults


def compare(needed: str, said: str, told: list[str], screens: Sequence[str] = ()) -> Comparison:
    """`needed`, the beginning of `said`, must have been told; the rest may. `screens`: what the agent's terminal showed
    at the ends of its turns."""
    want, all_said, got = tokens(needed), tokens(said), [token for line in told for token in tokens(line)]
    whole = " ".join(all_said)
    often = Counter(" ".join(tokens(line)) for line in said.splitlines())
    seen = Counter(" ".join(tokens(line)) for line in told)
    allowed = {line: max(1, often[line], whole.count(line)) for line in seen if len(line) >= LONG_LINE}
    kept = in_order(want, got)
    back = taken_back(want, kept, screens)
    return Comparison(
        words=len(want) - len(back),
        told=len(kept),
        repeats=sum(max(0, seen[line] - count) for line, count in allowed.items()),
        partial=sum(map(_is_beginning, told, told[1:])),
        chrome=sum(map(partial(_is_chrome, whole), told)),
        strange=_strange(all_said, got if len(want) == len(all_said) else got[:-1]),
        taken_back=len(back),
        missing=_missing(want, sorted(kept + back)),
    )


def taken_back(want: list[str], kept: list[int], screens: Sequence[str]) -> list[int]:
    """The places of words that the agent erased: at the end of a turn its screen has the words before them directly
    above the words after them. gemini 0.61 does so with rows that it drew a few milliseconds before."""
    shown = [f" {' '.join(tokens(screen))} " for screen in screens]
    places = []
    for first, end in gaps(len(want), kept):
        before, after = want[max(0, first - NEIGHBOURS) : first], want[end : end + NEIGHBOURS]
        closed = f" {' '.join(before + after)} "
        if len(before) == len(after) == NEIGHBOURS and any(closed in screen for screen in shown):
            places += range(first, end)
    return places


def gaps(length: int, kept: list[int]) -> list[tuple[int, int]]:
    """The first place of each gap between the kept ones, and the place behind it."""
    edges = [-1, *kept, length]
    return [(left + 1, right) for left, right in pairwise(edges) if right > left + 1]


def in_order(want: list[str], got: list[str]) -> list[int]:
    """The places in `want` of a longest sequence that `got` has in the same order."""
    # Hyyrö's bit-parallel algorithm: a row of the table of lengths is one number, with a 0 where the length grows.
    places: dict[str, int] = {}
    for place, token in enumerate(want):
        places[token] = places.get(token, 0) | 1 << place
    every = (1 << len(want)) - 1
    row, rows = every, []
    for token in got:
        both = row & places.get(token, 0)
        row = ((row + both) | (row - both)) & every
        rows.append(row)
    return _walk_back(want, got, rows, every)


def _walk_back(want: list[str], got: list[str], rows: list[int], every: int) -> list[int]:
    kept, place, step = [], len(want) - 1, len(got) - 1
    while place >= 0 and step >= 0:
        before = rows[step - 1] if step else every
        if rows[step] >> place & 1:  # the length is the same without this word of `want`
            place -= 1
        elif not before >> place & 1:  # ... and without this one of `got`
            step -= 1
        else:
            kept.append(place)
            place, step = place - 1, step - 1
    return kept[::-1]


def _strange(said: list[str], got: list[str]) -> int:
    matched = Counter(said[place] for place in in_order(said, got))
    return sum(count for token, count in (Counter(got) - matched).items() if not token.isdigit())


def _is_chrome(said: str, line: str) -> bool:
    words = " ".join(tokens(line))
    return bool(CHROME.search(line)) and (not words or words not in said)


def _is_beginning(line: str, after: str) -> bool:
    line, after = line.strip(), after.strip()
    return len(line) >= SHORTEST_BEGINNING and after != line and after.startswith(line)


def _missing(want: list[str], kept: list[int]) -> str:
    """The first gap, with the word before it."""
    first, end = next(iter(gaps(len(want), kept)), (None, None))
    if first is None:
        return ""
    words = want[first : min(end, first + 8)]
    behind = f"behind {want[first - 1]!r} " if first else "at the beginning "
    return behind + repr(" ".join(words)) + (" ..." if end > first + 8 else "")


@dataclass(frozen=True)
class Beginning:
    """A text that was said: when its first line had been sent, in seconds."""

    text: str
    begun: float  # its first character
    line_sent: float


def first_words_ms(said: list[Beginning], told: list[tuple[float, str]]) -> list[int]:
    """For each text that was told at all, how long its first words took. `told`: seconds and line."""
    delays = []
    for text in said:
        words = tokens(text.text)[:FIRST_WORDS]
        times = (time for time, line in told if time >= text.begun and (got := tokens(line)) and _opens(got, words))
        if (time := next(times, None)) is not None:
            delays.append(max(0, round(1000 * (time - text.line_sent))))
    return delays


def _opens(line: list[str], words: list[str]) -> bool:
    shorter = min(len(line), len(words))
    return line[:shorter] == words[:shorter]
