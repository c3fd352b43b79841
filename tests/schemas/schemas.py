#!/usr/bin/env python3
"""schemas.py RECORD_SCHEMAS [--write]: compares the schemas of docs with the lists of fields in src, of which they are
made. A list says which fields there are, in which order, of which type, and which are always there; that stands anew
in the schema each time. What a list does not know is written in the schema by hand, and stays: descriptions, patterns,
bounds, the words of a text. RECORD_SCHEMAS is the program that prints what the lists say. Exit 1: they differ, or a
field has no description; with --write the schemas are written as the lists say."""

import difflib
import json
import subprocess
import sys
from pathlib import Path

DOCS = Path(__file__).resolve().parents[2] / "docs"
VOCABULARY = "schemas/vocabulary.schema.json"
COLUMNS = 100
# The records that have a schema of their own, which the others name.
OWN = {"request": "request.schema.json"}
# The parts of schemas that are made of lists: file and where in it, which list, and the fields that are written by hand
# all the same: those beside the list's, and those of which the list does not know enough.
DEFINED = "schemas/vocabulary.schema.json#/$defs/"
EVENT = "events.schema.json#/$defs/"
MADE = [
    ("schemas/result.schema.json", "result", []),
    ("schemas/request.schema.json", "request", []),
    (DEFINED + "usage", "usage", []),
    (DEFINED + "budget", "budget", []),
    (DEFINED + "dialog", "dialog", ["commands"]),
    (DEFINED + "gates/items", "gate", []),
    (DEFINED + "changes", "changes", []),
    (DEFINED + "worktree", "worktree", []),
    ("schemas/run-detached.schema.json", "identity", []),
    ("schemas/send.schema.json", "identity", ["message", "result", "detail", "code", "enters", "status", "cause", "screen"]),
    ("schemas/answer.schema.json", "identity", ["result", "answer", "answers", "dialog"]),
    ("schemas/keys.schema.json", "identity", ["result", "keys"]),
    ("schemas/reset.schema.json", "identity", ["result"]),
    ("schemas/wait.schema.json#/items", "standing", ["reached"]),
    ("schemas/kill.schema.json#/items", "standing", ["left"]),
    ("schemas/stop.schema.json", "standing", ["left"]),
    ("schemas/sessions.schema.json#/items", "session", []),
    ("schemas/top.schema.json#/items", "session", []),
    ("schemas/status.schema.json", "session", []),
    ("schemas/crew-status.schema.json#/properties/members/items", "session", ["member", "role", "inbox"]),
    ("schemas/runs.schema.json#/items", "run", ["summary"]),
    ("schemas/show.schema.json", "run", ["result", "files"]),
    (EVENT + "session", "event session", ["agent"]),  # which is never empty, so that it is always there
    (EVENT + "status", "event status", []),
    (EVENT + "output", "event output", ["speaker"]),  # which an earlier orch did not write
    (EVENT + "message", "event message", []),
    (EVENT + "dialog", "event dialog", ["cause"]),  # one of those that wait
    (EVENT + "tool", "event tool", []),
    (EVENT + "usage", "event usage", []),
    (EVENT + "turn", "event turn", []),
    (EVENT + "gate", "event gate", []),
    (EVENT + "exit", "event exit", []),
]


class Documents:
    """The schemas of docs, by their paths in it."""

    def __init__(self):
        self._read: dict[str, dict] = {}

    def document(self, name: str) -> dict:
        if name not in self._read:
            self._read[name] = json.loads((DOCS / name).read_text())
        return self._read[name]

    def names(self) -> list[str]:
        return list(self._read)

    def part(self, name: str, place: str) -> dict:
        part = self.document(name)
        for word in filter(None, place.split("/")):
            part = part[word]
        return part

    def resolved(self, name: str, schema: dict) -> tuple[str, dict]:
        """What a $ref of this document means, and where it stands."""
        while "$ref" in schema:
            file, _, place = schema["$ref"].partition("#")
            name = str(Path(name).parent / file) if file else name
            schema = self.part(name, place)
        return name, schema


def type_of(value: object) -> str:
    return {type(None): "null", str: "string", bool: "boolean", int: "integer"}[type(value)]


