"""The part of JSON Schema that docs/result.schema.json uses; an unknown keyword is an error, not ignored."""
import re

TYPES = {"object": dict, "array": list, "string": str, "integer": int, "number": (int, float), "boolean": bool}
NOTES = {"$schema", "$defs", "title", "description"}


def is_type(value, name):
    return isinstance(value, TYPES[name]) and not (isinstance(value, bool) and name in ("integer", "number"))


def members(value, schema, root, at):
    for name, inner in schema.items():
        if name in value:
            yield from problems(value[name], inner, root, f"{at}.{name}")


def further_members(value, schema, root, at):
    """Of an object whose names are data; such a schema names no properties beside it."""
    for name, item in value.items():
        yield from problems(item, schema, root, f"{at}.{name}")


def elements(value, schema, root, at):
    for i, item in enumerate(value):
        yield from problems(item, schema, root, f"{at}[{i}]")


def resolve(reference, root):
    target = root
    for name in reference.removeprefix("#/").split("/"):
        target = target[name]
    return target


HOLDS = {
    "type": is_type,
    "const": lambda value, want: value == want,
    "enum": lambda value, want: value in want,
    "minimum": lambda value, want: value >= want,
    "minItems": lambda value, want: len(value) >= want,
    "uniqueItems": lambda value, want: not want or len(set(map(str, value))) == len(value),
    "pattern": lambda value, want: re.search(want, value),
}
INSIDE = {"properties": members, "additionalProperties": further_members, "items": elements}


def problems(value, schema, root, at="result"):
    """Sentences, one for each thing in `value` that the schema does not allow."""
    if "type" in schema and not is_type(value, schema["type"]):
        yield f"{at} is not of type {schema['type']}"
        return
    if "properties" in schema and "additionalProperties" in schema:
        yield "the schema has additionalProperties beside properties, which this checker does not know"
    for keyword, want in schema.items():
        if keyword == "$ref":
            yield from problems(value, resolve(want, root), root, at)
        elif keyword == "required":
            yield from (f"{at} lacks {name}" for name in want if name not in value)
        elif keyword == "additionalProperties":
            for name in value.keys() - schema.get("properties", {}).keys():
                yield from problems(value[name], want, root, f"{at}.{name}")
        elif keyword in INSIDE:
            yield from INSIDE[keyword](value, want, root, at)
        elif keyword in HOLDS:
            if not HOLDS[keyword](value, want):
                yield f"{at} is {value!r}: {keyword} {want!r}"
        elif keyword not in NOTES:
            yield f"the schema uses {keyword}, which this checker does not know"
