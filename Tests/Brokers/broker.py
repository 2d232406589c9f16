"""A broker that delivers what a publisher sends to any number of subscribers, and its clients."""
from __future__ import annotations

import ctypes
import os
import pathlib
import re
import resource
import select
import socket
import struct
import subprocess
import tempfile
import time

# Seconds for a start, for a step of a handshake, and for a missing delivery: valgrind is slow.
PATIENCE = 60
# Seconds for a message of the first rounds, before all subscriptions have begun, and the most rounds.
FIRST_PATIENCE = 0.3
FIRST_ROUNDS = 50
PAGE = os.sysconf("SC_PAGESIZE")
# The brokers inherit the limit of descriptors. The bus needs two descriptors for each subscriber.
DESCRIPTORS = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
resource.setrlimit(resource.RLIMIT_NOFILE, (DESCRIPTORS, DESCRIPTORS))
MOST_SUBSCRIBERS = min(10_000, (DESCRIPTORS - 1_000) // 2)
# Removed when this program ends.
BUILT = tempfile.TemporaryDirectory(prefix="reveille-brokers-")


def build(source: str, *options: str) -> str:
    """Compiles a C file beside this one, once."""
    result = pathlib.Path(BUILT.name) / source.removesuffix(".c")
    if not result.exists():
        subprocess.run(
            ["clang", "-O2", *options, "-o", result, pathlib.Path(__file__).with_name(source)], check=True)
    return str(result)


library = ctypes.CDLL(build("clients.c", "-shared", "-fPIC"), use_errno=True)
library.receive.argtypes = [ctypes.c_int, ctypes.c_int, ctypes.c_long, ctypes.c_int, ctypes.c_int]
library.receive.restype = library.publish.restype = ctypes.c_long


class Connection(socket.socket):
    """A client's connection, which blocks."""

    def __init__(self, address: str | int) -> None:
        super().__init__(socket.AF_UNIX if isinstance(address, str) else socket.AF_INET)
        # Not settimeout, which lets the socket block in Python only.
        for option in (socket.SO_RCVTIMEO, socket.SO_SNDTIMEO):
            self.setsockopt(socket.SOL_SOCKET, option, struct.pack("ll", PATIENCE, 0))
        if isinstance(address, int):
            # Without this, the kernel may delay a short message until the previous one has been acknowledged.
            self.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.connect(address if isinstance(address, str) else ("127.0.0.1", address))

    def receive(self, count: int) -> bytes:
        """Receives a number of bytes."""
        data = b""
        while len(data) < count:
            part = self.recv(count - len(data))
            if not part:
                raise ConnectionError("a broker ended a connection")
            data += part
        return data

    def receive_through(self, end: bytes) -> bytes:
        """Receives bytes until they end with others."""
        data = b""
        while not data.endswith(end):
            data += self.receive(1)
        return data


class Broker:
    """A running broker in a directory of its own. A kind of broker supplies its command and its bytes."""

    name: str
    # The message that all brokers but Reveille deliver, whose event has about the same size.
    payload = b"x" * 199 + b"\x7f"
    # The last byte of a delivered message. No other byte of the message is the same.
    last_byte = 0x7F
    # Two messages, which are published in turn.
    messages: list[bytes]
    _published = 0

    def command(self) -> list[str]:
        """Writes the configuration, and returns the command line. The program runs until it is killed."""
        raise NotImplementedError

    def greet(self, connection: Connection) -> None:
        """Prepares a new connection for publishing."""

    def subscribe(self, connection: Connection) -> None:
        """Subscribes on a new connection, and waits for the reply if the protocol has one."""
        raise NotImplementedError

    def __init__(self, under: tuple[str, ...] = (), stderr: int = subprocess.DEVNULL) -> None:
        """Starts the broker, under another program if there is one, and waits until it listens."""
        self.folder = tempfile.TemporaryDirectory(prefix="reveille-broker-")
        self.directory = pathlib.Path(self.folder.name)
        self.address: str | int = str(self.directory / "socket")
        self.start(under, stderr)

    def start(self, under: tuple[str, ...] = (), stderr: int = subprocess.DEVNULL) -> None:
        """Starts the program in its directory."""
        # A benchmark that is interrupted leaves no process behind.
        self.process = subprocess.Popen(
            ["setpriv", "--pdeathsig", "KILL", *under, *self.command()], stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=stderr)
        end = time.monotonic() + PATIENCE
        while True:
            try:
                Connection(self.address).close()
                Connection(self.publishing).close()
                return
            except OSError:
                if self.process.poll() is not None or time.monotonic() > end:
                    self.stop()
                    raise
                time.sleep(0.01)

    @property
    def publishing(self) -> str | int:
        """The address for publishers."""
        return self.address

    def stop(self) -> None:
        """Ends the broker, and waits for it."""
        self.process.terminate()
        self.process.wait()

    def connection(self) -> Connection:
        """A client that has not sent anything."""
        return Connection(self.address)

    def subscriber(self) -> Connection:
        connection = self.connection()
        self.subscribe(connection)
        return connection

    def take_messages(self, count: int) -> list[bytes]:
        """The two messages, beginning with the next one to publish, as the first of a number of messages."""
        first, self._published = self._published % 2, self._published + count
        return self.messages[first:] + self.messages[:first]

    # What the broker uses

    def processor_time(self) -> float:
        """The processor time of all threads, in the kernel too, in microseconds.

        The clock of a process is exact, unlike the ticks in /proc/PID/stat.
        """
        clock = ctypes.c_int()
        ctypes.CDLL(None).clock_getcpuclockid(self.process.pid, ctypes.byref(clock))
        return time.clock_gettime_ns(clock.value) / 1000

    def resident(self) -> float:
        """The resident memory in kB."""
        return int(self._proc("statm").split()[1]) * PAGE / 1024

    def dirty(self) -> int:
        """The resident memory in kB that belongs to the process alone and is not on disk."""
        return int(re.search(r"^Private_Dirty: +(\d+)", self._proc("smaps_rollup"), re.M)[1])

    def wakeups(self) -> int:
        """How often a thread waited and was woken up."""
        threads = os.listdir(f"/proc/{self.process.pid}/task")
        return sum(
            int(re.search(r"^voluntary_ctxt_switches:\s+(\d+)", self._proc(f"task/{thread}/status"), re.M)[1])
            for thread in threads)

    def _proc(self, file: str) -> str:
        return pathlib.Path(f"/proc/{self.process.pid}/{file}").read_text()


class Clients:
    """A publisher and its subscribers on one thread: each message is sent when all have read the previous one.

    One message at a time is the only load that means the same for every broker: a queue would let some of them combine
    messages in one write, and Reveille merge them in one event.
    """

    def __init__(self, broker: Broker, subscribers: list[Connection] | int) -> None:
        """Takes over subscribers, or connects a publisher and a number of them, which receive the first messages."""
        self.broker = broker
        self.publishers = [Connection(broker.publishing)] if isinstance(subscribers, int) else []
        self.subscribers = subscribers if not self.publishers else [broker.subscriber() for _ in range(subscribers)]
        self.clients = select.epoll()
        for connection in [*self.subscribers, *self.publishers]:
            self.clients.register(connection, select.EPOLLIN)
        if self.publishers:
            broker.greet(self.publishers[0])
            self._warm_up()

    @property
    def publisher(self) -> int:
        """The descriptor of the publisher; -1 if there is none."""
        return self.publishers[0].fileno() if self.publishers else -1

    def _warm_up(self) -> None:
        """Publishes until every subscriber receives every message: not every protocol acknowledges subscriptions."""
        complete = 0
        for _ in range(FIRST_ROUNDS):
            self.publishers[0].sendall(self.broker.take_messages(1)[0])
            is_complete = self.receive(len(self.subscribers), FIRST_PATIENCE) == len(self.subscribers)
            complete = complete + 1 if is_complete else 0
            if complete == 3:
                return
        raise TimeoutError(f"{self.broker.name}: not every subscriber receives the messages")

    def publish(self, count: int) -> list[float]:
        """Publishes messages one after the other, each to all subscribers.

        Returns the time of each in microseconds until the last subscriber has read it.
        """
        messages = self.broker.take_messages(count)
        times = (ctypes.c_double * count)()
        done = library.publish(
            self.clients.fileno(), self.publisher, (ctypes.c_char_p * 2)(*messages),
            (ctypes.c_size_t * 2)(*map(len, messages)), ctypes.c_long(count), ctypes.c_long(len(self.subscribers)),
            self.broker.last_byte, PATIENCE * 1000, times)
        self._check(done)
        if done < count:
            raise TimeoutError(f"{self.broker.name}: {done} of {count} messages were delivered to all")
        return list(times)

    def receive(self, count: int, patience: float = PATIENCE) -> int:
        """Receives messages until there are enough, or none for some seconds; returns their number."""
        received = library.receive(
            self.clients.fileno(), self.publisher, count, self.broker.last_byte, int(patience * 1000))
        self._check(received)
        return received

    def _check(self, result: int) -> None:
        if result < 0:
            raise OSError(ctypes.get_errno(), f"{self.broker.name}: {os.strerror(ctypes.get_errno())}")

    def close(self) -> None:
        self.clients.close()
        for connection in [*self.subscribers, *self.publishers]:
            connection.close()
