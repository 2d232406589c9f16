"""Varlink: JSON objects, each followed by a zero byte; and waiting."""
import json
import socket
import time

# The time in seconds after which a case fails. A loaded machine is slow.
PATIENCE = 30
INTERFACE = "org.reveille.Bus"


class Connection:
    """A connection from either side."""

    def __init__(self, connected):
        self.socket = connected
        self._rest = b""

    @classmethod
    def to(cls, path):
        connected = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        connected.settimeout(PATIENCE)
        try:
            connected.connect(path)
        except OSError:
            connected.close()
            raise
        return cls(connected)

    def send(self, message):
        self.socket.sendall(json.dumps(message).encode() + b"\0")

    def receive(self):
        """Returns the next message; None at the end of the connection."""
        while b"\0" not in self._rest:
            data = self.socket.recv(1 << 18)
            if not data:
                return None
            self._rest += data
        frame, _, self._rest = self._rest.partition(b"\0")
        return json.loads(frame)

    def call(self, method, **parameters):
        name = method if "." in method else f"{INTERFACE}.{method}"
        self.send({"method": name, "parameters": parameters})
        reply = self.receive()
        if reply is None or reply.get("error"):
            raise RuntimeError(f"{method}: {reply}")
        return reply.get("parameters") or {}

    def close(self):
        self.socket.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


def wait_for(what, condition):
    """Returns the first value of a condition that is true."""
    end, pause = time.monotonic() + PATIENCE, 0.001
    while not (value := condition()):
        if time.monotonic() > end:
            raise TimeoutError(f"waited {PATIENCE} seconds for {what}")
        time.sleep(pause)
        pause = min(0.02, 2 * pause)
    return value
