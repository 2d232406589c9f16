"""Checks discovery messages with Home Assistant's own schemas and template engine.

    python home_assistant.py INPUT OUTPUT

The input is JSON: {"messages": [{"topic", "payload"}], "states": [{"message", "component", "payload", "expected"}]}.
A component named "availability" stands for the availability of the device. A line of the output is a problem. The
package is found by PYTHONPATH; Scripts/setup test unpacks the parts of it that are used here.
"""
import asyncio
import importlib
import importlib.abc
import importlib.machinery
import json
import logging
import pathlib
import sys
import types
from unittest import mock

# What decides about a message must be the real thing; these fail here if they are missing.
import awesomeversion  # noqa: F401
import jinja2  # noqa: F401
import orjson  # noqa: F401
import slugify  # noqa: F401
import voluptuous
import yaml  # noqa: F401


class Absent(types.ModuleType):
    """A module that takes no part in discovery, such as the web server's; the schemas import it all the same."""

    __path__: list = []

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        value = type(name, (Exception,), {}) if name[:1].isupper() else mock.MagicMock()
        setattr(self, name, value)
        return value


class AbsentFinder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds what is not installed, except parts of Home Assistant itself."""

    def find_spec(self, name, path=None, target=None):
        is_real = name.startswith("homeassistant.") and not name.startswith("homeassistant.components.")
        # An optional part of a package above.
        if is_real or name.startswith("homeassistant.components.mqtt") or name == "backports_abc":
            return None
        return importlib.machinery.ModuleSpec(name, self, is_package=True)

    def create_module(self, spec):
        return Absent(spec.name)

    def exec_module(self, module):
        pass


def load():
    """Imports the schemas without the component's start, which needs a running Home Assistant."""
    sys.meta_path.append(AbsentFinder())
    components = importlib.import_module("homeassistant.components")
    package = types.ModuleType("homeassistant.components.mqtt")
    package.__path__ = [path + "/mqtt" for path in components.__path__]
    sys.modules[package.__name__] = package
    names = ["discovery", "schemas", "sensor", "binary_sensor", "event"]
    return {name: importlib.import_module(f"{package.__name__}.{name}") for name in names}


MQTT = load()
core = importlib.import_module("homeassistant.core")
template = importlib.import_module("homeassistant.helpers.template")
sensor = importlib.import_module("homeassistant.components.sensor.const")
logs = []


class Log(logging.Handler):
    def emit(self, record):
        if record.levelno >= logging.WARNING:
            logs.append(record.getMessage())


logging.getLogger("homeassistant").addHandler(Log())


def expanded(text):
    """The message as Home Assistant reads it, and the description of each component with what all share."""
    message = json.loads(text)
    MQTT["discovery"]._replace_all_abbreviations(message)
    MQTT["schemas"].DEVICE_DISCOVERY_SCHEMA(message)
    components = {}
    for name, component in message["components"].items():
        component = dict(component)
        platform = component.pop("platform")
        if component:
            for option in MQTT["schemas"].SHARED_OPTIONS:
                if option in message:
                    component.setdefault(option, message[option])
            component.update(device=message["device"], origin=message["origin"])
        components[name] = (platform, component)
    return message, components


def check(topic, components):
    match = MQTT["discovery"].TOPIC_MATCHER.fullmatch(topic.removeprefix("homeassistant/"))
    if not match or match["component"] != "device":
        yield f"{topic} is not a topic of a device"
    identifiers = [component["unique_id"] for _, component in components.values() if component]
    if len(set(identifiers)) != len(identifiers):
        yield "a unique_id is used twice"
    for name, (platform, component) in components.items():
        if not component:
            continue
        # The schema for discovery drops unknown members; the schema for files refuses them.
        for schema in ("DISCOVERY_SCHEMA", "PLATFORM_SCHEMA_MODERN"):
            try:
                getattr(MQTT[platform], schema)(component)
            except voluptuous.Invalid as error:
                yield f"{name}: {schema}: {error}"
        if platform == "sensor":
            yield from check_class(name, component)


def check_class(name, component):
    """Checks what Home Assistant checks of a sensor's class only when it has a state."""
    kind, unit, state = (component.get(key) for key in ("device_class", "unit_of_measurement", "state_class"))
    if kind is not None and kind in sensor.DEVICE_CLASS_UNITS and unit not in sensor.DEVICE_CLASS_UNITS[kind]:
        yield f"{name}: {kind} in {unit}"
    if kind is not None and state is not None and state not in sensor.DEVICE_CLASS_STATE_CLASSES.get(kind, ()):
        yield f"{name}: {kind} with the state class {state}"


def check_state(home, platform, component, text, payload, expected):
    del logs[:]
    try:
        value = template.Template(text, home).async_render_with_possible_json_value(payload, error_value="an error")
    except Exception as error:  # Any error of a template ends up in the user's log.
        value = f"{type(error).__name__}: {error}"
    value = str(value)
    if value != expected:
        yield f"{payload} is {value!r}, expected {expected!r}"
    if logs:
        yield f"{payload} is logged: {logs[0]}"
    if platform == "sensor" and value != "None" and value not in component.get("options", [value]):
        yield f"{payload} is {value!r}, not an option"


async def main(source, output):
    # Templates look things up in it; it is not started.
    home = core.HomeAssistant(str(pathlib.Path(output).parent))
    given = json.loads(pathlib.Path(source).read_text())
    problems, tried, messages = [], 0, []
    for one in given["messages"]:
        message, components = expanded(one["payload"])
        messages.append((message, components))
        problems += check(one["topic"], components)
    for state in given["states"]:
        message, components = messages[state["message"]]
        if state["component"] == "availability":
            platform, component = None, {}
            availability = message["availability"]
            text = (availability[0] if isinstance(availability, list) else availability)["value_template"]
        else:
            platform, component = components[state["component"].removesuffix(" attributes")]
            is_attributes = state["component"].endswith(" attributes")
            text = component["json_attributes_template" if is_attributes else "value_template"]
        tried += 1
        problems += [
            f"{state['component']}: {problem}"
            for problem in check_state(home, platform, component, text, state["payload"], state["expected"])]
    pathlib.Path(output).write_text("".join(line + "\n" for line in problems) + f"{tried} states\n")


asyncio.run(main(*sys.argv[1:]))
