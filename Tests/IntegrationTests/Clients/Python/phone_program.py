# SPDX-License-Identifier: Apache-2.0
"""Prints each battery level with the number of its changes; ends at 10%, or with exit code 9 by SIGTERM or SIGINT."""
import json
import os
import signal
import socket
import sys

for number in (signal.SIGTERM, signal.SIGINT):
    signal.signal(number, lambda *_: sys.exit(9))

bus = socket.socket(socket.AF_UNIX)
bus.connect(os.environ["REVEILLE_ADDRESS"].removeprefix("unix:"))
call = {"method": "org.reveille.Bus.Subscribe", "more": True, "parameters": {"aspects": ["battery"]}}
bus.sendall(json.dumps(call).encode() + b"\0")

received = b""
while data := bus.recv(65536):
    *frames, received = (received + data).split(b"\0")
    for frame in frames:
        for event in json.loads(frame)["parameters"]["events"]:
            print(event["battery"]["level"], event["changes"], flush=True)
            if event["battery"]["level"] <= 0.1:
                sys.exit(0)
    print("ready", file=sys.stderr, flush=True)
