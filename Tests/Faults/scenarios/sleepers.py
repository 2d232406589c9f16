"""Subscribers that sleep, a pattern and an interval, over a whole life of the bus, with its start and its end."""
from crowd import Crowd
from world import World

# The others begin when the bus serves: its start is the same.
COUNTS_START = True


def run(world: World) -> None:
    crowd = Crowd(world, "{ defaults: { settle: 5 } }")
    crowd.bus.start(is_faulty=True)
    crowd.subscribe("awake", ["org.example.a", "org.example.b", "proximity"])
    sleeper = crowd.subscribe("sleeper", ["org.example.a", "org.example.b", "lifecycle"])
    crowd.subscribe("pattern", ["org.example.*"])
    crowd.subscribe("paced", ["org.example.a"], policies=[{"aspect": "org.example.a", "interval": 20}])
    crowd.publish("org.example.a", {"n": 0})
    crowd.agree()
    crowd.sleep(sleeper)
    for n in range(1, 4):
        crowd.publish("org.example.a", {"n": n})
        crowd.publish("org.example.b", {"n": n})
    crowd.agree()
    crowd.control.call("Post", proximity={"state": "near"})
    crowd.wake(sleeper)
    crowd.agree()
    crowd.publish("org.example.b", None)
    crowd.agree()
    crowd.sleep(sleeper)
    crowd.publish("org.example.a", {"n": 5})
    crowd.bus.settle()
    crowd.end()
