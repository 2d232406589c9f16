"""A program on the Python client: client.py LIBRARY POSITIONS. Prints its events, and publishes an answer to each."""
import json
import os
import signal
import sys

sys.path.insert(0, sys.argv[1])
import reveille


def end(*_: object) -> None:
    raise SystemExit(0)


def main() -> None:
    signal.signal(signal.SIGTERM, end)
    # CPython runs a handler between two instructions of its own. A signal that comes right before a wait is handled after
    # the wait, so another one ends it.
    signal.signal(signal.SIGALRM, lambda *_: None)
    signal.setitimer(signal.ITIMER_REAL, 1, 1)
    positions = json.load(open(sys.argv[2])) if os.path.exists(sys.argv[2]) else None
    print("the program begins", file=sys.stderr, flush=True)
    with reveille.connect() as bus, bus.subscribe("org.example.a", initial=True, resume=positions) as events:
        for event in events:
            line = {"aspect": event.aspect, "generation": event.generation, "changes": event.changes, "value": event.state}
            print(json.dumps(line), flush=True)
            with open(sys.argv[2] + ".new", "w") as file:
                json.dump(events.positions, file)
            os.rename(sys.argv[2] + ".new", sys.argv[2])
            if event.state and event.state.get("sleep"):
                events.enter_background(wake_after=0.1)
                print(json.dumps({"asleep": True}), flush=True)
            elif event.state:
                bus.publish("org.example.tied.echo", {"n": event.state["n"]}, while_connected=True)


main()
