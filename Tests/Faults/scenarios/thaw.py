"""The start of a bus that finds a program which the last one left frozen."""
from crowd import Crowd
from scenarios.suspension import SECONDS, Patient, missing
from world import World

__all__ = ["SECONDS", "missing", "run"]

COUNTS_START = True
# A thaw that fails is tried again after 15 s.
WAITS, COST = True, 1.0


def run(world: World) -> None:
    crowd = Crowd(world)
    crowd.bus.start()
    crowd.publish("org.example.a", {"n": 1})
    patient = Patient(world, crowd.bus.path)
    world.wait(lambda: f"the first state: {patient.last}", lambda: patient.has({"n": 1}))
    patient.set_state(crowd, "suspended")
    crowd.publish("org.example.a", {"n": 2})
    crowd.bus.settle()
    crowd.bus.kill()
    crowd.bus.start(is_faulty=True)
    crowd.publish("org.example.a", {"n": 3})
    # It may stay frozen until the next bus.
    crowd.bus.stop()
    crowd.bus.start()
    world.wait(lambda: f"the state after the thaw: {patient.last}", lambda: patient.has({"n": 3}))
