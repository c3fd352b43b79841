"""What the model said and when, from the facts of its server."""

import json
import re
from pathlib import Path

from model_server import Fact
from told import Beginning

SEQUENCE = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[ -/]*[0-~])")


def said(facts: list[Fact]) -> str:
    """Every text that was sent, in order, each with an empty line after it."""
    return "".join("".join(piece.text for piece in text) + "\n\n" for text in _texts(facts))


def before_cut(facts: list[Fact], until: float, drawn_characters: str) -> str:
    """The lines that had been sent by then, and of the one that was under way the whole words that were drawn: not
    every CLI draws a line before it is whole."""
    text = "".join(fact.text for fact in facts if fact.kind == "said" and fact.time <= until)
    lines, _, unfinished = text.rpartition("\n")
    words = re.sub(r"\S+\Z", "", unfinished).split()
    while words and "".join(words) not in drawn_characters:
        words.pop()
    return f"{lines}\n{' '.join(words)}"


def drawn(recording: Path | None) -> str:
    """All characters of a recording in the order in which they came, without blanks."""
    events = map(json.loads, recording.read_text(encoding="utf-8").splitlines()[1:]) if recording else []
    output = "".join(event[2] for event in events if event[1] == "o")
    return "".join(SEQUENCE.sub("", output).split())


def beginnings(facts: list[Fact]) -> list[Beginning]:
    """Of each text that was sent."""
    return [_beginning(text) for text in _texts(facts)]


def _beginning(text: list[Fact]) -> Beginning:
    line_ends = next((piece for piece in text if "\n" in piece.text), text[-1])
    return Beginning("".join(piece.text for piece in text), text[0].time, line_ends.time)


def _texts(facts: list[Fact]) -> list[list[Fact]]:
    """The pieces of each text: of one step of one request."""
    texts: list[list[Fact]] = []
    open_text: list[Fact] = []
    for fact in facts:
        if fact.kind == "step":
            open_text = []
        elif fact.kind == "said":
            if not open_text:
                texts.append(open_text)
            open_text.append(fact)
    return texts
