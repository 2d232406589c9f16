// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import ReveilleTesting
import Testing

/// The tasks of the client for Python.
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
        let environment = ["REVEILLE_ADDRESS": bus.address, "PYTHONPATH": ClientLanguage.python.module.directory]
        let run = try ProgramRun(
            ["-X", "dev", "-c", code], program: "python3", in: bus.directory, environment: environment)
        #expect(run.code == 0 && run.errors == "", "\(run.errors)")
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
                    assert task.failure.name == "org.reveille.Bus.QuotaExceeded", task.failure
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
}
