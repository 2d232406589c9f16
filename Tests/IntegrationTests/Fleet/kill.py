#!/usr/bin/python3
"""Kills a bus, a bridge, a broker and a reader at random while published names change, and checks what the reader counts.

    kill.py REVEILLE REVEILLE_FLEET MOSQUITTO DIRECTORY [ROUNDS]

In each round, some names change, one of the programs is killed with SIGKILL and started again, and some names change while
it starts. The next round begins once the reader has the newest state of each name. Each count must continue where the last
one ended; only lines that were printed when the reader was killed may be repeated. Prints a summary. Exits with 1 if the
promise was broken, and with 2 if a program is missing.
"""
import collections
import json
import os
import pathlib
import random
import re
import socket
import subprocess
import sys
import time

PATIENCE = 30
ROUNDS = 200
SEED = 17
DEVICE = "kiosk-7"
NAMES = [f"org.example.name{number}" for number in range(5)]
# The broker is killed less often, as its clients return after random pauses.
VICTIMS = ["bus", "bridge", "reader"] * 3 + ["broker"] * 2


class Broken(Exception):
    pass


class Scene:
    """The programs, in a directory of their own."""

    def __init__(self, reveille, fleet, mosquitto, directory):
        self.directory = pathlib.Path(directory)
        self.bus_socket = self.directory / "bus" / "org.reveille.Bus"
        (self.directory / "root").mkdir()
        with socket.create_server(("127.0.0.1", 0)) as server:
            self.port = server.getsockname()[1]
        address = f"mqtt://127.0.0.1:{self.port}"
        configuration = self.directory / "fleet.json5"
        configuration.write_text(f'{{ device: "{DEVICE}", broker: "{address}", aspects: ["org.example.*"] }}')
        broker = self.directory / "mosquitto.conf"
        # What it retains is saved once a second, so that a kill loses up to a second.
        broker.write_text(
            f"listener {self.port} 127.0.0.1\nallow_anonymous true\nuser root\npersistence true\n"
            f"persistence_location {self.directory}/\nautosave_interval 1\n")
        libraries = pathlib.Path(mosquitto).parents[2]
        self.environment = {
            **os.environ, "REVEILLE_ADDRESS": f"unix:{self.bus_socket}", "REVEILLE_BROKER": address,
            "HOME": str(self.directory), "STATE_DIRECTORY": str(self.directory / "state"),
            "LD_LIBRARY_PATH": ":".join(
                str(path) for top in ("usr/lib", "lib") for path in (libraries / top).glob("*-linux-gnu"))}
        self.environment.pop("XDG_CONFIG_HOME", None)
        self.commands = {
            "bus": [reveille, "serve", "--address", f"unix:{self.bus_socket}", "--root", str(self.directory / "root")],
            "broker": [mosquitto, "-c", str(broker)],
            "bridge": [fleet, "bridge", "--config", str(configuration), "--state", str(self.directory / "bridge.json")],
            "reader": [fleet, "watch", "--initial", "--json", "--state", str(self.directory / "reader.json")],
        }
        self.processes = {}

    def start(self, name):
        with open(self.directory / f"{name}.out", "ab") as output, open(self.directory / f"{name}.log", "ab") as log:
            self.processes[name] = subprocess.Popen(
                self.commands[name], env=self.environment, stdin=subprocess.DEVNULL, stdout=output, stderr=log)

    def kill(self, name):
        self.processes[name].kill()
        self.processes[name].wait()

    def end(self):
        for name in self.processes:
            self.kill(name)

    def log(self, name):
        return (self.directory / f"{name}.log").read_text(errors="replace")

    def call(self, method, parameters):
        """Calls the bus, which may still be starting."""
        request = json.dumps({"method": f"org.reveille.Bus.{method}", "parameters": parameters}).encode() + b"\0"

        def reply():
            try:
                with socket.socket(socket.AF_UNIX) as client:
                    client.settimeout(PATIENCE)
                    client.connect(str(self.bus_socket))
                    client.sendall(request)
                    answer = b""
                    while not answer.endswith(b"\0"):
                        chunk = client.recv(1 << 16)
                        if not chunk:
                            return None
                        answer += chunk
                    return json.loads(answer[:-1])
            except (ConnectionRefusedError, FileNotFoundError):
                return None

        answer = self.wait(reply, "the bus")
        if "error" in answer:
            raise Broken(f"{method} {parameters}: {answer}")
        return answer["parameters"]

    def wait(self, condition, what):
        deadline = time.monotonic() + PATIENCE
        while True:
            value = condition()
            if value:
                return value
            if time.monotonic() > deadline:
                raise Broken(f"waited {PATIENCE} s for {what() if callable(what) else what}")
            time.sleep(0.005)


