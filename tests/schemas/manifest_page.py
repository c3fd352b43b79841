#!/usr/bin/env python3
"""manifest_page.py [--write]: compares the tables of docs/internals/manifest.md with docs/schemas/manifest.schema.json, of which
they are made. The part above MARK is written by hand. Exit 1: they differ; with --write they are written anew."""

import difflib
import json
import sys
from pathlib import Path

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGE = DOCS / "internals/manifest.md"
MARK = "<!-- script/pages writes this table from orch agents --schema. -->\n"
SCHEMA = json.loads((DOCS / "schemas/manifest.schema.json").read_text())
DEFS = "#/$defs/"
SCALARS = ("RE2", "way", "conditions")


def kind_of(schema: dict) -> str:
    """The kind of object that a member holds, or a list of which; "" of any other member."""
    for one in (schema, schema.get("items", {}), *schema.get("anyOf", [])):
        name = one.get("$ref", "").removeprefix(DEFS)
        if name and name not in SCALARS:
            return name
    return ""


def type_of(member: dict) -> str:
    """In one word: its default, if it has one."""
    if "default" in member:
        return json.dumps(member["default"])
    if "$ref" in member:
        return member["$ref"].removeprefix(DEFS)
    if "enum" in member:
        return "/".join(word for word in member["enum"] if isinstance(word, str))
    if member["type"] == "array":
        return "[" + type_of(member["items"]) + "]"
    if member["type"] == "object":
        values = member.get("additionalProperties") or next(iter(member.get("properties", {}).values()), {})
        return "{" + (type_of(values) if values else "any") + "}"
    return {"string": "text", "integer": "number"}.get(member["type"], member["type"])


def members_of(schema: dict) -> dict:
    return {name: member for name, member in schema["properties"].items() if name != "about"}


def taken_from(kind: str, members: dict, known: list[str]) -> tuple[str, dict]:
    """The kind of object that was shown before and whose members these have, too, among others; those members."""
    for other in known:
        shown = members_of(SCHEMA["$defs"][other])
        if other != kind and len(shown) > 2 and shown.items() <= members.items():
            return other, shown
    return "", {}


def rows_of(kind: str, schema: dict, before: str, known: list[str]):
    """A row for each member of a kind of object, and for those of the objects in it. `known`: the kinds shown."""
    other, taken = taken_from(kind, members_of(schema), known)
    if other:
        yield f"`{before}*`||as in `{other}`, and:"
    for name, member in members_of(schema).items():
        if name in taken:
            continue
        inner = kind_of(member)
        is_list = inner and ("items" in member or "anyOf" in member)
        required = "*" if name in schema["required"] else ""
        row = f"`{before}{name}{'[]' if is_list else ''}`{required}|{'' if inner else type_of(member)}|{member['description']}"
        if inner in known:
            yield f"{row}: `{inner}`"
            continue
        yield row
        if inner:
            known.append(inner)
            yield from rows_of(inner, SCHEMA["$defs"][inner], f"{before}{name}{'[]' if is_list else ''}.", known)


def page() -> str:
    return "\nmember|type|meaning\n-|-|-\n" + "\n".join(rows_of("", SCHEMA, "", [])) + "\n"


def main() -> int:
    before = PAGE.read_text()
    introduction, _, _ = before.partition(MARK)
    now = introduction + MARK + page()
    if before == now:
        return 0
    if sys.argv[1:] == ["--write"]:
        PAGE.write_text(now)
        return 0
    print("docs/internals/manifest.md is not as the schema says; script/pages writes it anew:")
    print("\n".join(list(difflib.unified_diff(before.splitlines(), now.splitlines(), "is", "should be", lineterm=""))[:40]))
    return 1


sys.exit(main())
