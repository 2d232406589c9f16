// SPDX-License-Identifier: Apache-2.0
// Part of Reveille.

import Glibc
import ReveilleTesting
import Testing
import Varlink

/// Published names on a real bus, over the ends of publishers and of the bus.
@Suite(.blocking, .timeLimit(.minutes(10))) struct PublishingTests {
    private static let name = "org.example.volume"

    /// Returns a call that publishes a value.
    private func publish(_ value: String, tied: Bool = false, to name: String = name) -> String {
        #"{"method":"org.reveille.Bus.Publish","parameters":{"aspect":"\#(name)","value":\#(value),"#
            + #""whileConnected":\#(tied)}}"#
    }

    @Test("a name keeps its value, generation and publisher while the bus is killed at rest and restarted")
    func nameSurvivesAKill() throws {
        let bus = try BusProcess()
        let subscriber = try bus.subscribe(#"{"aspects":["org.example.*"]}"#)
        let client = try bus.client()
        for level in 1...3 {
            try client.send(publish(#"{"text":"café","level":\#(level).0}"#))
            #expect(try client.receive().parameters.integer("generation") == level)
            #expect(try subscriber.next().map { $0["value"] } == [["level": .integer(Int64(level)), "text": "café"]])
        }
        // The reply contains the instance too.
        let before = try client.call("GetState", #"{"aspects":["org.*"]}"#)
        try bus.waitUntilSaved()
        var status = stat()
        #expect(stat(bus.socket + ".state.json", &status) == 0)
        #expect(status.st_mode & 0o7777 == 0o600, "values are personal")
        for _ in 0..<3 {
            bus.kill()
            try bus.restart()
            #expect(try bus.client().call("GetState", #"{"aspects":["org.*"]}"#) == before)
        }
        // A subscriber that saw everything continues without an event.
        let resume = #""resume":[{"aspect":"org.example.volume","generation":3}]"#
        let resumed = try bus.subscribe(
            #"{"aspects":["org.example.*"],"instance":"\#(subscriber.instance)",\#(resume)}"#)
        #expect(resumed.first["resumed"] == true)
        #expect(resumed.initialEvents.isEmpty)
        let later = try bus.client()
        try later.send(publish(#"{"level":3,"text":"café"}"#))
        #expect(try later.receive().parameters.integer("generation") == 3, "an equal value is not a change")
        try later.send(publish("null"))
        #expect(try later.receive().parameters.integer("generation") == 4)
        #expect(try resumed.next().map { $0["value"] } == [.null])
        #expect(bus.stop() == 0)
    }

    @Test("B190: the state of a publisher that is killed becomes null, and that of a bus that is killed too")
    func killedPublisherWithdraws() throws {
        let bus = try BusProcess()
        let subscriber = try bus.subscribe(#"{"aspects":["org.example.volume"]}"#)
        let script = """
            import socket, sys, time
            s = socket.socket(socket.AF_UNIX); s.connect(sys.argv[1])
            s.sendall(sys.argv[2].encode() + b'\\0'); s.recv(4096); print('published', flush=True); s.recv(1)
            """
        for _ in 0..<3 {
            let program = try RunningProgram(
                ["-c", script, bus.socket, publish(#"{"level":1}"#, tied: true)], program: "/usr/bin/python3",
                in: bus.directory)
            #expect(try subscriber.next().map { $0["value"] } == [["level": 1]])
            #expect(
                try bus.description(of: Self.name)["source"]?.stringValue?.hasSuffix(", until it disconnects") == true)
            program.process.signal(SIGKILL)
            program.process.wait()
            #expect(try subscriber.next().map { $0["value"] } == [.null])
        }
        let client = try bus.client()
        try client.send(publish(#"{"level":2}"#, tied: true))
        _ = try client.receive()
        let seen = try #require(try subscriber.next().first)
        try bus.crash()
        let resume = #""resume":[{"aspect":"\#(Self.name)","generation":\#(seen.integer("generation"))}]"#
        let resumed = try bus.subscribe(
            #"{"aspects":["\#(Self.name)"],"instance":"\#(subscriber.instance)",\#(resume)}"#)
        #expect(resumed.first["resumed"] == true)
        #expect(resumed.initialEvents.map { $0["value"] } == [.null])
    }

    @Test("values are compared by Unicode scalars, and the last of equal names counts")
    func valuesAreComparedByScalars() throws {
        let bus = try BusProcess()
        let client = try bus.client()
        func generation(_ value: String) throws -> Int {
            try client.send(publish(value))
            return try client.receive().parameters.integer("generation")
        }
        let first = try generation("{\"a\":\"\u{E9}\"}")
        #expect(try generation(#"{"a":"\u00e9"}"#) == first)
        #expect(try generation("{\"a\":\"e\u{301}\"}") == first + 1)
        #expect(try generation("{\"\u{E9}\":1,\"e\u{301}\":2}") == first + 2)
        let state = try client.state(of: Self.name)["value"]?.objectValue
        #expect(state?.members.count == 2)
        #expect(try generation(#"{"a":1,"a":2}"#) == first + 3)
        #expect(try generation(#"{"a":2}"#) == first + 3)
    }

    @Test("a reload changes the limits of later calls, and an unknown user changes nothing")
    func limitsAreReloaded() throws {
        let bus = try BusProcess(configuration: "{ publish: { names: 1, valueSize: 10 } }")
        let client = try bus.client()
        func problem(_ value: String, of name: String = Self.name) throws -> JSON? {
            try client.send(publish(value, to: name))
            return try client.receive().parameters["quota"]
        }
        #expect(try problem(#"{"a":"12"}"#) == nil)
        #expect(try problem(#"{"a":"123"}"#) == "value")
        #expect(try problem("{}", of: "org.example.other") == "names")
        try bus.directory.write("{ publish: { names: 2 } }", to: "config.json5")
        bus.process.signal(SIGHUP)
        try wait(for: "the reload") { bus.log.contains("config.json5 again") }
        #expect(try problem(#"{"a":"123"}"#) == nil)
        #expect(try problem("{}", of: "org.example.other") == nil)
        #expect(try problem("{}", of: "org.example.third") == "names")
        try bus.directory.write(
            #"{ publish: { names: 3, allow: [{ names: "org.example.*", users: ["no such user"] }] } }"#,
            to: "config.json5")
        bus.process.signal(SIGHUP)
        try wait(for: "the error") {
            bus.log.contains(#"config.json5: publish.allow[0].users: not a user of this system: "no such user""#)
        }
        #expect(try problem("{}", of: "org.example.third") == "names")
        let check = try ProgramRun(
            ["serve", "--check", "--config", bus.directory.path + "/config.json5"], in: bus.directory)
        #expect(check.code == 78)
        #expect(check.errors.contains("config.json5: publish.allow[0].users: not a user of this system"))
    }

    @Test(
        "another user publishes on root's bus once the configuration allows it, and only the allowed names",
        .enabled(if: geteuid() == 0, "only root can switch users"))
    func otherUserIsAllowed() throws {
        let bus = try BusProcess()
        let script = """
            import socket, sys
            s = socket.socket(socket.AF_UNIX); s.connect(sys.argv[1])
            for call in sys.argv[2:]:
                s.sendall(call.encode() + b'\\0'); print(s.recv(4096).decode()[:-1])
            """
        func publish() throws -> [String] {
            let calls = [Self.name, "org.other.volume"].map { self.publish(#"{"level":1}"#, to: $0) }
            let run = try OtherUser.run(
                ["/usr/bin/python3", "-c", script, bus.socket] + calls, in: bus.directory)
            return run.output.split(separator: "\n").map(String.init)
        }
        let denied = #"{"error":"org.varlink.service.PermissionDenied"}"#
        #expect(try publish() == [denied, denied])
        try bus.directory.write(
            #"{ publish: { allow: [{ names: "org.example.*", users: [\#(OtherUser.id)] }] } }"#, to: "config.json5")
        bus.process.signal(SIGHUP)
        try wait(for: "the reload") { bus.log.contains("config.json5 again") }
        #expect(try publish() == [#"{"parameters":{"generation":1,"sequence":1}}"#, denied])
        let client = try bus.client()
        #expect(
            try bus.description(of: Self.name)["source"]?.stringValue?.hasPrefix("published by uid \(OtherUser.id), ")
                == true)
        try client.send(self.publish(#"{"level":2}"#))
        #expect(try client.receive().error == "org.varlink.service.PermissionDenied", "a name of another user")
    }
}