class Reader:
    """What the lines of a reader say, compared with what is possible."""

    def __init__(self, path):
        self.path = path
        self.offset = 0
        # The last generation of each state and instance, and the greatest one: everything up to it was counted.
        self.last, self.greatest = {}, collections.defaultdict(int)
        self.printed = collections.defaultdict(set)
        self.newest = {}
        self.removed = set()
        self.killed = None
        self.figures = collections.Counter()

    def read(self):
        with open(self.path, "rb") as file:
            file.seek(self.offset)
            lines = file.read()
        # The last line of a reader that was killed may lack its end.
        size = lines.rfind(b"\n") + 1
        self.offset += size
        for line in lines[:size].splitlines():
            event = json.loads(line)
            if event.get("removed") and event["aspect"]:
                self.remove(event["aspect"])
            elif "generation" in event:
                self.take(event)

    def remove(self, aspect):
        if self.killed != "broker":
            raise Broken(f"{aspect} was removed, although the broker has not forgotten it")
        self.figures["states removed"] += 1
        self.removed.add(aspect)
        del self.newest[aspect]

    def take(self, event):
        self.figures["events"] += 1
        key = (event["aspect"], event["instance"])
        generation, changes, last = event["generation"], event["changes"], self.last.get(key)
        if changes is None:
            # A reader that was killed may have forgotten that there was a state before. A broker that was killed may have
            # one of the bus before.
            expected = self.killed == "reader" or self.killed == "broker" and event["newInstance"]
            if last is not None and not expected:
                raise Broken(f"the count was lost after {last}: {event}")
            self.figures["states with an unknown count"] += 1
        elif changes == 0 and last == generation and event["aspect"] in self.removed:
            self.figures["states back unchanged"] += 1
        elif changes <= 0:
            raise Broken(f"a count that is not positive, after {last}: {event}")
        elif last == generation - changes == self.greatest[key]:
            self.figures["changes counted"] += changes
        elif self.killed == "reader" and generation - changes in self.printed[key]:
            # It was killed before it saved what it had printed, and continues from an earlier line.
            self.figures["lines repeated"] += 1
            self.figures["changes counted"] += max(0, generation - self.greatest[key])
        else:
            raise Broken(f"the count does not continue at {last}, {self.greatest[key]} at most: {event}")
        self.last[key] = generation
        self.greatest[key] = max(generation, self.greatest[key])
        self.printed[key].add(generation)
        self.removed.discard(event["aspect"])
        self.newest[event["aspect"]] = (event["instance"], generation, event["value"])


class Run:
    def __init__(self, scene, rounds):
        self.scene, self.rounds = scene, rounds
        self.random = random.Random(SEED)
        self.number = 0
        self.changes = collections.Counter()
        self.kills = collections.Counter()
        self.times = collections.Counter()
        self.instance, self.truth = None, {}

    def change(self, names):
        for name in names:
            for _ in range(self.random.randint(1, 5)):
                self.number += 1
                reply = self.scene.call("Publish", {"aspect": name, "value": {"number": self.number}})
                # The instance of a new bus is not known yet, but its generations are read later.
                if self.instance:
                    self.changes[name, self.instance] = reply["generation"]

    def read_truth(self):
        reply = self.scene.call("GetState", {"aspects": NAMES})
        self.instance, self.truth = reply["instance"], {}
        for event in reply["events"]:
            self.truth[event["aspect"]] = (self.instance, event["generation"], event["value"])
            self.changes[event["aspect"], self.instance] = event["generation"]

    def is_current(self, reader):
        reader.read()
        return reader.newest == self.truth

    def settle(self, reader, when):
        self.read_truth()
        self.scene.wait(lambda: self.is_current(reader), lambda: (
            f"the newest states {when}: the bus has {self.truth}, the reader {reader.newest}"))

    def run(self):
        for name in self.scene.commands:
            self.scene.start(name)
        self.change(NAMES)
        reader = Reader(self.scene.directory / "reader.out")
        self.settle(reader, "at the start")
        for number in range(self.rounds):
            victim = self.random.choice(VICTIMS)
            self.kills[victim] += 1
            start = time.monotonic()
            some = self.random.sample(NAMES, self.random.randint(1, 3))
            self.change(some)
            self.scene.kill(victim)
            reader.read()
            reader.killed = victim
            if victim == "bus":
                self.instance = None
            else:
                self.change(some)
            self.scene.start(victim)
            # A new bus has no names.
            self.change(NAMES if victim == "bus" else self.random.sample(NAMES, self.random.randint(0, 3)))
            self.settle(reader, f"in round {number} after the {victim} was killed")
            self.times[victim] += time.monotonic() - start
        self.check(reader)

    def check(self, reader):
        for key, generation in reader.greatest.items():
            if generation > self.changes[key]:
                raise Broken(f"{key} has {self.changes[key]} changes, the reader has {generation}")
        if reader.figures["changes counted"] > self.changes.total():
            raise Broken(f"{self.changes.total()} changes were counted more than once: {reader.figures}")
        # Another reader, which knows nothing, finds the newest states too.
        self.scene.commands["second"] = self.scene.commands["reader"][:-2]
        self.scene.start("second")
        self.settle(Reader(self.scene.directory / "second.out"), "at the end, of a new reader")
        print(f"{self.rounds} rounds, {self.changes.total()} changes")
        for figure, count in sorted(reader.figures.items()):
            print(f"{figure}: {count}")
        for victim, count in sorted(self.kills.items()):
            print(f"{victim}: {count} kills, {self.times[victim] / count:.2f} s each")
        problems = collections.Counter(
            re.sub(r"\b[0-9a-f]*\d[0-9a-f]*\b", "N", line.split(": ", 1)[-1]) for line in self.scene.log("reader").splitlines()
            if ": warning: " in line)
        for problem, count in problems.most_common(8):
            print(f"reader, {count} times: {problem}")


def main(reveille, fleet, mosquitto, directory, rounds=ROUNDS):
    if any(not os.access(program, os.X_OK) for program in (reveille, fleet, mosquitto)):
        print(f"kill: {reveille}, {fleet} or {mosquitto} is missing", file=sys.stderr)
        return 2
    scene = Scene(reveille, fleet, mosquitto, directory)
    try:
        Run(scene, int(rounds)).run()
    except Broken as problem:
        print(f"not ok: {problem}")
        for name in scene.processes:
            print(f"{name}:", *scene.log(name).splitlines()[-8:], sep="\n    ")
        return 1
    finally:
        scene.end()
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
