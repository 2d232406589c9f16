"""A bus whose replies a case writes, such as those of a later version."""
import json
import queue
import socket
import struct
import threading

import wire

# Calls that a case need not answer.
ANSWERS = {
    "org.varlink.service.GetInfo": {
        "vendor": "", "product": "", "version": "", "url": "", "interfaces": [wire.INTERFACE]},
    f"{wire.INTERFACE}.GetState": {"instance": "i", "events": []},
    f"{wire.INTERFACE}.SetState": {},
}


class Call:
    """A call that waits for its replies."""

    def __init__(self, connection, message):
        self.method = message["method"].removeprefix(wire.INTERFACE + ".")
        self.parameters = message.get("parameters") or {}
        self.connection = connection

    def reply(self, **parameters):
        self.connection.send({"parameters": parameters})

    def notify(self, **parameters):
        self.connection.send({"parameters": parameters, "continues": True})

    def fail(self, error, **parameters):
        self.connection.send({"error": error, "parameters": parameters})

    def begin(self, *events, instance="i", **members):
        """Sends the first reply of a subscription."""
        self.notify(subscription="0000000000000001", instance=instance, events=list(events), **members)

    def end(self):
        """Ends the connection."""
        self.connection.socket.shutdown(socket.SHUT_RDWR)


class ScriptedBus:
    def __init__(self, path, check):
        """Begins to listen. `check` raises an error if the client will not call."""
        self.address = "unix:" + path
        self._check = check
        self._calls = queue.Queue()
        self._listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._listener.bind(path)
        self._listener.listen()
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        while True:
            try:
                connected, _ = self._listener.accept()
            except OSError:
                return
            # A client that does not read must not stop the suite.
            connected.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, struct.pack("ll", wire.PATIENCE, 0))
            threading.Thread(target=self._serve, args=(wire.Connection(connected),), daemon=True).start()

    def _serve(self, connection):
        with connection:
            try:
                while message := connection.receive():
                    answer = ANSWERS.get(message["method"])
                    if answer is None or message.get("parameters", {}).get("state") == "suspended":
                        self._calls.put(Call(connection, message))
                    else:
                        connection.send({"parameters": answer})
            except OSError:
                pass

    def call(self, method):
        """Waits for a call of a method."""
        def has_call():
            self._check()
            return not self._calls.empty()

        wire.wait_for(f"a call of {method}", has_call)
        call = self._calls.get()
        if call.method != method:
            raise RuntimeError(f"the client calls {call.method}, not {method}: {json.dumps(call.parameters)}")
        return call

    def close(self):
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()


def event(aspect, generation, state, changes=1, **members):
    return {
        "aspect": aspect, "generation": generation, "sequence": generation, "changes": changes, "netChange": True,
        "firstChangedAt": 1, "changedAt": 2, "dropped": 0, "value" if "." in aspect else aspect: state, **members}


def battery(generation, level, changes=1, state="unplugged", status="discharging", **members):
    value = {"state": state, "level": level, "plugged": False, "chargeStatus": status, "packs": []}
    return event("battery", generation, value | members, changes)
