// SPDX-License-Identifier: Apache-2.0

import ReveilleTesting
import Testing

@Suite(.blocking, .timeLimit(.minutes(10)), .enabled(if: Node.isThere || Node.isRequired, "no Node.js"))
struct NodeClientTests {
    private static let imports = """
        import assert from "node:assert/strict";
        import { connect, launchPositions } from "\(ClientLanguage.node.module.directory)/reveille.mjs";

        """

    /// Runs JavaScript that uses the client, and expects success without warnings.
    private func node(_ code: String, _ configuration: String = "{}") throws {
        let bus = try BusProcess(configuration: configuration)
        let code = """
            \(Self.imports)
            const bus = await connect();
            const listed = async () =>
              (await bus.subscriptions()).flatMap((entry) => (entry.tasks ?? []).map((task) => task.name));
            \(code)
            """
        try bus.run(code, in: .node)
    }

    @Test func taskLastsUntilItIsClosed() throws {
        try node(
            """
            const events = await bus.subscribe("battery");
            const task = await events.task("upload");
            assert.equal(task.name, "upload");
            assert.equal(task.failure, undefined);
            assert(!task.isExpiring && !task.signal.aborted);
            assert.deepEqual(await listed(), ["upload"]);
            assert.equal(await task.remaining(), null);
            await events.enterBackground();
            const left = await task.remaining();
            assert(left > 1_000 && left <= 30_000, `${left}`);
            task.close();
            while ((await listed()).length > 0);
            assert.equal(task.failure, undefined);
            """)
    }

