"""A bus that is killed after a firing, and then in the middle of changes. The next bus repeats the firing for a sleeper."""
from crowd import Crowd
from schedule import Entries
from world import Broken, World


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
    instance = sleeper.positions.instance
    crowd.bus.kill()
    crowd.bus.start()
    crowd.wake(sleeper)
    # A state that could not be saved ends its instance, and with it what somebody slept through.
    is_continued = sleeper.positions.instance == instance
    if not is_continued and not crowd.bus.has_lost_state:
        raise Broken("lost", "a new instance began, which nobody had announced")
    entries.wait(awake, *[sleeper] * is_continued)
    crowd.publish("org.example.a", {"n": 2})
    crowd.bus.kill()
    crowd.bus.start()
    crowd.publish("org.example.a", {"n": 3})
    crowd.agree()
    crowd.end()
    entries.check()
