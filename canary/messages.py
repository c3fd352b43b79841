"""The messages that are sent, by kind: what goes wrong on the way into an input box. Each carries a tag of
its own, by which it is found in what the model got."""

import base64
import re
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

TAG = re.compile(r"msg\.[a-z]+\.[a-z]+\.\d{4}\.\d{2}")
LARGE_BYTES = 20_000
LONG_LINE = 4_000  # characters
BURST = 3
BYTE_ORDER_MARK = "\ufeff"
REFERENCED_FILE = "def mean(numbers):\n    return sum(numbers) / len(numbers)\n"  # src/mean.py: "@src" names it
# Some CLIs make an attachment of the path of a picture that exists.
PICTURE = Path(tempfile.gettempdir()) / "orch-canary" / "picture.png"
PICTURE_BYTES = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)

# What a CLI draws for its own dialogs, as words of ours.
DIALOGS = (
    "❯ 1. Yes / 2. No / Esc to cancel",
    "Do you want to proceed?\n❯ 1. Yes\n  2. No, and tell it what to do differently (esc)\n\nEsc to cancel",
    "Allow execution of: 'rm -rf build'?\n● 1. Allow once\n  2. No, suggest changes (esc)",
    "› 1. Yes, proceed (y)\n  2. No (esc)\n\nPress enter to confirm or esc to cancel",
    "Do you trust the files in this folder? (y/n)\n\n❯ 1. Yes, I trust this folder\n  2. No, exit",
)
JAPANESE = (
    "吾輩は猫である。名前はまだ無い。🐈\n「漢字・かな・カナ・半角ｶﾅ」、𠮷野家、①②③ – ＡＢＣ　全角空白。\n"
    "絵文字: 🙂 👩‍👩‍👧‍👦 👍🏽 🇯🇵 ❤️ 1️⃣\nどこで生れたかとんと見当がつかぬ。"
)
COMBINING = (
    "e\u0301 a\u0308 n\u0303 o\u0302\u0323, Z\u0351\u036b\u0343, \u1112\u1161\u11ab, नमस्ते, กำลัง, ﬁn, \u212b, "
    "\u05e9\u05dc\u05d5\u05dd\ne\u0301 alone, é whole"
)
CONTROLS = "CRLF here\r\nCR here\rESC \x1b[31mred\x1b[0m bell\x07 DEL\x7f NEL\x85 CSI\x9b5n end"


@dataclass(frozen=True)
class Message:
    kind: str
    tag: str
    text: str
    group: int  # messages of one group are sent at once


def message(kind: str, run: str, number: int, group: int) -> Message:
    """`run` is campaign.agent.index, the index in four digits."""
    tag = f"msg.{run}.{number:02d}"
    seed = int(run.rpartition(".")[2]) + number
    return Message(kind, tag, KINDS[kind](tag, seed), group)


def make_picture() -> None:
    PICTURE.parent.mkdir(exist_ok=True)
    if not PICTURE.exists():
        PICTURE.write_bytes(PICTURE_BYTES)


def session_kinds(index: int) -> list[list[str]]:
    """The groups of one session, the first message first; which of them follow in which order depends on the
    index, that each kind comes after each other."""
    turn = index % len(SESSION_GROUPS)
    return [["short"], *SESSION_GROUPS[turn:], *SESSION_GROUPS[:turn], ["short"]]


