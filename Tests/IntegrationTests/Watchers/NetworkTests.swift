// SPDX-License-Identifier: Apache-2.0

import Glibc
import ReveilleSystem
import ReveilleTesting
import Testing
import Varlink

/// The network of a network namespace, whose links and routes the tests change with the real kernel.
@Suite(
    .blocking, .timeLimit(.minutes(10)),
    .enabled(if: NetworkNamespace.isAvailable, "requires network namespaces and virtual Ethernet"))
struct NetworkTests {
    private let bus: BusProcess
    private let namespace: NetworkNamespace

    init() throws {
        bus = try BusProcess(launcher: NetworkNamespace.launcher)
        namespace = NetworkNamespace(of: bus)
        try namespace.ip("link set v0 up", "link set v1 up", "addr add 192.0.2.7/24 dev v0")
    }

    private static let route = "route add default via 192.0.2.1 metric 100"

    private func waitUntil(isReachable: Bool) throws {
        let control = try bus.client()
        try wait(for: "the network to be \(isReachable ? "" : "un")reachable") {
            try control.state(of: "network")["network"]?.objectValue?["reachable"] == .bool(isReachable)
        }
    }

    @Test("changes of the default route and its addresses arrive as events, without polling")
    func routeIsAnEvent() throws {
        let subscriber = try bus.subscribe(#"{"aspects":["network"],"initial":true}"#)
        #expect(
            subscriber.initialEvents.first?["network"] == [
                "reachable": false, "interface": nil, "kind": nil, "addresses": [],
            ])
        try namespace.ip(Self.route)
        let event = try subscriber.wait(for: "network") { $0["reachable"] == true }
        #expect(event["network"]?.objectValue?["interface"] == "v0")
        #expect(event["network"]?.objectValue?["kind"] == "ethernet")
        #expect(event["network"]?.objectValue?["addresses"] == ["192.0.2.7"])
        try namespace.ip("addr add 192.0.2.6/24 dev v0")
        try subscriber.wait(for: "network") { $0["addresses"] == ["192.0.2.6", "192.0.2.7"] }
        try namespace.ip("route del default")
        try subscriber.wait(for: "network") { $0["reachable"] == false }
    }

    @Test("B115: a link that is lost and comes back in the background is one event without a net change")
    func linkThatComesBackIsOneEvent() throws {
        try namespace.ip(Self.route)
        try waitUntil(isReachable: true)
        let subscriber = try bus.subscribe(#"{"aspects":["network"]}"#)
        let control = try bus.client()
        try subscriber.setState("background", on: control)
        try namespace.ip("link set v1 down")
        try waitUntil(isReachable: false)
        try namespace.ip("link set v1 up")
        try waitUntil(isReachable: true)
        #expect(subscriber.client.isSilent)
        try subscriber.setState("foreground", on: control)
        let events = try subscriber.next()
        #expect(events.map { $0.integer("changes") } == [2])
        #expect(events.first?["netChange"] == false)
    }

    @Test("B116: another default link is a net change") func otherLinkIsANetChange() throws {
        try namespace.ip(Self.route)
        try waitUntil(isReachable: true)
        let subscriber = try bus.subscribe(#"{"aspects":["network"]}"#)
        let control = try bus.client()
        try subscriber.setState("background", on: control)
        try namespace.ip("addr add 198.51.100.7/24 dev v1", "route add default via 198.51.100.1 dev v1 metric 50")
        try subscriber.setState("foreground", on: control)
        let event = try subscriber.wait(for: "network") { $0["interface"] == "v1" }
        #expect(event["netChange"] == true)
    }

    @Test("an address that is removed and added again at once is not an event") func renewalIsNotAnEvent() throws {
        try namespace.ip(Self.route)
        try waitUntil(isReachable: true)
        let subscriber = try bus.subscribe(#"{"aspects":["network"]}"#)
        try namespace.ip("addr del 192.0.2.7/24 dev v0", "addr add 192.0.2.7/24 dev v0", Self.route)
        try namespace.ip("addr add 192.0.2.8/24 dev v0")
        let event = try subscriber.wait(for: "network") { $0["addresses"]?.arrayValue?.count == 2 }
        #expect(event.integer("changes") == 1)
        #expect(event.integer("generation") == 1 || event["netChange"] == true)
    }

    @Test("B80: lost notifications are counted and cause all tables to be read again")
    func lostNotificationsAreCounted() throws {
        let subscriber = try bus.subscribe(#"{"aspects":["network"]}"#)
        bus.process.signal(SIGSTOP)
        let toggles = (0..<3_000).map { "addr \($0.isMultiple(of: 2) ? "add" : "del") 198.51.100.9/24 dev v1" }
        try namespace.ip(batch: toggles + ["addr add 192.0.2.9/24 dev v0", Self.route])
        bus.process.signal(SIGCONT)
        let event = try subscriber.wait(for: "network") { $0["reachable"] == true }
        #expect(event["network"]?.objectValue?["addresses"] == ["192.0.2.7", "192.0.2.9"])
        let source = try bus.description(of: "network")["source"]?.stringValue
        #expect(source?.contains("events lost and all read again") == true, "\(source ?? "")")
    }
}

struct NetworkNamespace {
    private let bus: BusProcess

    /// Runs the bus in a namespace of its own, with two interfaces that are connected to each other.
    static let launcher = [
        "unshare", "--map-root-user", "--net", "sh", "-c", #"ip link add v0 type veth peer name v1 && exec "$@""#, "sh",
    ]

    /// Whether the kernel allows it.
    static let isAvailable: Bool = {
        guard let directory = try? TemporaryDirectory() else { return false }
        return (try? ProgramRun(Array(launcher.dropFirst()) + ["true"], program: "unshare", in: directory))?.code == 0
    }()

    init(of bus: BusProcess) {
        self.bus = bus
    }

    func ip(_ commands: String...) throws {
        try ip(batch: commands)
    }

    func ip(batch: [String]) throws {
        try bus.directory.write(batch.joined(separator: "\n") + "\n", to: "batch")
        let namespaces = ["--target", "\(bus.process.pid)", "--user", "--net", "--preserve-credentials"]
        let run = try ProgramRun(
            namespaces + ["ip", "-force", "-batch", bus.directory.path + "/batch"], program: "nsenter",
            in: bus.directory)
        guard run.code == 0 else { throw Trouble("ip: \(run.errors)") }
    }
}
