// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleSystem
import ReveilleTesting
import Testing
import Varlink

/// The properties of the clients that only their own language has.
@Suite(.blocking, .timeLimit(.minutes(10)), .enabled(if: Node.isThere || Node.isRequired, "no Node.js"))
struct ClientUseTests {
    private let bus: BusProcess

    init() throws {
        bus = try BusProcess()
        try bus.client().post(level: 0.5)
    }

    /// Runs Python code that uses the client, and expects success without warnings.
    private func python(_ code: String) throws {
        let code = """
            import asyncio, os, reveille, signal, threading
            def battery(level):
                return {"state": "unplugged", "level": level, "plugged": False, "chargeStatus": "discharging", "packs": []}
            class turn:
                "Lets the event loop go round once."
                def __await__(self): yield
            def descriptors():
                return len(os.listdir("/proc/self/fd"))
            \(code)
            """
        try bus.run(code, in: .python)
    }

    /// Runs JavaScript code that uses the client, and expects success without warnings.
    private func node(_ code: String) throws {
        let module = ClientLanguage.node.module
        let code = """
            import assert from "node:assert";
            import { connect, ReveilleError } from "\(module.directory)/\(module.name)";
            const battery = (level) =>
              ({ state: "unplugged", level, plugged: false, chargeStatus: "discharging", packs: [] });
            \(code)
            """
        try bus.run(code, in: .node)
    }

    @Test func pythonWithStatementClosesEverything() throws {
        try python(
            """
            before = descriptors()
            with reveille.connect() as bus:
                with bus.subscribe("battery", initial=True) as one, bus.subscribe("battery") as two:
                    for event in one:
                        assert event.state["level"] == 0.5
                        break
                    try:
                        raise AssertionError(two.next(timeout=0.01))
                    except TimeoutError as error:
                        assert "battery" in str(error)
                assert list(one) == []
                three = bus.subscribe("battery")
            assert list(three) == []
            assert descriptors() == before, descriptors()
            """)
    }

    @Test func pythonThreadsShareABus() throws {
        try python(
            """
            def use(number):
                for step in range(50):
                    bus.publish(f"org.example.n{number}", {"step": step})
                    assert bus.get(f"org.example.n{number}").state == {"step": step}
            with reveille.connect() as bus:
                threads = [threading.Thread(target=use, args=(number,)) for number in range(8)]
                for thread in threads: thread.start()
                for thread in threads: thread.join()
                assert all(len(bus.history(f"org.example.n{number}", limit=50)) == 50 for number in range(8))
            """)
    }

    @Test func cancelledTasksLeaveNoConnection() throws {
        try python(
            """
            async def use(bus, number):
                async with bus.subscribe("battery", name=str(number)) as events:
                    async for event in events:
                        pass
            async def main():
                before = descriptors()
                async with reveille.connect_async() as bus:
                    for turns in range(40):
                        tasks = [asyncio.create_task(use(bus, number)) for number in range(5)]
                        for _ in range(turns):
                            await turn()
                        for task in tasks:
                            task.cancel()
                        await asyncio.gather(*tasks, return_exceptions=True)
                        assert all(task.cancelled() for task in tasks)
                    while await bus.subscriptions():
                        pass
                assert descriptors() == before, descriptors()
            asyncio.run(main())
            """)
    }

    @Test func cancelledCallDoesNotDisturbTheNext() throws {
        try python(
            """
            async def main():
                async with reveille.connect_async() as bus:
                    await bus.publish("org.example.tied", {"on": True}, while_connected=True)
                    for turns in range(20):
                        call = asyncio.create_task(bus.publish("org.example.a", {"turns": turns}))
                        for _ in range(turns % 4):
                            await turn()
                        call.cancel()
                        assert (await bus.get("battery")).aspect == "battery"
                    assert (await bus.get("org.example.tied")).state == {"on": True}, "the same connection"
            asyncio.run(main())
            """)
    }

