"""Entries of the schedule that fire, for an awake and a sleeping subscriber, over a SIGTERM and a SIGKILL."""
from crowd import Crowd
from schedule import Entries
from world import World


def run(world: World) -> None:
    crowd = Crowd(world)
    crowd.bus.start(is_faulty=True)
    entries = Entries(crowd)
    awake = crowd.subscribe("awake", ["org.example.a", "org.example.fired.*"])
    sleeper = crowd.subscribe("sleeper", ["org.example.a", "org.example.fired.*"])
    crowd.publish("org.example.a", {"n": 1})
    entries.add("past", -1)
    entries.add("later", 3600)
    entries.add("never", 3600)
    entries.wait(awake, sleeper)
    crowd.sleep(sleeper)
    entries.add("soon", 0.05)
    entries.cancel("never")
    entries.wait(awake)
    crowd.wake(sleeper)
    entries.wait(sleeper)
    crowd.sleep(sleeper)
    entries.add("last", 0)
    entries.wait(awake)
    crowd.bus.settle()
    crowd.end()
    entries.wait(awake, sleeper)
    entries.check()
