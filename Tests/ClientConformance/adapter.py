"""The client under test, behind its adapter. `run` documents the lines."""
import contextlib
import json
import signal
import subprocess
import threading

import wire


class Lacking(Exception):
    """The client has no such function."""


class Refused(Exception):
    """A call of the client has failed."""

    def __init__(self, error):
        super().__init__(error.get("message"))
        self._code, self._name = error.get("code"), error.get("name")

    def names(self, error):
        """Whether the failure says the name of a Varlink error, or its last word as a code or in its message."""
        word = error.rpartition(".")[2]
        return self._name == error or self._code == word[0].lower() + word[1:] or word in str(self)


class Adapter:
    def __init__(self, command, log):
        self._replies, self._actions = {}, {}
        self._has_ended = False
        self._lacking = None
        self._arrived = threading.Condition()
        self._log = log
        with open(log, "wb") as errors:
            self._process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors)
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        for line in self._process.stdout:
            reply = json.loads(line)
            with self._arrived:
                self._replies[reply["id"]] = reply
                if reply.get("lacks"):
                    self._lacking = self._actions[reply["id"]]
                self._arrived.notify_all()
        with self._arrived:
            self._has_ended = True
            self._arrived.notify_all()

    def begin(self, action, **members):
        """Sends a request; returns its number."""
        number = len(self._actions) + 1
        self._actions[number] = action
        # An adapter that has ended does not answer.
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.write(json.dumps({"id": number, "do": action, **members}).encode() + b"\n")
            self._process.stdin.flush()
        return number

    def result(self, number):
        """Waits for the reply to a request."""
        action = self._actions[number]
        with self._arrived:
            if not self._arrived.wait_for(lambda: number in self._replies or self._has_ended, wire.PATIENCE):
                raise TimeoutError(f"the client has not answered '{action}' within {wire.PATIENCE} seconds")
            if number not in self._replies:
                raise EOFError(f"the adapter has ended instead of answering '{action}'")
            reply = self._replies.pop(number)
        self.check()
        if reply.get("error") is not None:
            raise Refused(reply["error"])
        return reply.get("result")

    def check(self):
        """Raises an error if the client lacks what a request needs."""
        if self._lacking:
            raise Lacking(self._lacking)

    def call(self, action, **members):
        return self.result(self.begin(action, **members))

    def subscribe(self, *aspects, of="s", **options):
        self.call("subscribe", of=of, aspects=list(aspects), options={"name": of, **options})

    def next(self, of="s"):
        """Takes the next event."""
        event = self.call("next", of=of)
        if event is None:
            raise EOFError(f"the subscription '{of}' has ended")
        return event

    def take(self, count, of="s"):
        """Takes events; returns them by aspect."""
        events = [self.next(of) for _ in range(count)]
        return {event["aspect"]: event for event in events}

    def publish(self, name, value, while_connected=False):
        self.call("publish", arguments=[name, value], options={"whileConnected": while_connected})

    def pause(self):
        """Stops the process, as a shell that suspends it does."""
        self._process.send_signal(signal.SIGSTOP)

    def unpause(self):
        self._process.send_signal(signal.SIGCONT)

    def errors(self):
        with open(self._log, encoding="utf-8", errors="replace") as file:
            return file.read()

    def close(self):
        self._process.kill()
        self._process.wait()
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.close()
