"""A variant's interface for bots in WebAssembly as text: a summary for the brief, and all fields with their meaning."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from textwrap import wrap
from typing import Any

import msgspec

from botleague.plugins.boundary import Boundary
from botleague.rules import Variant, wasm_of
from botleague.rules.testing.wasm_lines import PROTOCOL, adapter_of

_WIDTH = 100

_WORDS = {
    "integer": "integer",
    "number": "number",
    "string": "text",
    "boolean": "true or false",
    "null": "null",
    "object": "object",
}


def wasm_summary(variant: Variant) -> Iterator[str]:
    """Yield the lines of the summary: the names of all fields, without meaning."""
    memory = "one turn" if adapter_of(variant, 0).memory == "turn" else "a match"
    # `new bot` refuses a language for a variant that declares no interface.
    start = (
        f" Start with `botleague new bot NAME --variant {variant.name} --language c`." if variant.wasm else ""
    )
    yield from _paragraph(
        "For bots in C, Zig, Rust, Go or AssemblyScript: a line of JSON per question on standard input, one per answer "
        f"on standard output. Memory lasts for {memory}.{start}"
    )
    for title, schema in wasm_schemas(variant).items():
        names = ", ".join(_resolved(schema, schema.get("$defs", {})).get("properties", {}))
        if names:
            yield from _paragraph(f"{title}: {names}")
    if legal := wasm_of(variant).legal:
        yield from _paragraph(f"Legal: {legal}")


def wasm_fields(variant: Variant) -> str:
    """Return all fields of questions and answers with type and meaning."""
    lines: list[str] = []
    for title, schema in wasm_schemas(variant).items():
        definitions = schema.get("$defs", {})
        resolved = _resolved(schema, definitions)
        lines += [f"{title}: {_type_in_words(schema, definitions)}"]
        meaning = resolved.get("description", "").replace("``", "`")
        lines += [f"  {line}" for line in wrap(meaning, _WIDTH - 2)]
        lines += _fields(resolved, definitions, "  ")
        lines.append("")
    return "\n".join(lines)


def wasm_schemas(variant: Variant) -> dict[str, Any]:
    """Return the JSON Schemas of the lines' parts that the variant declares, by their names."""
    with Boundary("declared types of", variant.name):
        return {name: msgspec.json.schema(kind) for name, kind in wasm_of(variant).parts().items()}


def plain_wasm(variant: Variant) -> dict[str, Any]:
    """Return the interface as plain JSON data: memory, legal and safe answers, schemas."""
    interface = wasm_of(variant)
    return {
        "protocol": PROTOCOL,
        "memory": adapter_of(variant, 0).memory,
        "legal": interface.legal,
        "safe": list(interface.safe),
        "declaration": interface.declaration,
        "schemas": wasm_schemas(variant),
    }


def _fields(schema: Mapping[str, Any], definitions: Mapping[str, Any], indent: str) -> Iterator[str]:
    required = schema.get("required", ())
    for name, field in schema.get("properties", {}).items():
        optional = "" if name in required else ", optional"
        text = f"{name} ({_type_in_words(field, definitions)}{optional}): {field.get('description', '')}"
        yield from wrap(text, _WIDTH, initial_indent=indent, subsequent_indent=indent + "    ")
        for inner in _objects(field, definitions):
            if inner.get("title") != schema.get("title"):
                yield from _fields(inner, definitions, indent + "    ")


def _objects(schema: Mapping[str, Any], definitions: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Yield the schemas of the objects that a value is, or that it is a list of."""
    resolved = _resolved(schema, definitions)
    if "properties" in resolved:
        yield resolved
    for option in resolved.get("anyOf", ()):
        yield from _objects(option, definitions)
    if isinstance(resolved.get("items"), dict):
        yield from _objects(resolved["items"], definitions)


def _type_in_words(schema: Mapping[str, Any], definitions: Mapping[str, Any]) -> str:
    resolved = _resolved(schema, definitions)
    if "anyOf" in resolved:
        words = dict.fromkeys(_type_in_words(option, definitions) for option in resolved["anyOf"])
        if "number" in words:
            words.pop("integer", None)
        return " or ".join(words)
    if "enum" in resolved:
        return " or ".join(map(str, resolved["enum"]))
    kind = resolved.get("type", "any value")
    if kind != "array":
        return "base64 text" if resolved.get("contentEncoding") == "base64" else _WORDS.get(kind, kind)
    items: Mapping[str, Any] = resolved.get("items") or next(iter(resolved.get("prefixItems", ())), {})
    least, most = resolved.get("minItems"), resolved.get("maxItems")
    number = f" of {least}" if least is not None and least == most else ""
    return f"list{number} of {_type_in_words(items, definitions)}"


def _resolved(schema: Mapping[str, Any], definitions: Mapping[str, Any]) -> Mapping[str, Any]:
    if "$ref" not in schema:
        return schema
    resolved: Mapping[str, Any] = definitions[schema["$ref"].rpartition("/")[2]]
    return resolved


def _paragraph(text: str) -> list[str]:
    return wrap(text, _WIDTH, initial_indent="  ", subsequent_indent="      ", break_long_words=False)