    /// The program has nothing else to wait for, and ends.
    @Test func taskAndBusDoNotKeepTheProcessRunning() throws {
        try node(#"await (await bus.subscribe("battery")).task("upload");"#)
    }

    @Test func taskExpires() throws {
        try node(
            """
            const events = await bus.subscribe("battery");
            const task = await events.task("upload");
            const expiry = new Promise((resolve) => task.signal.addEventListener("abort", resolve));
            await events.enterBackground();
            const busy = setInterval(() => {}, 1_000);
            await expiry;
            clearInterval(busy);
            while ((await listed()).length > 0);
            assert(task.isExpiring);
            assert.equal(task.failure, undefined);
            while ((await task.remaining()) !== 0);
            const late = await events.task("late");
            assert(late.isExpiring);
            assert.equal(await late.remaining(), 0);
            """, "{ lifecycle: { taskTime: 0.05 } }")
    }

    @Test func codeRunsWithoutATask() throws {
        try node(
            """
            const events = await bus.subscribe("battery");
            const refused = await events.task("upload");
            assert.equal(refused.failure.error, "org.reveille.Bus.QuotaExceeded");
            assert(!refused.isExpiring);
            assert.equal(await refused.remaining(), null);
            assert.equal((await events.task("")).failure.error, "org.varlink.service.InvalidParameter");
            bus.close();
            assert.match((await events.task("upload")).failure.message, /closed/);
            """, "{ lifecycle: { tasks: 0 } }")
    }

    @Test func entriesAreListedAndCancelled() throws {
        try node(
            """
            const { next } = await bus.schedule("far", "org.example.far", { every: 3_600_000 });
            assert(next > Date.now() && next < Date.now() + 3_600_001, `${next}`);
            const at = new Date(Date.UTC(2100, 0, 1));
            const once = await bus.schedule("once", "org.example.once", { at, value: { n: 1 } });
            const expected = { id: "once", name: "org.example.once", value: { n: 1 }, at: at.getTime(), next: at.getTime() };
            assert.deepEqual(once, { ...expected, fired: 0 });
            const daily = { calendar: { hour: 7, minute: 30 }, zone: "UTC", until: 1 };
            assert.equal((await bus.schedule("over", "org.example.over", daily)).next, null);
            const woken = { calendar: { weekdays: [1, 7] }, zone: "UTC", wake: true };
            await bus.schedule("far", "org.example.far", woken);
            const [far, second] = await bus.scheduled();
            assert.deepEqual([far.id, far.calendar.weekdays, far.wake], ["far", [1, 7], true]);
            assert.deepEqual(second, once);
            assert.deepEqual((await bus.scheduled()).map(({ id }) => id).sort(), ["far", "once", "over"]);
            assert.equal(await bus.cancelScheduled("far"), 1);
            assert.equal(await bus.cancelScheduled("far"), 0);
            assert.equal(await bus.cancelScheduled(), 2);
            """)
    }

    @Test func impossibleEntriesAreRefusedWithTheReason() throws {
        try node(
            """
            const refused = (entry, options, reason) =>
              assert.rejects(bus.schedule("x", "org.example.x", options), (error) => {
                assert.equal(error.name, "ReveilleError");
                assert.match(error.message, reason);
                return true;
              });
            await refused("x", {}, /InvalidParameter/);
            await refused("x", { every: 999 }, /InvalidParameter .*every/);
            await refused("x", { every: NaN }, /'every' must be a finite number, not NaN/);
            await refused("x", { at: new Date("tea") }, /'at' must be a finite number/);
            await bus.schedule("one", "org.example.one", { every: 1_000 });
            await refused("x", { every: 1_000 }, /QuotaExceeded .*schedule.entries sets the limit/);
            """, "{ schedule: { entries: 1 } }")
    }

    @Test func manyEventsAreTakenAndARefusedConnectionIsClosed() throws {
        try node(
            """
            const { createServer } = await import("node:net");
            const event = (n) => ({
              aspect: `org.example.n${n}`, generation: 1, sequence: 1, changes: 1, netChange: true, firstChangedAt: 1,
              changedAt: 1, dropped: 0, value: {},
            });
            const events = Array.from({ length: 200_000 }, (_, n) => event(n));
            let refuses = false;
            const ended = [];
            const server = createServer((socket) => {
              ended.push(new Promise((resolve) => socket.on("close", resolve)));
              socket.on("error", () => {}).on("data", (data) => {
                const send = (reply) => socket.write(`${JSON.stringify(reply)}\\0`);
                if (refuses) return send({ error: "org.reveille.Bus.QuotaExceeded" });
                if (!`${data}`.includes("Subscribe")) return send({});
                send({ parameters: { subscription: "1", instance: "i", events: [] }, continues: true });
                send({ parameters: { events }, continues: true });
              });
            });
            const path = `${process.env.REVEILLE_ADDRESS.slice(5)}.hostile`;
            await new Promise((resolve) => server.listen(path, resolve));
            const other = await connect(`unix:${path}`);
            const many = await other.subscribe("org.example.*");
            assert.equal((await many.next()).value.aspect, "org.example.n0");
            refuses = true;
            await assert.rejects(connect(`unix:${path}`), { name: "ReveilleError" });
            await ended.at(-1);
            other.close();
            server.close();
            bus.close();
            """)
    }

    @Test("B120: a program in Node that is started for its entries receives their number first")
    func launchedProgram() throws {
        let bus = try BusProcess()
        let program = """
            \(Self.imports)
            import { appendFileSync } from "node:fs";
            const bus = await connect();
            assert.deepEqual(Object.keys(launchPositions().generations), ["org.example.due"]);
            const events = await bus.subscribe("org.example.due");
            const { value: event } = await events.next();
            appendFileSync("\(bus.directory.path)/out", `${event.changes} ${event.state.n}\\n`);
            """
        try bus.directory.write(program, to: "launched.mjs")
        let run = try ProgramRun(
            [
                "--input-type=module", "-e",
                """
                \(Self.imports)
                const bus = await connect();
                assert.equal(launchPositions(), undefined);
                const launch = [process.execPath, process.argv[1]];
                for (let number = 0; number < 3; number += 1) {
                  const options = { at: 1_000 + number, value: { n: number }, launch };
                  await bus.schedule(`e${number}`, "org.example.due", options);
                }
                """, bus.directory.path + "/launched.mjs",
            ], program: "node", in: bus.directory, environment: ["REVEILLE_ADDRESS": bus.address])
        #expect(run.errors == "")
        #expect(run.code == 0)
        try wait(for: "the program to be started") { bus.directory.read("out") == "3 2\n" }
    }
}
