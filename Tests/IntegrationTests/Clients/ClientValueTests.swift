// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleTesting
import Testing
import Varlink

/// The values, times and signals that a client for Python or Node takes and returns, in the words of its language.
@Suite(.blocking, .timeLimit(.minutes(10)), .enabled(if: Node.isThere || Node.isRequired, "no Node.js"))
struct ClientValueTests {
    private let bus: BusProcess

    init() throws {
        bus = try BusProcess()
    }

    private func python(_ code: String) throws {
        let imports = """
            import asyncio, reveille
            from datetime import datetime, timedelta, timezone
            def refusal(call, *arguments, **options):
                try:
                    raise AssertionError(call(*arguments, **options))
                except reveille.ReveilleError as error:
                    return error

            """
        try bus.run(imports + code, in: .python)
    }

    private func node(_ code: String) throws {
        let module = ClientLanguage.node.module
        let imports = """
            import assert from "node:assert";
            import { connect, ReveilleError } from "\(module.directory)/\(module.name)";

            """
        try bus.run(imports + code, in: .node)
    }

    @Test("values that are not JSON, or not objects, are refused by the client alone, with one code")
    func valuesThatAreNotJSON() throws {
        try python(
            """
            nested = {}
            for _ in range(40):
                nested = {"a": nested}
            with reveille.connect() as bus:
                for value in (float("nan"), float("inf"), 2**70, -2**70, print, object(), {1}, [[2**70]], nested):
                    for call, *arguments in (
                        (bus.publish, "org.example.a"), (bus.post, "battery"), (bus.schedule, "x", "org.example.a"),
                    ):
                        options = {"every": 60} if call == bus.schedule else {}
                        error = refusal(call, *arguments, {"x": value}, **options)
                        assert (error.code, error.error, error.parameters) == ("invalid_argument", None, {}), error
                for value in (None, 5, "text", [1], print):
                    assert refusal(bus.publish, "org.example.a", value).code == "invalid_argument"
                assert bus.get("org.example.a").state is None
                bus.publish("org.example.a", {"x": [-2**63, 2**63 - 1, 1e300, None, "text"]})
            """)
        try node(
            """
            const bus = await connect();
            const refused = (call) => assert.rejects(call, ({ code, error, parameters }) => {
              assert.deepStrictEqual([code, error, parameters], ["invalidArgument", undefined, {}]);
              return true;
            });
            let nested = {};
            for (let depth = 0; depth < 40; depth += 1) nested = { a: nested };
            for (const x of [NaN, -Infinity, 2 ** 70, -(2 ** 70), 5n, () => {}, Symbol("s"), [[2 ** 70]], nested]) {
              await refused(bus.publish("org.example.b", { x }));
              await refused(bus.post("battery", { x }));
              await refused(bus.schedule("x", "org.example.b", { value: { x }, every: 60_000 }));
            }
            for (const value of [undefined, null, 5, "text", [1], () => {}]) await refused(bus.publish("org.example.b", value));
            assert.strictEqual((await bus.get("org.example.b")).state, null);
            await bus.publish("org.example.b", { x: [2 ** 53, -1.5, null, "text"], missing: undefined });
            bus.close();
            """)
    }

    @Test("Python takes moments as datetimes, and durations as seconds or timedeltas, and returns what it takes")
    func timesOfPython() throws {
        try python(
            """
            at, minute = datetime(2100, 1, 1, tzinfo=timezone.utc), timedelta(minutes=1)
            with reveille.connect() as bus:
                once = bus.schedule("once", "org.example.a", {"n": 1}, at=at, if_missed="skip", grace=minute)
                assert once == {
                    "id": "once", "name": "org.example.a", "value": {"n": 1}, "at": at, "if_missed": "skip", "grace": 60,
                    "next": at, "fired": 0,
                }, once
                often = bus.schedule("often", "org.example.a", every=90 * minute, until=at)
                assert (often["every"], often["until"], often["value"]) == (5400, at, {}), often
                soon = datetime.now(timezone.utc) + timedelta(minutes=90)
                assert timedelta() <= soon - often["next"] < minute or timedelta() <= often["next"] - soon < minute
                weekly = bus.schedule("weekly", "org.example.a", calendar={"weekdays": [1], "hour": 7}, zone="UTC")
                assert weekly["calendar"] == {"weekdays": [1], "hour": 7} and weekly["next"].isoweekday() == 1
                # An entry of another client may have the interface's other member.
                single = bus.schedule("single", "org.example.a", calendar={"weekday": 1})
                assert single["calendar"] == {"weekdays": [1]}
                assert bus.scheduled() == [often, once, single, weekly]
                policies = {"battery": reveille.Policy(interval=timedelta(milliseconds=5))}
                with bus.subscribe("battery", policies=policies) as events, events.task("work") as task:
                    events.enter_background(wake_after=minute)
                    assert 0 < task.remaining() <= 30
                    try:
                        raise AssertionError(events.next(timedelta(milliseconds=1)))
                    except TimeoutError:
                        pass
                    error = refusal(events.enter_background, wake_after=timedelta())
                    assert "from a millisecond to a year" in str(error)
                assert events.next(1) is None
            """)
    }