def as_delivered(text: str) -> str:
    """What orch gives to the CLI: CRLF and CR are LF; C0 but tab and LF, DEL and C1 are gone, and byte order
    marks at the beginning."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return re.sub(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]", "", text).lstrip(BYTE_ORDER_MARK)


def begins_command(text: str, commands: set[str]) -> bool:
    """Whether a CLI would take the text for a command; white space before it makes no difference."""
    return re.sub(rf"^[\s{BYTE_ORDER_MARK}]+", "", as_delivered(text))[:1] in commands


def _short(tag: str, _seed: int) -> str:
    return f"{tag} Say in a word that you have this."


def _lines(tag: str, _seed: int) -> str:
    rules = [f"{'  ' * (n % 3)}{n}. rule {n} of thirty, to be kept" for n in range(2, 31)]
    return "\n".join([f"{tag} Keep these rules:", *rules[:14], "", *rules[14:]]) + "\n"


def _many_lines(count: int) -> Callable[[str, int], str]:
    return lambda tag, seed: "\n".join([f"{tag} Keep this:", *(f"line {n} of it, {seed * n % 97}" for n in range(2, count + 1))])


def _large(tag: str, seed: int) -> str:
    text = f"{tag} Keep this in mind:\n"
    number = 0
    while len(text) < LARGE_BYTES:
        number += 1
        words = (f"word{(seed + number * k) % 997:03d}" for k in range(number % 17))
        text += f"{number:04d} {' '.join(words)}\n"
    return text[: LARGE_BYTES - 4] + " end"


def _long_line(tag: str, seed: int) -> str:
    words = " ".join(f"w{(seed + n * n) % 9973}" for n in range(LONG_LINE))
    return f"{tag} {words}"[:LONG_LINE]


def _tabs(tag: str, _seed: int) -> str:
    return f"{tag}\tname\tvalue\n\tone\t1\n\t\ttwice  indented\n    four blanks\tand a tab"


KINDS: dict[str, Callable[[str, int], str]] = {
    "short": _short,
    "lines": _lines,
    "large": _large,
    "25 lines": _many_lines(25),
    "300 lines": _many_lines(300),
    "sentence": lambda tag, _: f"Say in a word that you have {tag}. That is all.",
    "picture": lambda tag, _: f"{tag} Mend the header, as in {PICTURE}",
    "picture line": lambda tag, _: f"{tag} The layout is broken, see\n{PICTURE}",
    "picture list": lambda tag, _: f"{tag} It looks\n- before: {PICTURE}\n- after:\n{PICTURE}\n{PICTURE}\nMend it, all.\n",
    "no picture": lambda tag, _: f"{tag} It looks so:\n{PICTURE.with_name('none.png')}\nMend it.",
    "unicode": lambda tag, _: f"{tag} 次の文を訳して:\n{JAPANESE}",
    "combining": lambda tag, _: f"{tag} {COMBINING}",
    "dialog": lambda tag, seed: f"{tag} What does this ask?\n{DIALOGS[seed % len(DIALOGS)]}",
    "at-word": lambda tag, _: f"{tag} Explain what is in @src",
    "slash-word": lambda tag, _: f"{tag} Do not run /help",
    "tabs": _tabs,
    "long-line": _long_line,
    "controls": lambda tag, _: f"{tag} {CONTROLS}",
    "margins": lambda tag, _: f"\n  {tag} blanks and empty lines around \n\n",
    "backslash": lambda tag, _: f"{tag} The path is C:\\src\\",
    # The first character of these is a command to some CLIs.
    "picture first": lambda tag, _: f"{PICTURE}\n{tag} is how it looks",
    "/": lambda tag, _: f"/help {tag}",
    "!": lambda tag, _: f"!touch {tag}",
    "#": lambda tag, _: f"# {tag} a heading",
    "@": lambda tag, _: f"@sum.py {tag}",
    "?": lambda tag, _: f"? {tag} what is this",
    "burst": lambda tag, seed: _lines(tag, seed) if seed % 2 else _short(tag, seed),
}
COMMAND_KINDS = ("/", "!", "#", "@", "?")
# How a text may open: what is written so often, and what is no character of the text at all. Some of it looks
# like the CLIs' own lists and commands. Some are one line, some are as long as an issue.
OPENINGS = {
    "1.": "1. ", "-": "- ", ">": "> ", "# title": "# ", "bullet": "• ", "fence": "```\n", "NUL": "\0",
    "BOM": BYTE_ORDER_MARK, "blank": "  ", "empty line": "\n", "blank /": "\n /", "BOM /": BYTE_ORDER_MARK + "/",
}


def _opened(opening: str) -> Callable[[str, int], str]:
    lines = {"1. ": "2. and then this\n3. and that\n", "```\n": "```\n"}.get(opening, "")
    def text(tag: str, seed: int) -> str:
        more = "".join(f"\n## Part {n}\n\n- do this\n- and `that`\n" for n in range(seed % 3 * 4))
        return f"{opening}{tag} is how it begins\n{lines}{more}"
    return text


KINDS |= {name: _opened(opening) for name, opening in OPENINGS.items()}
COLD_KINDS = tuple(kind for kind in KINDS if kind not in (*COMMAND_KINDS, *OPENINGS, "burst"))
ISSUE_KINDS = (*OPENINGS, "/", "!")
SESSION_GROUPS = [
    ["lines"], ["/"], ["large"], ["!"], ["unicode"], ["#"], ["dialog"], ["@"], ["burst"] * BURST, ["?"],
    ["sentence"], ["picture line"], ["25 lines"], ["sentence"], ["picture list"], ["300 lines"], ["picture"],
]
