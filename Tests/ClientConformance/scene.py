"""What a case has on its stage: buses, and the client under test."""
import os

import adapter
import bus
import scripted


class Failure(AssertionError):
    """The client breaks the rule of the case."""


Lacking = adapter.Lacking


def expect(what, actual, expected):
    if actual != expected:
        raise Failure(f"{what}\nexpected: {expected}\n     got: {actual}")


def expect_error(actual, error):
    """Expects that a failure is a Varlink error."""
    if not actual.names(error):
        raise Failure(f"the error\nexpected: {error}\n     got: {actual}")


class Scene:
    """The stage of one case. Everything on it ends with the case."""

    def __init__(self, program, command, directory):
        self._program, self._command, self._directory = program, command, directory
        self._actors = []
        self._clients = []

    def bus(self, configuration="{}"):
        """Starts a real bus."""
        return self._add(bus.Bus(self._program, self._directory, configuration))

    def scripted_bus(self):
        """Starts a bus whose replies the case writes."""
        return self._add(scripted.ScriptedBus(os.path.join(self._directory, "bus"), self._check))

    def client(self, of):
        """Starts the client, connected to a bus."""
        client = self._add(adapter.Adapter(self._command, os.path.join(self._directory, f"client-{len(self._clients)}")))
        self._clients.append(client)
        client.call("connect", address=of.address)
        return client

    def subscriber(self, of, *aspects, **options):
        """Starts a client with one subscription, whose name is `s`."""
        client = self.client(of)
        client.subscribe(*aspects, **options)
        return client

    def errors(self):
        """What the clients have written to stderr."""
        return "".join(client.errors() for client in self._clients)

    def close(self):
        for actor in reversed(self._actors):
            actor.close()

    def _check(self):
        for client in self._clients:
            client.check()

    def _add(self, actor):
        self._actors.append(actor)
        return actor
