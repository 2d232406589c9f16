"""The interface texts, read by a small parser: what each call may contain and what each reply must."""
import functools
import os
import re
from dataclasses import dataclass, field
from typing import Any, Iterator

TEXTS = os.path.join(
    os.path.dirname(os.path.abspath(__file__)), "..", "..", "Sources", "ReveilleWire", "Interfaces")
NAMES = ("org.reveille.Bus", "org.reveille.Device", "org.reveille.Schedule")
# The interface of all services, from the specification of Varlink.
SERVICE = """
interface org.varlink.service
method GetInfo() -> (vendor: string, product: string, version: string, url: string, interfaces: []string)
method GetInterfaceDescription(interface: string) -> (description: string)
error InterfaceNotFound (interface: string)
error MethodNotFound (method: string)
error MethodNotImplemented (method: string)
error InvalidParameter (parameter: string, reason: ?string)
error PermissionDenied ()
error ExpectedMore ()
"""

# A type is a name, ("?", type), ("[]", type) or a dictionary of fields.
Type = Any
TOKENS = re.compile(r"#[^\n]*|->|\[\]|[A-Za-z][\w.]*|[():,?]")


@dataclass
class Interface:
    name: str
    types: dict[str, Type] = field(default_factory=dict)
    methods: dict[str, tuple[Type, Type]] = field(default_factory=dict)
    errors: dict[str, Type] = field(default_factory=dict)


class _Parser:
    def __init__(self, text: str) -> None:
        self.tokens: list[str] = [token for token in TOKENS.findall(text) if not token.startswith("#")]

    def take(self, expected: str | None = None) -> str:
        token = self.tokens.pop(0)
        if expected is not None and token != expected:
            raise ValueError(f"{token} instead of {expected}")
        return token

    def interface(self) -> Interface:
        self.take("interface")
        result = Interface(self.take())
        while self.tokens:
            kind, name = self.take(), self.take()
            if kind == "method":
                parameters = self.type()
                self.take("->")
                result.methods[name] = parameters, self.type()
            else:
                {"type": result.types, "error": result.errors}[kind][name] = self.type()
        return result

    def type(self) -> Type:
        token = self.take()
        if token in ("?", "[]"):
            return token, self.type()
        if token != "(":
            return token
        fields: dict[str, Type] = {}
        while self.tokens[0] != ")":
            name = self.take()
            self.take(":")
            fields[name] = self.type()
            if self.tokens[0] == ",":
                self.take()
        self.take(")")
        return fields


@functools.cache
def interfaces() -> dict[str, Interface]:
    result = {"org.varlink.service": _Parser(SERVICE).interface()}
    for name in NAMES:
        with open(os.path.join(TEXTS, name + ".varlink"), encoding="utf-8") as text:
            result[name] = _Parser(text.read()).interface()
    return result


def mismatches(interface: Interface, kind: Type, value: Any, path: str = "") -> Iterator[str]:
    """Yields the path of each part of a value that is not of a type."""
    if isinstance(kind, tuple):
        if kind[0] == "?":
            if value is not None:
                yield from mismatches(interface, kind[1], value, path)
        elif not isinstance(value, list):
            yield path
        else:
            for element in value:
                yield from mismatches(interface, kind[1], element, path)
    elif isinstance(kind, str) and kind in interface.types:
        yield from mismatches(interface, interface.types[kind], value, path)
    elif isinstance(kind, dict):
        if not isinstance(value, dict):
            yield path
            return
        for name in [*kind, *(name for name in value if name not in kind)]:
            inner = f"{path}.{name}" if path else name
            if name not in kind:
                yield inner
            else:
                yield from mismatches(interface, kind[name], value.get(name), inner)
    elif not _is(kind, value):
        yield path


def _is(kind: str, value: Any) -> bool:
    if kind == "int":
        return isinstance(value, int) and not isinstance(value, bool)
    if kind == "float":
        return isinstance(value, (int, float)) and not isinstance(value, bool)
    return isinstance(value, {"string": str, "bool": bool, "object": dict}[kind])