    @Test("options of a wrong type are refused with their name") func wrongOptions() throws {
        try python(
            """
            with reveille.connect() as bus:
                for option, value in {
                    "domains": "app/*", "resume": {"a": 1}, "policies": {"battery": {"background": "hold"}},
                }.items():
                    error = refusal(bus.subscribe, "battery", "defaults", **{option: value})
                    assert option[:5] in str(error).lower() and error.code == "invalid_argument", error
                for options in ({"initial": True, "name": "one"}, {"background": True}):
                    bus.subscribe("battery", **options).close()
                try:
                    raise AssertionError(bus.subscribe("battery", intial=True))
                except TypeError as error:
                    assert "intial" in str(error)
            """)
        try node(
            """
            const bus = await connect();
            for (const [option, value] of Object.entries({ domains: [5], resume: 5, policies: { battery: 5 } })) {
              await assert.rejects(bus.subscribe(["battery", "defaults"], { [option]: value }), (error) => {
                assert.strictEqual(error.code, "invalidArgument");
                assert.match(error.message, new RegExp(option.slice(0, 5)));
                return true;
              });
            }
            bus.close();
            """)
    }

    @Test("a signal of Node ends a wait for a bus, a wait for an event, which takes none, and an iteration")
    func signals() throws {
        try node(
            """
            const reason = new Error("stop");
            const stop = new AbortController();
            const absent = connect(`${process.env.REVEILLE_ADDRESS}.absent`, { wait: true, signal: stop.signal });
            setImmediate(() => stop.abort(reason));
            await assert.rejects(absent, reason);
            await assert.rejects(connect(null, { signal: AbortSignal.abort(reason) }), reason);

            const bus = await connect(null, { wait: true, signal: new AbortController().signal });
            const events = await bus.subscribe("org.example.a");
            let changes = 0;
            for (let step = 1; step <= 50; step += 1) {
              const one = new AbortController();
              const waits = [events.next({ signal: one.signal }), events.next({ signal: one.signal })];
              await bus.publish("org.example.a", { step });
              for (let turn = 0; turn < step % 5; turn += 1) await new Promise(setImmediate);
              one.abort(reason);
              for (const wait of waits) {
                changes += await wait.then(({ value }) => value.changes, (error) => (assert.strictEqual(error, reason), 0));
              }
            }
            await bus.publish("org.example.a", { step: "last" });
            for (let last = false; !last; ) {
              const { value } = await events.next();
              [changes, last] = [changes + value.changes, value.state.step === "last"];
            }
            assert.strictEqual(changes, 51);
            await assert.rejects(events.next({ signal: AbortSignal.timeout(1) }), { name: "TimeoutError" });

            const ended = new AbortController();
            const others = await bus.subscribe("org.example.a", { initial: true, signal: ended.signal });
            for await (const { changes } of others) {
              assert.strictEqual(changes, 0);
              ended.abort();
            }
            assert.deepStrictEqual(await others.next(), { value: undefined, done: true });
            await assert.rejects(bus.subscribe("battery", { signal: AbortSignal.abort(reason) }), reason);
            while ((await bus.subscriptions()).length > 1);
            bus.close();
            """)
    }

    @Test(
        "the package of npm has the version of the bus, and its example runs where it is installed, without a network")
    func packageOfNPM() throws {
        try bus.directory.write(
            """
            import { connect } from "reveille";
            const bus = await connect();
            const events = await bus.subscribe("battery", { initial: true });
            for await (const event of events) { console.log(event.aspect, event.changes); break; }
            """, to: "project/example.mjs")
        let run = try ProgramRun(
            [
                "-ec",
                """
                cd "$3"
                export HOME=$PWD npm_config_offline=true npm_config_update_notifier=false
                version=$("$1" --version)
                tar=$(npm pack --silent "$2")
                test "$tar" = "reveille-$version.tgz"
                tar -tf "$tar" | sort | tr '\\n' ' '
                cd project
                npm init --yes >init.log
                npm install --silent --no-audit --no-fund "../$tar"
                node example.mjs
                """, "sh", BusProcess.program, ClientLanguage.node.module.directory, bus.directory.path,
            ], program: "sh", in: bus.directory, environment: ["REVEILLE_ADDRESS": bus.address])
        let files = ["package.json", "reveille.d.mts", "reveille.mjs"].map { "package/\($0) " }
        #expect(run.output == files.joined() + "battery 0\n", "\(run.errors)")
    }
}
