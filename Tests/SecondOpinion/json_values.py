"""Equality of published values, by the rules of the protocol."""
from typing import Any, Hashable

SMALLEST, LARGEST = -(2**63), 2**63 - 1


def canonical(value: Any) -> Hashable:
    """Returns a form that is equal for equal values: members in any order, 1 as 1.0, true unlike 1."""
    if isinstance(value, dict):
        return "object", tuple(sorted((name, canonical(member)) for name, member in value.items()))
    if isinstance(value, list):
        return "array", tuple(canonical(member) for member in value)
    if isinstance(value, bool) or value is None or isinstance(value, str):
        return type(value).__name__, value
    # An integer outside 64 bits is rounded to a double. Python compares integers and doubles exactly.
    return "number", value if isinstance(value, float) or SMALLEST <= value <= LARGEST else float(value)


def reading(value: Any) -> Hashable:
    """The same for a state of the device, whose members may be absent instead of null."""
    return canonical(_without_nulls(value))


def _without_nulls(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _without_nulls(member) for name, member in value.items() if member is not None}
    return value


def of(aspect: str, parameters: dict[str, Any]) -> Hashable:
    """Returns the state in an event of an aspect, or in a call of Publish or Post."""
    if aspect.split(" ")[0] in DIFFERENCES:
        return DIFFERENCES[aspect.split(" ")[0]]
    if "." in aspect:
        return canonical(parameters.get("value"))
    return reading(parameters.get(aspect))


NULL = canonical(None)
# Their events have what is different for each subscriber.
DIFFERENCES = {aspect: ("differences", aspect) for aspect in ("defaults", "folders")}
