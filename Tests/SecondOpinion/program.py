"""A program of random clients: one process, some connections, orders of the harness on stdin."""
import select
import sys

from actions import Actions
from words import BUS

# Steps at the end, without disturbances, so that the end has something to show.
LAST_STEPS = 100


class Program(Actions):
    """Takes random steps until it is told to be quiet. An answer on stdout follows each order."""

    def run(self) -> None:
        while True:
            if self.steps > 0 and not self.is_quiet:
                self.steps -= 1
                self.step()
            busy = self.steps > 0 and not self.is_quiet
            self.read(self.chance.choice([0, 0, 0.001, 0.005]) if busy else 1)
            if self.has_order() and not self.obey(sys.stdin.readline().strip()):
                return

    def has_order(self) -> bool:
        return bool(select.select([sys.stdin], [], [], 0)[0])

    def obey(self, order: str) -> bool:
        """Carries out an order of the harness. Returns False at the end."""
        if order == "act":
            for _ in range(LAST_STEPS):
                self.step()
                self.read(0)
        if order == "quiet":
            self.is_quiet = True
            for client in self.others:
                client.close()
            for stream in self.streams:
                stream.is_stalled = False
                if stream.identifier:
                    self.ask("SetState", {"subscription": stream.identifier, "state": "foreground"})
        if order == "drain":
            for control in self.controls:
                if control is not None:
                    while control.is_waiting and control.receive(10) is not None:
                        pass
        self.read(0)
        if order in ("", "end"):
            return False
        print("done", flush=True)
        return True

    def read(self, timeout: float) -> None:
        """Reads what the streams that do not stall have received, then waits for more, or for an order."""
        self.streams = [stream for stream in self.streams if stream.client.is_open or self.store(stream)]
        while any([stream.read() for stream in self.streams if not stream.is_stalled]):
            pass
        if timeout:
            waiting = [stream.client for stream in self.streams if not stream.is_stalled and stream.client.is_open]
            select.select([sys.stdin, *waiting], [], [], timeout)


if __name__ == "__main__":
    try:
        Program(sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])).run()
    except KeyboardInterrupt:
        pass
