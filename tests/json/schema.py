"""A validator of JSON by JSON Schema, with those keywords alone that the schemas of docs/schemas use: any other one is an
error, so that no schema says what nobody looks at."""

import json
import re
from pathlib import Path

TYPES = {"object": dict, "array": list, "string": str, "boolean": bool, "null": type(None)}
KEYWORDS = {"$schema", "$ref", "$defs", "title", "description", "type", "enum", "pattern", "minimum", "maximum", "required",
            "properties", "additionalProperties", "items"}


class Schemas:
    """The schemas of a folder, by their files' names."""

    def __init__(self, folder: Path):
        self._documents = {path.name: json.loads(path.read_text()) for path in sorted(folder.glob("*.schema.json"))}

    def names(self) -> list[str]:
        return list(self._documents)

    def document(self, name: str) -> dict:
        return self._documents[name]

    def errors(self, value: object, name: str) -> list[str]:
        """What is wrong with the value, each with its place in it."""
        return self._errors(value, self._documents[name], name, "$")

    def _resolve(self, reference: str, name: str) -> tuple[dict, str]:
        file, _, pointer = reference.partition("#")
        name = file or name
        part = self._documents[name]
        for word in filter(None, pointer.split("/")):
            part = part[word]
        return part, name

    def _errors(self, value: object, schema: dict, name: str, place: str) -> list[str]:
        unknown = schema.keys() - KEYWORDS
        found = [f"{name}: the keyword {word} is not known" for word in unknown]
        if "$ref" in schema:
            found += self._errors(value, *self._resolve(schema["$ref"], name), place)
        if "type" in schema and not has_type(value, schema["type"]):
            return [*found, f"{place}: {value!r} is no {schema['type']}"]
        if "enum" in schema and value not in schema["enum"]:
            found.append(f"{place}: {value!r} is none of {schema['enum']}")
        if isinstance(value, str) and not re.search(schema.get("pattern", ""), value):
            found.append(f"{place}: {value!r} is not like {schema['pattern']}")
        if isinstance(value, int) and not schema.get("minimum", value) <= value <= schema.get("maximum", value):
            found.append(f"{place}: {value} is out of its range")
        if isinstance(value, list) and "items" in schema:
            for n, item in enumerate(value):
                found += self._errors(item, schema["items"], name, f"{place}[{n}]")
        if isinstance(value, dict):
            found += self._errors_of_members(value, schema, name, place)
        return found

    def _errors_of_members(self, value: dict, schema: dict, name: str, place: str) -> list[str]:
        found = [f"{place}: {key} is missing" for key in schema.get("required", []) if key not in value]
        properties, others = schema.get("properties", {}), schema.get("additionalProperties", True)
        for key, member in value.items():
            if key in properties:
                found += self._errors(member, properties[key], name, f"{place}.{key}")
            elif others is False:
                found.append(f"{place}: {key} is not in the schema")
            elif isinstance(others, dict):
                found += self._errors(member, others, name, f"{place}.{key}")
        return found


def has_type(value: object, types: str | list[str]) -> bool:
    def is_one(word: str) -> bool:
        is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
        if word == "integer":
            return is_number and float(value).is_integer()
        return is_number if word == "number" else isinstance(value, TYPES[word])

    return any(is_one(word) for word in ([types] if isinstance(types, str) else types))