    @Test func cancelledWaitLosesNoEvent() throws {
        try python(
            """
            async def main():
                async with reveille.connect_async() as bus, bus.subscribe("battery") as events:
                    changes = 0
                    for step in range(1, 100):
                        waiting = asyncio.ensure_future(anext(events))
                        await turn()
                        await bus.post("battery", battery(step / 100))
                        for _ in range(step % 7):
                            await turn()
                        waiting.cancel()
                        try:
                            changes += (await waiting).changes
                        except asyncio.CancelledError:
                            pass
                    await bus.post("battery", battery(1))
                    while (event := await anext(events)).state["level"] != 1:
                        changes += event.changes
                    assert changes + event.changes == 100, (changes, event)
            asyncio.run(main())
            """)
    }

    @Test func eventsOfNodeAreFrozenAndBreakLeavesTheSubscriptionOpen() throws {
        try node(
            """
            const bus = await connect();
            const events = await bus.subscribe("battery", { initial: true });
            for await (const event of events) {
              assert.throws(() => { event.changes = 9; }, TypeError);
              assert.deepStrictEqual(JSON.parse(JSON.stringify(event)), { ...event });
              break;
            }
            await bus.post("battery", battery(0.4));
            for await (const event of events) {
              assert.strictEqual(event.state.level, 0.4);
              events.close();
            }
            while ((await bus.subscriptions()).length > 0);
            bus.close();
            await assert.rejects(bus.refresh(), ReveilleError);
            """)
    }

    @Test func processOfNodeEndsWhenNothingWaits() throws {
        try node(
            """
            const bus = await connect();
            await bus.publish("org.example.tied", { on: true }, { whileConnected: true });
            const events = await bus.subscribe("battery");
            await bus.post("battery", battery(0.4));
            await events.next();
            """)
        try wait(for: "the withdrawal") {
            try bus.client().state(of: "org.example.tied")["value"]?.objectValue == nil
        }
    }

    @Test(arguments: [ClientLanguage.python, .node]) func usersOwnBusNeedsNoAddress(language: ClientLanguage) throws {
        let module = language.module
        try ChildProcess(["cp", module.directory + "/" + module.name, bus.directory.path]).wait()
        let code =
            language == .python
            ? ["python3", "-c", "import reveille; print(reveille.connect().address)"]
            : [
                "node", "--input-type=module", "-e",
                "import { connect } from '\(bus.directory.path)/reveille.mjs'; console.log((await connect()).address)",
            ]
        let environment = [
            "XDG_RUNTIME_DIR": bus.directory.path, "PYTHONPATH": bus.directory.path, "PATH": "/usr/bin:/bin",
        ]
        // The bus of root is the machine's.
        let run =
            getuid() == 0
            ? try OtherUser.run(code, in: bus.directory, environment: environment)
            : try ProgramRun(
                Array(code.dropFirst()), program: code[0], in: bus.directory, environment: environment)
        #expect(run.output == bus.address + "\n", "\(run.errors)")
    }

    @Test("subscriptions have the name that their program was run with", arguments: ["player", nil])
    func nameOfTheProgramIsTheDefault(name: String?) throws {
        let python = """
            import reveille
            with reveille.connect() as bus, bus.subscribe("battery") as one, bus.subscribe("battery", name="own") as two:
                two.next()
                one.next()
            """
        let module = ClientLanguage.node.module
        let node = """
            import { connect } from "\(module.directory)/\(module.name)";
            const bus = await connect();
            const one = await bus.subscribe("battery");
            const two = await bus.subscribe("battery", { name: "own" });
            for await (const event of one) console.log(event);
            """
        for command in [["python3", "-X", "dev", "-c", python], ["node", "--input-type=module", "-e", node]] {
            let program = try RunningProgram(
                Array(command.dropFirst()), program: command[0], in: bus.directory,
                environment: [
                    "REVEILLE_ADDRESS": bus.address, "PYTHONPATH": ClientLanguage.python.module.directory,
                    "REVEILLE_NAME": name ?? "",
                ])
            let client = try bus.client()
            try wait(for: "two subscriptions of \(command[0]): \(program.errors)") {
                let names = try client.subscriptions().map { $0["name"]?.stringValue }
                return names.count == 2 && Set(names) == [name, "own"]
            }
            program.stop()
            try wait(for: "the end of the subscriptions") { try client.subscriptions().isEmpty }
        }
    }
}
