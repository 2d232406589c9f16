// SPDX-License-Identifier: Apache-2.0

import ReveilleTesting
import Testing

@Suite(.blocking, .timeLimit(.minutes(10))) struct ClientTaskTests {
    /// Runs Python code that uses the client, and expects success without warnings.
    private func python(_ code: String, _ configuration: String = "{}") throws {
        let bus = try BusProcess(configuration: configuration)
        let code = """
            import asyncio, reveille
            def listed(bus):
                return [task["name"] for entry in bus.subscriptions() for task in entry.get("tasks", [])]
            \(code)
            """
        try bus.run(code, in: .python)
    }

    @Test func taskLastsAsLongAsItsStatement() throws {
        try python(
            """
            with reveille.connect() as bus, bus.subscribe("battery") as events:
                try:
                    with events.task("upload") as task:
                        assert task.name == "upload" and task.failure is None and not task.is_expiring
                        assert listed(bus) == ["upload"] and task.remaining() is None
                        events.enter_background()
                        assert 1 < task.remaining() <= 30
                        raise KeyError
                except KeyError:
                    pass
                while listed(bus):
                    pass
            """)
    }

    @Test func taskExpires() throws {
        try python(
            """
            with reveille.connect() as bus, bus.subscribe("battery") as events, events.task("upload") as task:
                events.enter_background()
                while not task.is_expiring:
                    pass
                while listed(bus):
                    pass
                assert task.is_expiring and task.failure is None and task.remaining() == 0
                with events.task("late") as late:
                    assert late.is_expiring and late.remaining() == 0
            """, "{ lifecycle: { taskTime: 0.05 } }")
    }

    @Test func codeRunsWithoutATask() throws {
        try python(
            """
            with reveille.connect() as bus, bus.subscribe("battery") as events:
                with events.task("upload") as task:
                    assert task.failure.error == "org.reveille.Bus.QuotaExceeded", task.failure
                    assert not task.is_expiring and task.remaining() is None
                bus.close()
                with events.task("upload") as task:
                    assert "closed" in str(task.failure)
            """, "{ lifecycle: { tasks: 0 } }")
    }

    @Test func asyncioHasTheSameTasks() throws {
        try python(
            """
            async def main():
                async with reveille.connect_async() as bus, bus.subscribe("battery") as events:
                    async with events.task("upload") as task:
                        assert task.failure is None and await task.remaining() is None
                        await events.enter_background()
                        assert 1 < await task.remaining() <= 30
                    task = await events.task("sync")
                    task.close()
                    while any(entry.get("tasks") for entry in await bus.subscriptions()):
                        pass
            asyncio.run(main())
            """)
    }

    @Test("B120: a program in Python that is started for its entries receives their number first")
    func launchedProgram() throws {
        let bus = try BusProcess()
        let program = """
            import sys, reveille
            bus = reveille.connect()
            if len(sys.argv) > 1:
                launch = [sys.executable, "-c", sys.argv[1]]
                for number in range(3):
                    at = reveille.datetime.fromtimestamp(1 + number, reveille.timezone.utc)
                    bus.schedule(f"e{number}", "org.example.due", {"n": number}, at=at, launch=launch)
                bus.schedule("far", "org.example.far", calendar={"weekdays": [1, 7]}, zone="UTC", wake=True)
                [far] = bus.scheduled()
                assert far["id"] == "far" and far["calendar"] == {"weekdays": [1, 7]} and far["wake"], far
                bus.schedule("far", "org.example.far", every=3600, calendar=None)
                assert "wake" not in bus.scheduled()[0]
                assert bus.cancel_scheduled("far") == 1 and bus.cancel_scheduled("far") == 0
            else:
                assert reveille.launch_positions()["generations"].keys() == {"org.example.due"}
                with bus.subscribe("org.example.due") as events:
                    event = next(events)
                    with open("OUT", "a") as file:
                        print(event.changes, event.state["n"], file=file)
            """.replacing("OUT", with: bus.directory.path + "/out")
        let path = Package.root + "/Sources/Clients/Python"
        let run = try ProgramRun(
            [
                "-c", "import sys; sys.path.insert(0, '\(path)')\n" + program,
                "import sys; sys.path.insert(0, '\(path)')\n" + program,
            ], program: "python3", in: bus.directory,
            environment: ["REVEILLE_ADDRESS": bus.address])
        #expect(run.errors == "")
        #expect(run.code == 0)
        try wait(for: "the program to be started") { bus.directory.read("out") == "3 2\n" }
    }
}
