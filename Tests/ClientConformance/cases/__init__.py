"""The cases: each has a name, the rule that it checks, and what is expected."""
import dataclasses
import importlib
import typing


@dataclasses.dataclass(frozen=True)
class Case:
    name: str
    rule: str
    play: typing.Callable


ALL: list[Case] = []


def case(name, rule):
    """Adds a function that plays a case on a stage."""

    def add(play):
        ALL.append(Case(name, rule, play))
        return play

    return add


# In the order of the document.
for _name in ("resuming", "names", "background", "publishing", "suspending", "tomorrow"):
    importlib.import_module(f"cases.{_name}")
