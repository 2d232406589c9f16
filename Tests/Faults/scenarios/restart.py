"""The start of a bus that finds a state, a schedule and resuming subscribers, after a kill."""
import time

from crowd import Crowd
from world import Broken, World

# The others begin when the bus serves: its start is the same.
COUNTS_START = True


def run(world: World) -> None:
    crowd = Crowd(world)
    crowd.bus.start()
    crowd.subscribe("awake", ["org.example.a", "org.example.b"])
    sleeper = crowd.subscribe("sleeper", ["org.example.a", "org.example.b"])
    crowd.subscribe("pattern", ["org.example.*"])
    crowd.sleep(sleeper)
    for n in range(3):
        crowd.publish("org.example.a", {"n": n})
    crowd.publish("org.example.b", {"n": 0})
    entry = {"id": "later", "aspect": "org.example.later", "at": int((time.time() + 3600) * 1e6)}
    crowd.control.call("org.reveille.Schedule.Add", entry=entry)
    crowd.agree()
    crowd.bus.settle()
    crowd.bus.kill()
    crowd.bus.start(is_faulty=True)
    crowd.agree()
    crowd.publish("org.example.a", {"n": 4})
    crowd.agree()
    crowd.wake(sleeper)
    crowd.agree()
    crowd.bus.settle()
    crowd.end()
    entries = crowd.control.call("org.reveille.Schedule.List")["entries"]
    if [scheduled["entry"]["id"] for scheduled in entries] != ["later"]:
        raise Broken("schedule", f"the entries are {entries}")
