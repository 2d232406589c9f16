// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleSystem
import ReveilleTesting
import Testing
import Varlink

@Suite(.blocking, .timeLimit(.minutes(10))) struct ReloadTests {
    private func reload(_ bus: BusProcess, _ configuration: String, until line: String) throws {
        try bus.directory.write(configuration, to: "config.json5")
        let count = bus.log.ranges(of: line).count
        bus.process.signal(SIGHUP)
        try wait(for: line) {
            guard !bus.process.hasEnded else { throw Trouble("the bus ended: \(bus.log)") }
            return bus.log.ranges(of: line).count > count
        }
    }

    @Test func newConfigurationIsAppliedAndSubscriptionsRemain() throws {
        let bus = try BusProcess()
        try bus.directory.write("[a]\nx=1\n", to: "root/etc/app.conf")
        let subscriber = try bus.subscribe(#"{"aspects":["defaults","battery","proximity"]}"#)
        try bus.client().post(level: 0.5)
        #expect(try subscriber.next().map(\.level) == [0.5])
        let instance = try bus.client().instance()

        try reload(bus, #"{ defaults: { paths: ["/etc/app.conf"] } }"#, until: "config.json5 again")
        let event = try #require(try subscriber.next().first)
        #expect(event.aspect == "defaults")
        #expect(JSON.object(event).description.contains("/etc/app.conf"))

        // The watchers use the new configuration, and posted states remain.
        try bus.directory.write("[a]\nx=2\n", to: "root/etc/app.conf")
        #expect(try subscriber.next().first?.aspect == "defaults")
        #expect(try bus.client().instance() == instance)
        let state = try bus.client().state(of: "battery")
        #expect(state.level == 0.5)
        #expect(try bus.description(of: "battery")["monitored"] == true)
        #expect(bus.stop() == 0)
    }

    @Test func invalidConfigurationIsRejectedAndTheOldOneRemains() throws {
        let bus = try BusProcess(configuration: #"{ defaults: { paths: ["/etc/app.conf"] } }"#)
        let subscriber = try bus.subscribe(#"{"aspects":["defaults"]}"#)
        try reload(
            bus, "{ defaults: { settle: -1 } }",
            until: "config.json5: defaults.settle: not a number of seconds from 0 to 31536000: -1")
        unlink(bus.directory.path + "/config.json5")
        bus.process.signal(SIGHUP)
        try wait(for: "an error") { bus.log.contains("config.json5: No such file or directory") }
        try bus.directory.write("[a]\nx=1\n", to: "root/etc/app.conf")
        #expect(try subscriber.next().first?.aspect == "defaults")
        #expect(bus.stop() == 0)
    }

    @Test func limitsApplyToLaterConnections() throws {
        let bus = try BusProcess()
        let old = try bus.client()
        #expect(try old.call("GetState").error == nil)
        try reload(bus, "{ bus: { maxFrame: 1024, history: 1 } }", until: "bus.history remains 256")
        let long = #"{"method":"org.reveille.Bus.GetState"}"# + String(repeating: " ", count: 2_000)
        try old.send(long)
        #expect(try old.receive().error == nil)
        let new = try bus.client()
        try new.send(long)
        #expect(try new.receiveText() == nil)
        // The history's size is unchanged, so a policy may still hold as much.
        let policy = #"{"aspect":"battery","background":"hold","limit":256}"#
        _ = try bus.subscribe(#"{"policies":[\#(policy)]}"#)
    }

    @Test func `A reload changes the limits of later calls, and an unknown user changes nothing`() throws {
        let bus = try BusProcess(configuration: "{ publish: { names: 1, valueSize: 10 } }")
        let client = try bus.client()
        func quota(_ value: String, of name: String = "org.example.a") throws -> JSON? {
            try client.call("Publish", #"{"aspect":"\#(name)","value":\#(value)}"#).parameters["quota"]
        }
        #expect(try quota(#"{"a":"12"}"#) == nil)
        #expect(try quota(#"{"a":"123"}"#) == "value")
        #expect(try quota("{}", of: "org.example.b") == "names")
        try reload(bus, "{ publish: { names: 2 } }", until: "config.json5 again")
        #expect(try quota(#"{"a":"123"}"#) == nil)
        #expect(try quota("{}", of: "org.example.b") == nil)
        let unknown = #"{ publish: { names: 3, allow: [{ names: "org.example.*", users: ["no such user"] }] } }"#
        try reload(bus, unknown, until: "publish.allow[0].users: not a user of this system")
        #expect(try quota("{}", of: "org.example.c") == "names")
    }

    @Test func manyReloadsDuringChangesLoseAndLeakNothing() throws {
        let bus = try BusProcess()
        let subscriber = try bus.subscribe(#"{"aspects":["battery"]}"#)
        let configuration = bus.directory.read("config.json5")
        func holdings() throws -> [String] {
            let status = try String(contentsOfFile: "/proc/\(bus.process.pid)/status")
            return try bus.descriptors().map { String($0.prefix { $0 != "[" }) }.sorted()
                + status.split(separator: "\n").filter { $0.hasPrefix("Threads:") }.map(String.init)
        }
        let client = try bus.client()
        #expect(try client.call("GetState").error == nil)
        let before = try holdings()
        for round in 1...10 {
            try reload(bus, configuration, until: "config.json5 again")
            try client.post(level: Double(round) / 100)
        }
        var changes = 0
        while changes < 10 { changes += try subscriber.next().reduce(0) { $0 + $1.integer("changes") } }
        #expect(changes == 10)
        try wait(for: "the old watchers to end", seconds: 20) {
            try holdings() == before
        }
        #expect(bus.stop() == 0)
    }

    @Test func supervisorIsNotifiedOfAReload() throws {
        let directory = try TemporaryDirectory()
        let supervisor = try NotifySocket(directory.path + "/notify")
        let bus = try BusProcess(environment: ["NOTIFY_SOCKET": supervisor.path])
        while try !supervisor.next().text.hasPrefix("READY=1") {}
        bus.process.signal(SIGHUP)
        let text = try supervisor.next().text
        #expect(text.wholeMatch(of: #/RELOADING=1\nMONOTONIC_USEC=\d+/#) != nil, "\(text)")
        #expect(try supervisor.next().text.hasPrefix("READY=1"))
        #expect(bus.stop() == 0)
    }

    @Test func reloadWithoutAConfigurationFileIsIgnored() throws {
        let directory = try TemporaryDirectory()
        let service = try RunningProgram(
            [BusProcess.program, "serve", "--address", "unix:\(directory.path)/bus", "--root", directory.path],
            program: "setsid", in: directory)
        try wait(for: "a bus") { service.errors.contains("serving") }
        service.process.signal(SIGHUP)
        try wait(for: "a message") { service.errors.contains("there is no configuration file to read again") }
        #expect(try RawClient(directory.path + "/bus").call("GetState").error == nil)
        #expect(service.stop() == 0)
    }
}
