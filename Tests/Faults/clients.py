"""What is asked of a program on one of the client libraries."""
import crowd
import history
import reader
import world


def converse(place: world.World, arguments: list[str]) -> None:
    """Has a program answer, sleep, wake, reconnect, and continue from its positions in its next life."""
    around = crowd.Crowd(place)
    program = reader.Reader(around, "client", [*arguments, str(place.directory / "positions")])
    around.bus.start()
    echo = around.subscribe("echo", ["org.example.tied.echo"])

    def answered(n: int) -> None:
        program.wait("org.example.a", {"n": n})
        place.wait(lambda: f"the answer {n}: {echo}", lambda: echo.has("org.example.tied.echo", {"n": n}))
    around.publish("org.example.a", {"n": 0})
    program.start(is_faulty=True)
    answered(0)
    around.publish("org.example.a", {"n": 1})
    answered(1)
    # It sleeps for a while after this one.
    around.publish("org.example.a", {"n": 2, "sleep": True})
    place.wait("the sleep", lambda: {"asleep": True} in program.events)
    for n in (3, 4):
        around.publish("org.example.a", {"n": n})
    answered(4)
    around.bus.settle()
    around.bus.stop()
    around.bus.start()
    around.publish("org.example.a", {"n": 5})
    answered(5)
    program.stop()
    place.wait(lambda: f"the end of the tied state: {echo}", lambda: echo.value("org.example.tied.echo") == history.text(None))
    around.publish("org.example.a", {"n": 6})
    program.start()
    answered(6)
    program.stop()
