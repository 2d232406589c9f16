"""A bus that is killed after a firing, which the next one repeats for a sleeper, and then in the middle of changes."""
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
    crowd.bus.settle()
    crowd.sleep(sleeper)
    entries.add("past", -1)
    entries.add("later", 3600)
    entries.wait(awake)
    crowd.bus.kill()
    crowd.bus.start()
    crowd.wake(sleeper)
    entries.wait(awake, sleeper)
    crowd.publish("org.example.a", {"n": 2})
    crowd.bus.kill()
    crowd.bus.start()
    crowd.publish("org.example.a", {"n": 3})
    crowd.agree()
    crowd.end()
    entries.check()
