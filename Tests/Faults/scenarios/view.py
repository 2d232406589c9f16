"""`reveille-view`: a page that is open, hidden and shown again, over a restart of the bus, and of the program itself."""
import page
from crowd import Crowd
from world import World

COUNTS_START = True
SECONDS = 30.0
# libmicrohttpd waits for another edge of epoll, which the kernel reports only once the socket was full.
IMPOSSIBLE = {("sendto", "EAGAIN")}


def run(world: World) -> None:
    crowd = Crowd(world)
    crowd.bus.start()
    crowd.publish("org.example.a", {"n": 0})
    view = page.View(crowd, "view", [str(world.build / "reveille-view"), "--port", "0"])
    view.start(is_faulty=True)
    shown = page.Page(view)
    shown.wait("org.example.a", {"n": 0})
    for n in range(1, 3):
        crowd.publish("org.example.a", {"n": n})
        shown.wait("org.example.a", {"n": n})
    battery = {"state": "charging", "level": 0.5, "plugged": True, "chargeStatus": "charging", "packs": []}
    crowd.control.call("Post", battery=battery)
    view.get("/battery?span=day")
    shown.close()
    shown.is_open = False
    for n in range(3, 5):
        crowd.publish("org.example.a", {"n": n})
    shown.is_open = True
    shown.wait("org.example.a", {"n": 4})
    crowd.bus.settle()
    crowd.bus.stop()
    crowd.bus.start()
    crowd.publish("org.example.a", {"n": 5})
    shown.wait("org.example.a", {"n": 5})
    view.stop()
    crowd.publish("org.example.a", {"n": 6})
    view.start()
    shown.wait("org.example.a", {"n": 6})
    view.get("/battery?span=day")
    view.get("/changes?aspect=org.example.a")
    view.get("/subscriptions")
    view.stop()