class Merge:
    """One document's parts, as the lists say."""

    def __init__(self, documents: Documents, name: str):
        self._documents, self._name = documents, name
        has_own_words = name in (VOCABULARY, "events.schema.json", f"schemas/{OWN['request']}")
        self._words = {} if has_own_words else documents.document(VOCABULARY)["$defs"]
        self.faults: list[str] = []

    def part(self, made: dict, kept: dict, by_hand: list[str], place: str) -> dict:
        """The schema of an object: `made` of its list, `kept` as it stands in the document."""
        before, required_before = kept.get("properties", {}), kept.get("required", [])
        fields = {}
        for field, schema in made["properties"].items():
            fields[field] = self._field(schema, before.get(field, {}), field, f"{place}.{field}")
        fields |= {field: before[field] for field in by_hand}
        required = [field for field in fields if field in (required_before if field in by_hand else made["required"])]
        # What is kept comes first, so that it keeps its order. That an event has no additionalProperties stays so.
        return (kept or made) | {"required": required, "properties": fields}

    def _field(self, made: dict, kept: dict, field: str, place: str) -> dict:
        if field in self._words:
            if not self._allows(self._words[field], VOCABULARY, made, is_shared=True):
                self.faults.append(f"{place}: the list says {json.dumps(made)}, and the vocabulary otherwise")
            return {"$ref": f"{Path(VOCABULARY).name}#/$defs/{field}"}
        if field in OWN:
            return {"$ref": OWN[field]} | described(kept)
        schema = kept if self._allows(kept, self._name, made) else made | described(kept)
        schema |= described(made)
        if not {"description", "$ref", "const"} & schema.keys():
            self.faults.append(f"{place} has no description: write one into docs/{self._name}")
        if "properties" in made and "$ref" not in schema:
            return self.part(made, schema, [], place)
        if "properties" in made.get("items", {}) and "$ref" not in schema["items"]:
            return schema | {"items": self.part(made["items"], schema["items"], [], place)}
        return schema

    def _allows(self, kept: dict, name: str, made: dict, is_shared: bool = False) -> bool:
        """Whether what is kept allows just what the list says. What several lists share may allow more, and the words
        of a text are nothing that a list knows."""
        if not kept:
            return False
        types, words = self._values(name, kept)
        made_types, made_words = self._values("", made)
        if made_words is None and words is not None:
            return types <= made_types
        if is_shared:
            return types >= made_types and (words is None or words >= (made_words or set()))
        return (types, words) == (made_types, made_words)

    def _values(self, name: str, schema: dict) -> tuple[set, set | None]:
        """Which types a value may have, and which words alone."""
        name, schema = self._documents.resolved(name, schema)
        if "anyOf" in schema:
            types, words = set(), set()
            for one_types, one_words in (self._values(name, one) for one in schema["anyOf"]):
                types |= one_types
                words |= one_words if one_words is not None else {None}
            return types, words
        if "enum" in schema:
            return {type_of(word) for word in schema["enum"]}, set(schema["enum"])
        if "const" in schema:
            return {type_of(schema["const"])}, {schema["const"]}
        return {schema["type"]} if isinstance(schema["type"], str) else set(schema["type"]), None


def described(kept: dict) -> dict:
    return {"description": kept["description"]} if "description" in kept else {}


def text_of(value: object, indent: int = 0) -> str:
    """As JSON, in lines of up to COLUMNS columns."""
    line = json.dumps(value, ensure_ascii=False)
    if not isinstance(value, (dict, list)) or indent + len(line) <= COLUMNS:
        return line
    inner, end = " " * (indent + 2), "\n" + " " * indent
    if isinstance(value, dict):
        members = (f"{inner}{json.dumps(key)}: {text_of(member, indent + 2)}" for key, member in value.items())
        return "{\n" + ",\n".join(members) + end + "}"
    if any(isinstance(item, (dict, list)) for item in value):
        return "[\n" + ",\n".join(inner + text_of(item, indent + 2) for item in value) + end + "]"
    lines = [inner]
    for item in (json.dumps(item, ensure_ascii=False) for item in value):
        if lines[-1] != inner and len(lines[-1]) + len(item) + 2 > COLUMNS:
            lines.append(inner)
        lines[-1] += (" " if lines[-1] != inner else "") + item + ","
    return "[\n" + "\n".join(lines)[:-1] + end + "]"


def main() -> int:
    program, *flags = sys.argv[1:]
    lists = json.loads(subprocess.run([program], capture_output=True, text=True, check=True).stdout)
    documents, faults = Documents(), []
    for made_part, record, by_hand in MADE:
        name, _, place = made_part.partition("#")
        merge = Merge(documents, name)
        kept = documents.part(name, place)
        made = merge.part(lists[record], kept, by_hand, made_part)
        kept.clear()
        kept |= made
        faults += merge.faults
    for name in documents.names():
        before, now = (DOCS / name).read_text(), text_of(documents.document(name)) + "\n"
        if before == now:
            continue
        if "--write" in flags:
            (DOCS / name).write_text(now)
            continue
        faults.append(f"docs/{name} is not as the lists of fields say; script/pages writes it anew")
        faults += list(difflib.unified_diff(before.splitlines(), now.splitlines(), "is", "should be", lineterm=""))[:40]
    if faults:
        print("\n".join(faults))
    return 1 if faults else 0


sys.exit(main())
