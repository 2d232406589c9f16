"""Names that end with the connection of their publisher."""
from crowd import Crowd
from publisher import Publisher
from world import World


def run(world: World) -> None:
    crowd = Crowd(world)
    crowd.bus.start(is_faulty=True)
    crowd.subscribe("exact", ["org.example.a", "org.example.tied"])
    crowd.subscribe("pattern", ["org.example.*"])
    crowd.publish("org.example.a", {"n": 1})
    guest = Publisher(crowd.bus, "guest")
    for n in range(2):
        guest.publish("org.example.tied", {"n": n}, is_tied=True)
        world.wait(lambda: "the tied state", lambda: all(one.has("org.example.tied", {"n": n}) for one in crowd.subscribers))
        guest.close()
        world.wait(
            lambda: "the end of the tied state for " + ", ".join(map(str, crowd.subscribers)),
            lambda: all(one.is_connected and one.has("org.example.tied", None) for one in crowd.subscribers))
    crowd.publish("org.example.tied.too", {"n": 3}, is_tied=True)
    crowd.agree()
    crowd.bus.settle()
    crowd.end()
