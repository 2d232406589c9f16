"""A subscription as its client sees it."""
from typing import Any

from wire import Client
from words import BUS


class Stream:
    """A connection that subscribes, and the positions that its client would store."""

    def __init__(self, client: Client, parameters: dict[str, Any]) -> None:
        self.client = client
        self.aspects: list[str] = parameters["aspects"]
        self.domains: list[str] | None = parameters.get("domains")
        self.identifier: str | None = None
        self.instance: str | None = None
        self.positions: dict[str, int] = {}
        # Whether the client leaves its replies unread.
        self.is_stalled = False
        resumed = {position["aspect"]: position["generation"] for position in parameters.get("resume", [])}
        self._resumed = (parameters.get("instance"), resumed)
        client.send(BUS + "Subscribe", parameters, more=True)

    def read(self) -> bool:
        """Reads one reply if there is one. Returns whether there was."""
        reply = self.client.receive(0)
        if reply is None or reply.get("error") or "broken" in reply:
            return False
        parameters = reply["parameters"]
        if parameters.get("subscription"):
            self.identifier, self.instance = parameters["subscription"], parameters["instance"]
            if parameters.get("resumed"):
                self.positions = dict(self._resumed[1])
        for event in parameters.get("events", []):
            name = event["aspect"]
            # The position of a name that was withdrawn is dropped.
            if "." in name and event.get("value") is None:
                self.positions.pop(name, None)
            elif name != "lifecycle":
                self.positions[name] = event["generation"]
        return True
