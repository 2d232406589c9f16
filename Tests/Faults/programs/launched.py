"""A program that a bus starts: notes its start and the number of firings that it receives."""
import json
import os
import socket
import sys
import time


def attempt() -> int:
    """Subscribes and returns the number of firings in the first reply."""
    with socket.socket(socket.AF_UNIX) as bus:
        bus.connect(os.environ["REVEILLE_ADDRESS"].removeprefix("unix:"))
        parameters = {"aspects": [sys.argv[2]], **json.loads(os.environ["REVEILLE_LAUNCH"])}
        call = {"method": "org.reveille.Bus.Subscribe", "parameters": parameters, "more": True}
        bus.sendall(json.dumps(call).encode() + b"\0")
        received = b""
        while b"\0" not in received:
            part = bus.recv(65536)
            if not part:
                raise OSError("the bus is gone")
            received += part
        events = json.loads(received.split(b"\0")[0])["parameters"]["events"]
        return sum(event["changes"] for event in events)


def note(words: str) -> None:
    with open(sys.argv[1], "a") as file:
        file.write(words + "\n")


note("started")
while True:
    try:
        note(f"received {attempt()}")
        break
    except OSError:
        time.sleep(0.01)
