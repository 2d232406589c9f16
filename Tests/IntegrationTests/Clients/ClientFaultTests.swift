// SPDX-License-Identifier: Apache-2.0

import ReveilleTesting
import Testing

/// The clients for Python and Node after exceptions, cancellations and forks, and with a hostile bus.
@Suite(.blocking, .timeLimit(.minutes(10)), .enabled(if: Node.isThere || Node.isRequired, "no Node.js"))
struct ClientFaultTests {
    private static let scripts = Package.root + "/Tests/IntegrationTests/Clients/Python/"

    private func run(_ arguments: [String], program: String = "python3") throws -> ProgramRun {
        let bus = try BusProcess()
        let environment = ["REVEILLE_ADDRESS": bus.address, "PYTHONPATH": ClientLanguage.python.module.directory]
        return try ProgramRun(arguments, program: program, in: bus.directory, environment: environment)
    }

    @Test(
        "an exception at any line, as of a signal handler, leaves a client in Python that works and counts each change once"
    )
    func exceptionAtAnyLine() throws {
        let run = try run([Self.scripts + "interrupts.py"])
        #expect(run.output == "passed\n", "\(run.errors)")
    }

    @Test("a wrong field of any reply causes ReveilleError alone", arguments: ["python", "node"])
    func hostileBus(client: String) throws {
        let run = try run([Self.scripts + "hostile_bus.py", client])
        #expect(run.output == "passed\n", "\(run.errors)")
    }

    @Test func childOfAForkMustConnectAgain() throws {
        let code = """
            import os, reveille
            with reveille.connect() as bus, bus.subscribe("org.example.*") as events:
                if os.fork() == 0:
                    calls = bus.info, events.next, events.enter_background, lambda: bus.subscribe("battery")
                    for call in calls:
                        try:
                            call()
                            os._exit(1)
                        except reveille.ReveilleError as error:
                            assert "connect again after a fork" in str(error)
                    events.close()
                    bus.close()
                    with reveille.connect() as own:
                        own.publish("org.example.a", {"child": True})
                    os._exit(0)
                assert os.waitstatus_to_exitcode(os.wait()[1]) == 0
                assert next(events).state == {"child": True}
                assert bus.get("org.example.a").state == {"child": True}
            """
        try BusProcess().run(code, in: .python)
    }

    @Test("a change of the background that is cancelled at any step leaves a subscription that receives events")
    func cancelledBackground() throws {
        let code = """
            import asyncio, reveille
            class Turn:
                def __await__(self):
                    yield
            async def main():
                async with reveille.connect_async() as bus, bus.subscribe("org.example.a") as events:
                    for change in (events.enter_background, events.enter_foreground):
                        for steps in range(12):
                            task = asyncio.create_task(change())
                            for _ in range(steps):
                                await Turn()
                            task.cancel()
                            await asyncio.wait([task])
                            if task.cancelled() and change == events.enter_foreground:
                                await change()
                            elif not task.cancelled() and change == events.enter_background:
                                await events.enter_foreground()
                            await bus.publish("org.example.a", {"step": [change.__name__, steps]})
                            async with asyncio.timeout(20):
                                while (await anext(events)).state != {"step": [change.__name__, steps]}:
                                    pass
                            if change == events.enter_foreground:
                                await events.enter_background()
            asyncio.run(main())
            """
        try BusProcess().run(code, in: .python)
    }
}
