// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleSystem
import ReveilleTesting
import Testing
import Varlink

/// The errors of the clients for Python and Node, which name the operation, its subject and the reason.
@Suite(.blocking, .timeLimit(.minutes(10)), .enabled(if: Node.isThere || Node.isRequired, "no Node.js"))
struct ClientRefusalTests {
    private let bus: BusProcess

    init() throws {
        bus = try BusProcess(configuration: "{ publish: { names: 1 } }")
    }

    /// Expects a call to fail, and the client to work afterwards.
    private func failure(
        _ client: ClientProgram, _ action: String, _ arguments: [JSON]
    ) throws -> ClientProgram.Failure? {
        let failure = #expect(throws: ClientProgram.Failure.self) {
            try client.call(action, ["arguments": .array(arguments)])
        }
        try client.post(level: 0.5)
        return failure
    }

    @Test(arguments: ClientLanguage.separate) func limitsAreNamed(language: ClientLanguage) throws {
        let client = try ClientProgram(language, on: bus)
        try client.call("publish", ["arguments": ["org.example.a", [:]]])
        let names = try failure(client, "publish", ["org.example.b", [:]])
        #expect(names?.message.hasPrefix("Publish org.example.b: QuotaExceeded (quota: names, limit: 1): ") == true)
        #expect(names?.message.hasSuffix("publish.names sets the limit") == true)
        for length in [5_000, 65_000] {
            let long: JSON = ["text": .string(String(repeating: "x", count: length))]
            let value = try failure(client, "publish", ["org.example.a", long])
            #expect(value?.code == "quotaExceeded" && value?.name == "org.reveille.Bus.QuotaExceeded")
            #expect(
                value?.message == """
                    Publish org.example.a: QuotaExceeded (quota: value, limit: 4096): a value can have at most 4096 bytes \
                    as JSON without spaces; publish.valueSize sets the limit
                    """)
            #expect(value?.parameters == ["quota": "value", "limit": 4_096])
        }
        let aspects = (0..<65).map { JSON.string("org.example.n\($0)") }
        let many = try failure(client, "getAll", aspects)
        #expect(many?.message.hasSuffix("a pattern such as org.example.* stands for many names") == true)
    }

    @Test(arguments: ClientLanguage.separate)
    func valueThatTheBusWouldNotAnswerIsNotSent(language: ClientLanguage) throws {
        let client = try ClientProgram(language, on: bus)
        let text = JSON.string(String(repeating: "x", count: 70_000))
        let long = try failure(client, "publish", ["org.example.a", ["text": text]])
        #expect(long?.message.hasPrefix("Publish org.example.a: the call has 70") == true)
        #expect(long?.message.hasSuffix(" bytes, and a bus accepts at most 65536") == true)
        for depth in [28, 33, 100] {
            let nested = (1..<depth).reduce([:] as JSON) { value, _ in ["a": value] }
            let deep = try failure(client, "publish", ["org.example.a", nested])
            #expect(deep?.message == "Publish org.example.a: the value is nested deeper than 27 levels")
            #expect(deep?.code == "invalidArgument" && deep?.name == nil && deep?.parameters == [:])
            let posted = try failure(client, "post", ["proximity", nested])
            #expect(posted?.message == "Post proximity: the state is nested deeper than 27 levels")
        }
        let nested = (1..<27).reduce([:] as JSON) { value, _ in ["a": value] }
        try client.call("publish", ["arguments": ["org.example.a", nested]])
        #expect(try client.call("get", ["arguments": ["org.example.a"]]).objectValue?["state"] == nested)
    }

    @Test(arguments: ClientLanguage.separate) func callThatEndsTheConnectionIsNamed(language: ClientLanguage) throws {
        let bus = try BusProcess(configuration: "{ bus: { maxFrame: 2048 } }")
        let client = try ClientProgram(language, on: bus)
        let text = JSON.string(String(repeating: "x", count: 3_000))
        let long = try failure(client, "publish", ["org.example.a", ["text": text]])
        #expect(long?.message == "Publish org.example.a: the bus closed the connection")
        let name = JSON.string(String(repeating: "x", count: 70_000))
        let state = try failure(client, "post", ["proximity", ["state": name]])
        // Sending may have failed before the connection was found closed.
        #expect(state?.message.hasPrefix("Post proximity: the ") == true)
        #expect(state?.message.contains("; the call has 70") == true, "\(state as Any)")
        #expect(state?.message.hasSuffix(" bytes, and a bus accepts at most 65536 (bus.maxFrame)") == true)
    }

    @Test("a suspension that is impossible fails with its reason, and leaves the program in the background")
    func impossibleSuspensionFails() throws {
        for language in ClientLanguage.separate {
            let client = try ClientProgram(language, on: bus)
            try client.subscribe(to: ["battery"])
            let entries = try client.call("subscriptions").arrayValue ?? []
            let id = try #require(entries.last?.objectValue?["subscription"])
            // It is in the cgroup of its bus, and holds itself.
            let refused = try failure(client, "suspend", [id])
            #expect(refused?.code == "cannotSuspend" && refused?.name == "org.reveille.Bus.CannotSuspend")
            #expect(refused?.parameters["reason"] != nil)
            let after = try client.call("subscriptions").arrayValue ?? []
            #expect(after.last?.objectValue?["held"] == ["app"])
            #expect(try failure(client, "suspend", ["nobody"])?.code == "noSuchSubscription")
        }
    }

    @Test func valuesThatAreNoDurationAreRefused() throws {
        let python = """
            import reveille
            for interval in [float("nan"), float("inf"), True, "1", 1e-9]:
                try:
                    reveille.Policy(interval=interval)
                except reveille.ReveilleError as error:
                    assert str(error).startswith("Policy: the interval must be from a millisecond to a year"), error
                else:
                    raise AssertionError(interval)
            """
        let module = ClientLanguage.node.module
        let node = """
            import assert from "node:assert";
            import { connect, ReveilleError } from "\(module.directory)/\(module.name)";
            const bus = await connect();
            for (const interval of [NaN, Infinity, true, "1", 1e-9]) {
              const subscription = bus.subscribe("battery", { policies: { battery: { interval } } });
              await assert.rejects(subscription, /the policy of battery: the interval must be from 1 to 31536000000 milliseconds/);
            }
            bus.close();
            """
        try bus.run(python, in: .python)
        try bus.run(node, in: .node)
    }

    @Test(.enabled(if: geteuid() == 0, "only root can switch users")) func otherUserIsRefusedWithTheRule() throws {
        let python = """
            import reveille, sys
            with reveille.connect(sys.argv[1]) as bus:
                try:
                    bus.publish("org.example.a", {})
                except reveille.ReveilleError as error:
                    print(error)
            """
        let file = bus.directory.path + "/reveille.py"
        try ChildProcess(["cp", ClientLanguage.python.module.directory + "/reveille.py", file]).wait()
        try bus.directory.write(python, to: "publish.py")
        let run = try OtherUser.run(
            ["/usr/bin/python3", bus.directory.path + "/publish.py", bus.address], in: bus.directory)
        #expect(
            run.output.hasPrefix("Publish org.example.a: PermissionDenied: on a user's bus, only that user and root"),
            "\(run.output) \(run.errors)")
        #expect(run.output.contains("only while no other user publishes it"))
    }
}
