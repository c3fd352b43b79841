"""What the model got against what was sent: every message once, in order, as it was. Pure.

What the CLIs themselves change, and nothing else, is put aside; see `as_kept`."""

import re
import unicodedata
from dataclasses import dataclass

from messages import REFERENCED_FILE, TAG, Message, as_delivered

ACCEPTED, REFUSED = "accepted", "would_be_command"

# Texts that the CLIs add to the user's words.
NOISE = {
    "claude": (r"<system-reminder>",),
    "codex": (r"<environment_context>",),
    "kilo": (r"\s*<environment_details>",),
    "kimi": (r"<system-reminder>",),
    "qwen": (
        r"<system-reminder>", r"\n(--- )?(Content from|End of content)", r"Showing up to \d+ items:",
        re.escape(REFERENCED_FILE.strip()),
    ),
    "aider": (
        r"Change get_factorial\(\)", r"Refactor hello\(\)", r"I switched to a new code base",
        r"I am not sharing any files", r"Here are summaries of some files",
    ),
    "gemini": (r"<session_context>", r"\n(--- )?(Content from|End of content)", re.escape(REFERENCED_FILE.strip())),
}


@dataclass(frozen=True)
class Sent:
    """A message and what orch told of it: one of the results of a delivery, or what else it said."""

    message: Message
    result: str
    to_refuse: bool = False  # the CLI takes its first character for a command
    may_be_led: bool = False  # ... but orch may put a line of its own before it instead


@dataclass(frozen=True)
class Verdict:
    """`outcomes` are in the order of the messages: right, lost, doubled, merged, altered, or refused, which is right
    where `to_refuse`. `faults` says what else is wrong."""

    outcomes: list[str]
    faults: list[str]


def as_kept(agent: str, text: str) -> str:
    """What must be equal of a text: all but the white space at its ends, which the CLIs trim (claude where it
    shows the text, and not "[Pasted text]"), and what each is known to change."""
    match agent:
        case "claude":  # composes accents, draws a tab as four blanks
            text = unicodedata.normalize("NFC", text).replace("\t", "    ")
        case "pi" | "kimi":  # draws a tab as four blanks
            text = text.replace("\t", "    ")
        case "aider":  # puts the rules of its edits behind
            text = text.partition("\n\n# *SEARCH/REPLACE block* Rules:")[0]
        case "copilot":  # puts the time before, and notes behind
            text = re.sub(r"^<current_datetime>[^<]*</current_datetime>\s*", "", text)
        case "gemini":  # a folder that is named stands for the files in it, which it sends along
            text = re.sub(r"(@[\w/]+?)/\*\*", r"\1", text)
    return text.strip()


def judge(agent: str, sent: list[Sent], texts: list[str]) -> Verdict:
    """`texts`: all that the last request gives as the user's words, oldest first."""
    places = {s.message.tag: [i for i, text in enumerate(texts) if s.message.tag in text] for s in sent}
    outcomes = [_outcome(agent, s, texts, places[s.message.tag]) for s in sent]
    faults = []
    for one, outcome in zip(sent, outcomes, strict=True):
        arrived = bool(places[one.message.tag])
        if (one.result == ACCEPTED) != arrived:
            faults.append(f"{one.message.tag}: {one.result}, but {'it arrived' if arrived else 'it did not arrive'}")
    arrivals = [(min(places[s.message.tag]), s.message.group) for s in sent if places[s.message.tag]]
    groups = [group for _, group in sorted(arrivals)]
    if groups != sorted(groups):
        faults.append("out of order")
    noise = re.compile("|".join(NOISE.get(agent, ("(?!)",))))
    strays = [text for text in texts if not TAG.search(text) and not noise.match(text)]
    faults += [f"stray words: {stray[:60]!r}" for stray in strays]
    return Verdict(outcomes, faults)


def same(agent: str, sent: str, received: str) -> bool:
    return as_kept(agent, as_delivered(sent)) == as_kept(agent, received)


def _outcome(agent: str, sent: Sent, texts: list[str], places: list[int]) -> str:
    tag = sent.message.tag
    if not places:
        return "refused" if sent.result == REFUSED and sent.to_refuse else "lost"
    text = texts[places[0]]
    if len(places) > 1 or text.count(tag) > 1:
        return "doubled"
    if len(set(TAG.findall(text))) > 1:
        return "merged"
    if sent.to_refuse:
        lead, _, text = text.partition("\n")
        if not sent.may_be_led or not lead.strip() or tag in lead:
            return "altered"
    return "right" if same(agent, sent.message.text, text) else "altered"
